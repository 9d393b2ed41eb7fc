import { useSignal } from '@preact/signals';
import { sendChange } from '../api.ts';
import { useAttempt } from '../parts/attempt.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Icon } from '../parts/icon.tsx';
import type { Program, Referrer } from './data.ts';
import { Money, unitName } from './parts.tsx';
import { words } from './words.ts';

interface PayOutProps {
  readonly bot: string;
  readonly user: string;
  readonly program: Program;
  readonly balance: Referrer['balance'];
  readonly onDone: () => void;
}

/** A payout of all units. */
const ALL = 'all';

/** Requests a payout of all that is available, of one unit or of each. Nothing is shown where nothing is available. */
export function PayOut({ bot, user, program: { units }, balance, onDone }: PayOutProps) {
  const isOpen = useSignal(false);
  const unit = useSignal(ALL);
  const method = useSignal<keyof typeof words.payMethods>('manual');
  const attempt = useAttempt();
  const payable = balance.filter(({ available }) => Number(available) > 0);
  if (payable.length === 0) return null;
  const close = (): void => {
    isOpen.value = false;
  };
  const request = (): Promise<void> =>
    attempt.run(async () => {
      const of = unit.value === ALL ? {} : { unit_id: Number(unit.value) };
      const body = { user_id: Number(user), method: method.value, ...of };
      // The same request after this one is about what has become available since.
      await sendChange('/v1/referral/payout', body, bot, payable);
      close();
      onDone();
    });
  return (
    <>
      <button
        type="button"
        class="btn primary"
        onClick={() => {
          isOpen.value = true;
        }}
      >
        <Icon name="money" /> {words.payOut}
      </button>
      {isOpen.value && (
        <Confirm
          question={words.payOutQuestion}
          action={words.payOutAction}
          attempt={attempt}
          onYes={request}
          onNo={close}
        >
          <dl class="facts">
            {payable
              .filter(({ unit_id }) => unit.value === ALL || `${unit_id}` === unit.value)
              .map(({ unit_id, available }) => (
                <div key={unit_id} class="payable">
                  <dt>{words.available}</dt>
                  <dd>
                    <b>
                      <Money amount={available} /> {unitName(units, unit_id)}
                    </b>
                  </dd>
                </div>
              ))}
          </dl>
          {payable.length > 1 && (
            <label class="field">
              <span>{words.unit}</span>
              <select
                class="input"
                value={unit.value}
                onChange={(event) => {
                  unit.value = event.currentTarget.value;
                }}
              >
                <option value={ALL}>{words.eachUnit}</option>
                {payable.flatMap(({ unit_id }) =>
                  unit_id === null ? [] : [<option value={unit_id}>{unitName(units, unit_id)}</option>],
                )}
              </select>
            </label>
          )}
          <label class="field">
            <span>{words.method}</span>
            <select
              class="input"
              value={method.value}
              onChange={(event) => {
                method.value = event.currentTarget.value as keyof typeof words.payMethods;
              }}
            >
              {Object.entries(words.payMethods).map(([name, text]) => (
                <option key={name} value={name}>
                  {text}
                </option>
              ))}
            </select>
          </label>
          <p>{words.payOutMeans}</p>
        </Confirm>
      )}
    </>
  );
}
