import { type Signal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { sendChange } from '../api.ts';
import { type Attempt, useAttempt } from '../parts/attempt.ts';
import { type Field, type Given, startOf } from './fields.tsx';
import { keepTyped, readTyped } from './kept.ts';

/** Fields that are typed in, and the change that they make. */
export interface Change {
  readonly attempt: Attempt;
  readonly done: Signal<boolean>;
  /** Fields that are not as they were loaded. */
  readonly changed: readonly Field[];
  valueIn(field: Field): string | boolean;
  set(name: string, value: string | boolean): void;
  /** Keeps nothing of what was typed for a reload. */
  forget(): void;
  /** Takes back what was typed. */
  clear(): void;
  /** The values of the given fields, without spaces around them. */
  given(fields: readonly Field[]): Given;
  run(work: () => Promise<void>): Promise<void>;
}

/** @param about what the fields change, such as the path and the bot: of the same values what was typed is kept */
export function useChange(fields: readonly Field[], about: string): Change {
  const attempt = useAttempt();
  const place = `${about} ${JSON.stringify(fields.map((field) => [field.name, startOf(field)]))}`;
  const typed = useSignal(useMemo(() => readTyped(place), []));
  const done = useSignal(false);
  const valueIn = (field: Field): string | boolean => typed.value[field.name] ?? startOf(field);
  return {
    attempt,
    done,
    changed: fields.filter((field) => valueIn(field) !== startOf(field)),
    valueIn,
    set(name, value) {
      typed.value = { ...typed.value, [name]: value };
      done.value = false;
      const isSecret = (key: string): boolean => fields.some((field) => field.name === key && field.type === 'secret');
      keepTyped(place, Object.fromEntries(Object.entries(typed.value).filter(([key]) => !isSecret(key))));
    },
    forget: () => keepTyped(place, {}),
    clear() {
      typed.value = {};
      keepTyped(place, {});
      attempt.error.value = undefined;
    },
    given: (of) =>
      Object.fromEntries(
        of.map((field) => {
          const value = valueIn(field);
          return [field.name, typeof value === 'string' ? value.trim() : value];
        }),
      ),
    run: (work) =>
      attempt.run(async () => {
        done.value = false;
        await work();
        done.value = true;
      }),
  };
}

/** Sends a change below `/v1/settings/`. */
export async function sendSetting<T>(path: string, body: object, bot?: string): Promise<T> {
  return (await sendChange<T>(`/v1/settings/${path}`, body, bot)).data;
}
