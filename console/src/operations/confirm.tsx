import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { request } from '../api.ts';
import { useAttempt } from '../parts/attempt.ts';
import { Failure } from '../parts/failure.tsx';
import { texts } from '../texts.ts';

const words = texts.operations;

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

/** Asks for a confirmation, and for the reason that the log keeps. */
export function Confirm({ asked, onDone }: { readonly asked: Signal<Change | null>; readonly onDone: () => void }) {
  const { error, busy, run } = useAttempt();
  const dialog = useRef<HTMLDialogElement>(null);
  const reason = useSignal('');
  // One key for each question: a second click, or a repeat after no answer, is the same request.
  const key = useRef('');
  const change = asked.value;
  useEffect(() => {
    if (change === null) return dialog.current?.close();
    reason.value = '';
    error.value = undefined;
    key.current = crypto.randomUUID();
    dialog.current?.showModal();
  }, [change]);

  const confirm = (): Promise<void> =>
    run(async () => {
      if (change === null) return;
      const body = change.reason ? { ...change.body, reason: reason.value } : change.body;
      await request(`/admin/v1/${change.path}`, { method: 'POST', body, idempotencyKey: key.current });
      asked.value = null;
      onDone();
    });
  return (
    <dialog
      ref={dialog}
      aria-labelledby="change"
      onClose={() => {
        asked.value = null;
      }}
    >
      {change !== null && (
        <form
          class="confirm"
          onSubmit={(event) => {
            event.preventDefault();
            void confirm();
          }}
        >
          <h2 id="change">{change.title}</h2>
          <p>{change.effect}</p>
          {change.reason && (
            <label>
              {words.reason}
              <textarea
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
          {error.value !== undefined && <Failure error={error.value} />}
          <p class="actions">
            <button type="submit" class="main" disabled={busy.value}>
              {busy.value ? words.working : words.confirm}
            </button>
            <button
              type="button"
              onClick={() => {
                asked.value = null;
              }}
            >
              {words.back}
            </button>
          </p>
        </form>
      )}
    </dialog>
  );
}
