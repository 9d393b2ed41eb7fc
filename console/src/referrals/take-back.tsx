import { useSignal } from '@preact/signals';
import { sendChange } from '../api.ts';
import { useAttempt } from '../parts/attempt.ts';
import type { Entry } from './data.ts';
import { ReasonDialog } from './reason-dialog.tsx';
import { words } from './words.ts';

interface TakeBackProps {
  readonly bot: string;
  readonly entry: Entry;
  readonly onDone: () => void;
}

/** Takes a reward back, with the reason. */
export function TakeBack({ bot, entry: { accrual_id }, onDone }: TakeBackProps) {
  const open = useSignal(false);
  const attempt = useAttempt();
  return (
    <>
      <button
        type="button"
        class="btn quiet small"
        onClick={() => {
          open.value = true;
        }}
      >
        {words.takeBack}
      </button>
      {open.value && (
        <ReasonDialog
          question={words.takeBackQuestion(accrual_id)}
          action={words.takeBackAction}
          means={words.takeBackMeans}
          required
          attempt={attempt}
          onReason={(reason) =>
            attempt.run(async () => {
              await sendChange('/v1/referral/reverse-accrual', { accrual_id, reason }, bot);
              open.value = false;
              onDone();
            })
          }
          onClose={() => {
            open.value = false;
          }}
        />
      )}
    </>
  );
}
