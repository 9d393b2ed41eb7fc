import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { texts } from '../texts.ts';
import type { Attempt } from './attempt.ts';
import { Failure } from './failure.tsx';

interface ConfirmProps {
  readonly question: string;
  readonly action: string;
  readonly attempt: Attempt;
  readonly onYes: () => Promise<void>;
  readonly onNo: () => void;
  /** Facts and fields between the question and the buttons. */
  readonly children?: ComponentChildren;
}

/** Asks before a change. It is open while it is rendered, and returns the focus to where it was. */
export function Confirm({ question, action, attempt: { error, busy }, onYes, onNo, children }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Open before the next key: a typed reason keeps its first letters.
  useLayoutEffect(() => {
    const element = dialog.current!;
    error.value = undefined;
    element.showModal();
    return () => element.close();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby="question" onClose={onNo}>
      <form
        class="confirm"
        onSubmit={(event) => {
          event.preventDefault();
          void onYes();
        }}
      >
        <h2 id="question">{question}</h2>
        {children}
        {error.value !== undefined && <Failure error={error.value} />}
        <p class="btns">
          <button type="submit" class="btn primary" disabled={busy.value}>
            {action}
          </button>
          <button class="btn" type="button" onClick={onNo}>
            {texts.back}
          </button>
        </p>
      </form>
    </dialog>
  );
}
