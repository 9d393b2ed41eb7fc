import { useSignal } from '@preact/signals';
import { Confirm } from '../parts/confirm.tsx';
import { Failure } from '../parts/failure.tsx';
import { sendSetting, useChange } from './change.ts';
import { FieldRows } from './field-rows.tsx';
import { type Field, type Given, problemAt } from './fields.tsx';
import { words } from './words.ts';

interface ChangeFormProps<T> {
  readonly fields: readonly Field[];
  readonly submit: string;
  /** The path below `/v1/settings/`. */
  readonly path: string;
  /** Public key of the bot that the change is about. */
  readonly bot?: string;
  /** The body, of the texts and flags as they stand in the form. */
  readonly body: (given: Given) => object;
  readonly onDone: (data: T) => void;
  /** The question before a change that others notice at once. */
  readonly ask?: string;
}

/** A form that changes one thing. A refusal stands at the field that it points to. */
export function ChangeForm<T>({ fields, submit, path, bot, body, onDone, ask }: ChangeFormProps<T>) {
  const form = useChange(fields, `${path} ${bot ?? ''}`);
  const { error, busy } = form.attempt;
  const asked = useSignal(false);
  const change = (): Promise<void> =>
    form.run(async () => {
      const answer = await sendSetting<T>(path, body(form.given(fields)), bot);
      // A secret is not shown again, and the other fields are loaded again.
      form.clear();
      asked.value = false;
      onDone(answer);
    });
  const isAtField = fields.some(({ name }) => problemAt(error.value, name) !== undefined);
  return (
    <>
      <form
        class="change"
        onSubmit={(event) => {
          event.preventDefault();
          if (ask === undefined) void change();
          else asked.value = true;
        }}
      >
        <FieldRows form={form} fields={fields} />
        {error.value !== undefined && !isAtField && !asked.value && <Failure error={error.value} />}
        <div class="btns">
          <button type="submit" class={ask === undefined ? 'btn primary' : 'btn danger'} disabled={busy.value}>
            {submit}
          </button>
          <span role="status">{form.done.value ? words.saved : ''}</span>
        </div>
      </form>
      {asked.value && (
        <Confirm
          question={ask!}
          action={submit}
          attempt={form.attempt}
          onYes={change}
          onNo={() => {
            asked.value = false;
          }}
        />
      )}
    </>
  );
}
