import { useEffect, useRef } from 'preact/hooks';
import type { Attempt } from '../parts/attempt.ts';
import { Failure } from '../parts/failure.tsx';
import { texts } from '../texts.ts';

interface ConfirmProps {
  readonly question: string;
  readonly action: string;
  readonly attempt: Attempt;
  readonly onYes: () => void;
  readonly onNo: () => void;
}

/** Asks before a change that cannot be undone. It is open while it is rendered. */
export function Confirm({ question, action, attempt, onYes, onNo }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current!;
    element.showModal();
    return () => element.close();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby="question" onCancel={onNo}>
      <p id="question">{question}</p>
      {attempt.error.value !== undefined && <Failure error={attempt.error.value} />}
      <p class="row">
        <button type="button" class="main" disabled={attempt.busy.value} onClick={onYes}>
          {action}
        </button>
        <button type="button" onClick={onNo}>
          {texts.settings.back}
        </button>
      </p>
    </dialog>
  );
}
