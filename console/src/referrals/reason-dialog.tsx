import type { ComponentChildren } from 'preact';
import type { Attempt } from '../parts/attempt.ts';
import { Confirm } from '../parts/confirm.tsx';
import { words } from './words.ts';

interface ReasonDialogProps {
  readonly question: string;
  readonly action: string;
  /** The consequences of the action. */
  readonly means: string;
  readonly required: boolean;
  readonly attempt: Attempt;
  readonly onReason: (reason: string, form: FormData) => Promise<void>;
  readonly onClose: () => void;
  /** Further fields. */
  readonly children?: ComponentChildren;
}

/** Says what an action does with money, and asks for the reason that the ledger keeps. */
export function ReasonDialog({ means, required, onReason, onClose, children, ...confirm }: ReasonDialogProps) {
  return (
    <Confirm
      {...confirm}
      onYes={() => {
        const form = new FormData(document.querySelector<HTMLFormElement>('dialog[open] form.confirm')!);
        return onReason(String(form.get('reason')).trim(), form);
      }}
      onNo={onClose}
    >
      <p>{means}</p>
      <label class="field">
        <span>{required ? words.why : words.whyOptional}</span>
        <textarea class="input" name="reason" rows={3} maxLength={10_000} required={required} />
      </label>
      {children}
    </Confirm>
  );
}
