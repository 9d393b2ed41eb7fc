import { useSignal } from '@preact/signals';
import { sendChange } from '../api.ts';
import { useAttempt } from '../parts/attempt.ts';
import { ownerSession } from '../settings/owner.ts';
import type { Payout } from './data.ts';
import { ReasonDialog } from './reason-dialog.tsx';
import { words } from './words.ts';

type Action = keyof typeof words.payoutActions;

/** Actions that the state of a payout allows (decisions.md#payouts). The service refuses an action that comes too late. */
function actionsOf({ status, method, deliveries }: Payout): readonly Action[] {
  const last = deliveries.at(-1);
  if (status === 0) return method === 'manual' ? ['confirm', 'cancel'] : ['retry', 'cancel'];
  if (status === 1 && last?.status === 202) return ['confirm', 'fail'];
  if (status === 1 && last?.error != null) return ['retry'];
  return status === 3 ? ['retry', 'cancel'] : [];
}

interface PayoutActionsProps {
  readonly bot: string;
  readonly payout: Payout;
  readonly onDone: () => void;
}

/** The actions that the payout's state allows, for owner keys. Another key reads that it cannot act. */
export function PayoutActions({ bot, payout, onDone }: PayoutActionsProps) {
  const asked = useSignal<Action | undefined>(undefined);
  const attempt = useAttempt();
  const actions = actionsOf(payout);
  if (actions.length === 0) return null;
  if (ownerSession() === null) return <span class="reason">{words.ownerKeyNeeded}</span>;
  const { payout_id, method, deliveries } = payout;
  const mayBePaid = method === 'webhook' && deliveries.length > 0;
  const act = (action: Action, reason: string, form: FormData): Promise<void> =>
    attempt.run(async () => {
      const force = action === 'cancel' && form.has('force') ? { force: true } : {};
      const body = { payout_id, ...(reason === '' ? {} : { reason }), ...force };
      await sendChange(`/v1/referral/payouts/${action}`, body, bot);
      asked.value = undefined;
      onDone();
    });
  const action = asked.value;
  return (
    <div class="btns">
      {actions.map((each) => (
        <button
          key={each}
          type="button"
          class="btn small"
          onClick={() => {
            asked.value = each;
          }}
        >
          {words.payoutActions[each].button}
        </button>
      ))}
      {action !== undefined && (
        <ReasonDialog
          question={words.payoutActions[action].question(payout_id)}
          action={words.payoutActions[action].button}
          means={words.payoutActions[action].means}
          required={action === 'fail' || action === 'cancel'}
          attempt={attempt}
          onReason={(reason, form) => act(action, reason, form)}
          onClose={() => {
            asked.value = undefined;
          }}
        >
          {action === 'cancel' && mayBePaid && (
            <label class="check">
              <input type="checkbox" name="force" /> {words.forceCancel}
            </label>
          )}
        </ReasonDialog>
      )}
    </div>
  );
}
