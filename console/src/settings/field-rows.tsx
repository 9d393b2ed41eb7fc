import type { Change } from './change.ts';
import { type Field, FieldRow, problemAt } from './fields.tsx';

interface FieldRowsProps {
  readonly form: Change;
  readonly fields: readonly Field[];
}

/** Fields of a form, each with the refusal that points to it. */
export function FieldRows({ form, fields }: FieldRowsProps) {
  return (
    <>
      {fields.map((field) => (
        <FieldRow
          key={field.name}
          field={field}
          value={form.valueIn(field)}
          problem={problemAt(form.attempt.error.value, field.name)}
          onChange={(value) => form.set(field.name, value)}
        />
      ))}
    </>
  );
}
