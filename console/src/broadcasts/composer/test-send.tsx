import { useSignal } from '@preact/signals';
import { RequestError, request } from '../../api.ts';
import { useAttempt } from '../../parts/attempt.ts';
import { Icon } from '../../parts/icon.tsx';
import { Refused } from './problems.tsx';
import { words } from './words.ts';

interface TestSendProps {
  readonly bot: string;
  /** The type and the message as they are now. */
  readonly body: () => object;
}

interface Outcome {
  readonly outcome: keyof typeof words.outcomes;
  readonly reason: string | null;
}

/** Sends the message to one chat. It counts nowhere. */
export function TestSend({ bot, body }: TestSendProps) {
  const chat = useSignal('');
  const told = useSignal('');
  const { error, busy, run } = useAttempt();
  const send = (): Promise<void> =>
    run(async () => {
      told.value = '';
      const chat_id = /^-?\d+$/.test(chat.value) ? Number(chat.value) : chat.value;
      const { outcome, reason } = await request<Outcome>('/v1/broadcast/test-send', {
        method: 'POST',
        bot,
        body: { ...body(), chat_id },
      }).catch((problem: unknown) => {
        if (problem instanceof RequestError && (problem.status === 0 || problem.status >= 500))
          told.value = words.outcomes.unknown;
        throw problem;
      });
      told.value = `${words.outcomes[outcome]}${reason === null ? '' : ` ${reason}`}`;
    });
  return (
    <section class="field">
      <label for="test">{words.test}</label>
      <div class="test-row">
        <input
          id="test"
          class="input"
          inputMode="numeric"
          placeholder={words.testTo}
          value={chat.value}
          onInput={(event) => {
            chat.value = event.currentTarget.value.trim();
          }}
        />
        <button class="btn" type="button" disabled={busy.value || chat.value === ''} onClick={() => void send()}>
          <Icon name="broadcast" /> {words.testSend}
        </button>
      </div>
      <span class="hint">{words.testMeans}</span>
      <output>{told.value}</output>
      {error.value !== undefined && <Refused error={error.value} bot={bot} />}
    </section>
  );
}
