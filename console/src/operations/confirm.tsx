import { type Signal, useSignal } from '@preact/signals';
import { sendChange } from '../api.ts';
import { useAttempt } from '../parts/attempt.ts';
import { Confirm } from '../parts/confirm.tsx';
import { words } from './words.ts';

/** A change that is asked for. It is made after a confirmation. */
export interface Change {
  readonly title: string;
  /** The effect of the change, in words. */
  readonly effect: string;
  /** Path below /admin/v1. */
  readonly path: string;
  readonly body: object;
  /** Whether the change needs a reason. */
  readonly reason: boolean;
}

export type Ask = (change: Change) => void;

interface ConfirmChangeProps {
  readonly change: Change;
  readonly asked: Signal<Change | null>;
  readonly onDone: () => void;
}

/** Asks for a confirmation, and for the reason that the log keeps. */
export function ConfirmChange({ change, asked, onDone }: ConfirmChangeProps) {
  const attempt = useAttempt();
  const reason = useSignal('');
  const make = (): Promise<void> =>
    attempt.run(async () => {
      const body = change.reason ? { ...change.body, reason: reason.value } : change.body;
      await sendChange(`/admin/v1/${change.path}`, body);
      asked.value = null;
      onDone();
    });
  return (
    <Confirm
      question={change.title}
      action={words.confirm}
      attempt={attempt}
      onYes={make}
      onNo={() => {
        asked.value = null;
      }}
    >
      <p>{change.effect}</p>
      {change.reason && (
        <label>
          {words.reason}
          <textarea
            class="input"
            required
            maxLength={1000}
            rows={3}
            value={reason.value}
            onInput={(event) => {
              reason.value = event.currentTarget.value;
            }}
          />
        </label>
      )}
    </Confirm>
  );
}
