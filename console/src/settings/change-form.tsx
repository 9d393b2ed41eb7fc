import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { sendChange } from '../api.ts';
import { useAttempt } from '../parts/attempt.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Failure } from '../parts/failure.tsx';
import { words as settingsWords } from './words.ts';

export interface Field {
  /** The name of the field in the body, to which the service's refusals point. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** `text` by default; `choice` takes `options`; `flag` is a checkbox; a `secret` is never shown. */
  readonly type?: 'text' | 'choice' | 'flag' | 'secret' | 'integer' | 'moment';
  readonly value?: string | boolean;
  readonly options?: readonly { readonly value: string; readonly label: string }[];
  readonly required?: boolean;
}

interface ChangeFormProps<T> {
  readonly fields: readonly Field[];
  readonly submit: string;
  /** The path below `/v1/settings/`. */
  readonly path: string;
  /** Public key of the bot that the change is about. */
  readonly bot?: string;
  /** The body, of the texts and flags as they stand in the form. */
  readonly body: (given: Readonly<Record<string, string | boolean>>) => object;
  readonly onDone: (data: T) => void;
  /** The question before a change that others notice at once. */
  readonly ask?: string;
  /** Whether the form is for new things, so that it is empty after one was made. */
  readonly makes?: boolean;
}

/** A form that changes one thing. A refusal stands at the field that it points to. */
export function ChangeForm<T>({ fields, submit, path, bot, body, onDone, ask, makes = false }: ChangeFormProps<T>) {
  const attempt = useAttempt();
  const { error, busy, run } = attempt;
  const place = useRef<HTMLFormElement>(null);
  const asked = useSignal(false);
  const done = useSignal(false);
  const id = useId();

  async function change(): Promise<void> {
    const form = place.current!;
    done.value = false;
    const data = new FormData(form);
    const given = Object.fromEntries(
      fields.map(({ name, type }) => [name, type === 'flag' ? data.has(name) : String(data.get(name) ?? '').trim()]),
    );
    await run(async () => {
      const answer = await sendSetting<T>(path, body(given), bot);
      if (makes) form.reset();
      for (const { name, type } of fields)
        if (type === 'secret') (form.elements.namedItem(name) as HTMLInputElement).value = '';
      asked.value = false;
      done.value = true;
      onDone(answer);
    });
  }
  const problemAt = (name: string): string | undefined =>
    error.value?.details.find(({ path }) => path === name)?.message;
  const isAtField = fields.some(({ name }) => problemAt(name) !== undefined);
  return (
    <>
      <form
        class="change"
        ref={place}
        onSubmit={(event) => {
          event.preventDefault();
          if (ask === undefined) void change();
          else asked.value = true;
        }}
      >
        {fields.map((field) => {
          const problem = problemAt(field.name);
          const described = [
            ...(field.hint === undefined ? [] : [`${id}-${field.name}-hint`]),
            ...(problem === undefined ? [] : [`${id}-${field.name}-problem`]),
          ].join(' ');
          return (
            <div key={field.name} class={field.type === 'flag' ? 'field flag' : 'field'}>
              <label for={`${id}-${field.name}`}>{field.label}</label>
              <Input field={field} id={`${id}-${field.name}`} described={described} wrong={problem !== undefined} />
              {field.hint !== undefined && (
                <p id={`${id}-${field.name}-hint`} class="quiet-text">
                  {field.hint}
                </p>
              )}
              {problem !== undefined && (
                <p id={`${id}-${field.name}-problem`} class="failure" role="alert">
                  {problem}
                </p>
              )}
            </div>
          );
        })}
        {error.value !== undefined && !isAtField && !asked.value && <Failure error={error.value} />}
        <div class="btns">
          <button type="submit" class={ask === undefined ? 'btn primary' : 'btn'} disabled={busy.value}>
            {submit}
          </button>
          <span role="status">{done.value ? settingsWords.saved : ''}</span>
        </div>
      </form>
      {asked.value && (
        <Confirm
          question={ask!}
          action={submit}
          attempt={attempt}
          onYes={change}
          onNo={() => {
            asked.value = false;
          }}
        />
      )}
    </>
  );
}

interface InputProps {
  readonly field: Field;
  readonly id: string;
  readonly described: string;
  readonly wrong: boolean;
}

function Input({ field: { name, type = 'text', value, options = [], required }, id, described, wrong }: InputProps) {
  const shared = {
    id,
    name,
    required: required === true,
    'aria-describedby': described === '' ? undefined : described,
    'aria-invalid': wrong ? ('true' as const) : undefined,
  };
  if (type === 'choice')
    return (
      <select class="input" {...shared} defaultValue={String(value ?? '')}>
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.label}
          </option>
        ))}
      </select>
    );
  if (type === 'flag') return <input {...shared} type="checkbox" defaultChecked={value === true} />;
  if (type === 'secret') return <input class="input" {...shared} type="password" autocomplete="off" />;
  if (type === 'moment') return <input class="input" {...shared} type="date" />;
  return (
    <input
      class="input"
      {...shared}
      type="text"
      inputMode={type === 'integer' ? 'numeric' : undefined}
      autocomplete="off"
      defaultValue={String(value ?? '')}
    />
  );
}

/** Sends a change below `/v1/settings/`. */
export async function sendSetting<T>(path: string, body: object, bot?: string): Promise<T> {
  return (await sendChange<T>(`/v1/settings/${path}`, body, bot)).data;
}
