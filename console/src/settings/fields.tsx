import { useId } from 'preact/hooks';
import type { RequestError } from '../api.ts';
import { Icon } from '../parts/icon.tsx';
import { Picker, type PickerOption } from '../parts/picker.tsx';
import { words } from './words.ts';

export interface Field {
  /** The name of the field in the body, to which the service's refusals point. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** `text` by default; `choice` is one of a few `options`, `pick` one of many; `flag` is a switch; a `secret` is never shown. */
  readonly type?: 'text' | 'choice' | 'pick' | 'flag' | 'secret' | 'integer' | 'moment';
  readonly value?: string | boolean;
  readonly options?: readonly PickerOption[];
  readonly required?: boolean;
}

/** The values of the fields of a form, by their names. */
export type Given = Readonly<Record<string, string | boolean>>;

/** The value of a field before anything is typed. */
export const startOf = ({ type, value }: Field): string | boolean => value ?? (type === 'flag' ? false : '');

/** The problem of a field that a refusal names. */
export const problemAt = (error: RequestError | undefined, name: string): string | undefined =>
  error?.details.find(({ path }) => path === name)?.message;

interface RowProps {
  readonly field: Field;
  readonly value: string | boolean;
  readonly problem: string | undefined;
  readonly onChange: (value: string | boolean) => void;
}

/** A field with its label, and what is wrong with it in words. */
export function FieldRow({ field, value, problem, onChange }: RowProps) {
  const id = useId();
  const { type, label, hint } = field;
  const described = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(problem === undefined ? [] : [`${id}-problem`]),
  ];
  const shared = {
    id,
    name: field.name,
    required: field.required === true,
    'aria-describedby': described.length === 0 ? undefined : described.join(' '),
    'aria-invalid': problem === undefined ? undefined : ('true' as const),
  };
  const said = (
    <>
      {hint !== undefined && (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
      {problem !== undefined && (
        <span id={`${id}-problem`} class="wrong failure" role="alert">
          <Icon name="warn" /> {problem}
        </span>
      )}
    </>
  );
  if (type === 'flag')
    return (
      <div class="field">
        <label class="check switch" for={id}>
          <input
            {...shared}
            type="checkbox"
            checked={value === true}
            onChange={(event) => onChange(event.currentTarget.checked)}
          />
          <span>{label}</span>
        </label>
        {said}
      </div>
    );
  const text = String(value);
  return (
    <div class="field">
      {type === 'pick' ? <span class="label">{label}</span> : <label for={id}>{label}</label>}
      {type === 'pick' ? (
        <Picker label={label} value={text} options={field.options ?? []} onPick={onChange}>
          <b title={text}>{field.options?.find((option) => option.value === text)?.label ?? (text || words.choose)}</b>
          <Icon name="down" />
        </Picker>
      ) : type === 'choice' ? (
        <select class="input" {...shared} value={text} onChange={(event) => onChange(event.currentTarget.value)}>
          {field.options?.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      ) : (
        <Text type={type} shared={shared} value={text} onInput={onChange} />
      )}
      {said}
    </div>
  );
}

interface TextProps {
  readonly type: Field['type'];
  /** Attributes that all inputs of the form have. */
  readonly shared: { readonly id: string; readonly name: string; readonly required: boolean };
  readonly value: string;
  readonly onInput: (text: string) => void;
}

function Text({ type, shared, value, onInput }: TextProps) {
  const all = {
    ...shared,
    class: 'input',
    autocomplete: 'off',
    value,
    onInput: (event: { readonly currentTarget: HTMLInputElement }) => onInput(event.currentTarget.value),
  } as const;
  if (type === 'secret') return <input {...all} type="password" />;
  if (type === 'moment') return <input {...all} type="date" />;
  return <input {...all} type="text" inputMode={type === 'integer' ? 'numeric' : undefined} />;
}
