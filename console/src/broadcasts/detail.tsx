import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { href } from '../address.ts';
import { request, sendChange } from '../api.ts';
import { date, duration, number } from '../format.ts';
import { useAttempt } from '../parts/attempt.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Pending } from '../parts/failure.tsx';
import { Head } from '../parts/head.tsx';
import { useLoad } from '../parts/load.ts';
import type { Bot } from '../session.ts';
import { type Broadcast, canCancel, canRelaunch, isRunning, PARTS, partsOf } from './broadcast.ts';
import { audienceFacts } from './composer/audience-editor.tsx';
import { Composer } from './composer/composer.tsx';
import { draftOf } from './composer/draft.ts';
import { Facts } from './composer/facts.tsx';
import { type MessagePreview, Preview } from './composer/preview.tsx';
import { Refused } from './composer/problems.tsx';
import { words as composerWords } from './composer/words.ts';
import { Recipients } from './recipients.tsx';
import { words } from './words.ts';

interface DetailProps {
  readonly bot: Bot;
  readonly id: string;
}

/** One broadcast: its progress while it is sent, what can be done with it, and its recipients. */
export function BroadcastDetail({ bot, id }: DetailProps) {
  const key = bot.resource_key;
  const { loaded, reload } = useLoad(
    () => (signal) => request<Broadcast>(`/v1/broadcast/get?id=${encodeURIComponent(id)}`, { bot: key, signal }),
    { poll: (broadcast) => (isRunning(broadcast) ? 'running' : 'still') },
  );
  const { data } = loaded.value;
  return (
    <>
      <p>
        <a href={href('/broadcasts', { bot: key })}>{words.title}</a>
      </p>
      <Pending loaded={loaded.value} retry={reload} />
      {data !== undefined && (
        <>
          <Head title={data.name ?? words.unnamed(data.id)} />
          {data.status === 0 ? (
            <Composer key={data.id} bot={bot} broadcast={data} onChanged={reload} />
          ) : (
            <>
              <Progress broadcast={data} />
              <Facts
                of={[
                  ...audienceFacts(draftOf(data).audience),
                  [words.launched, data.date_activate && date(data.date_activate)],
                  [words.ended, data.date_finish && date(data.date_finish)],
                ]}
              />
              <Actions bot={key} broadcast={data} onDone={reload} />
              <Message bot={key} broadcast={data} />
              <Recipients
                bot={key}
                id={id}
                total={data.count_recipients}
                seen={JSON.stringify([data.status, partsOf(data)])}
              />
            </>
          )}
        </>
      )}
    </>
  );
}

/** The message as one of the bot's users gets it. */
function Message({ bot, broadcast: { type, message } }: { readonly bot: string; readonly broadcast: Broadcast }) {
  const { loaded, reload } = useLoad(
    () => (signal) =>
      request<MessagePreview>('/v1/broadcast/preview', { method: 'POST', bot, body: { type, message }, signal }),
  );
  const { data } = loaded.value;
  return (
    <>
      <h2>{composerWords.message}</h2>
      <Pending loaded={loaded.value} retry={reload} />
      {data !== undefined && <Preview preview={data} />}
    </>
  );
}

/** Delivered, not delivered, unknown and left, as they are recorded; the rate and the time left as they were seen here. */
function Progress({ broadcast }: { readonly broadcast: Broadcast }) {
  const parts = partsOf(broadcast);
  const attempted = broadcast.count_recipients - parts.left - parts.cancelled;
  const rate = useRate(attempted);
  return (
    <section aria-live="polite">
      <p>
        <strong>{words.statuses[broadcast.status]}</strong>
        {broadcast.status === 1 && broadcast.date_send !== null && ` ${words.from(date(broadcast.date_send))}`}
      </p>
      {broadcast.error !== null && (
        <p class="failure" role="alert">
          {words.errors[broadcast.error as keyof typeof words.errors] ?? broadcast.error}
        </p>
      )}
      {broadcast.paused_until !== null && <p class="warning">{words.paused(date(broadcast.paused_until))}</p>}
      {broadcast.count_recipients > 0 && (
        <>
          <progress
            max={broadcast.count_recipients}
            value={attempted}
            aria-label={words.progress(number(attempted), number(broadcast.count_recipients))}
          />
          <dl class="parts">
            {PARTS.map((part) => (
              <div key={part}>
                <dt>{words.parts[part]}</dt>
                <dd>{number(parts[part])}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
      {broadcast.status === 2 && rate !== null && rate > 0 && (
        <p class="quiet-text">{words.rate(number(Math.round(rate)), duration(parts.left / rate))}</p>
      )}
      {parts.unknown > 0 && <p class="quiet-text">{words.unknownMeans}</p>}
    </section>
  );
}

const RATE_OVER_MS = 10_000;

/** Recipients a second over the last ten seconds that this page saw; null: too little was seen. */
function useRate(attempted: number): number | null {
  const seen = useRef<{ readonly at: number; readonly attempted: number }[]>([]);
  const now = performance.now();
  if (seen.current.at(-1)?.attempted !== attempted) seen.current.push({ at: now, attempted });
  while (seen.current.length > 2 && now - seen.current[1]!.at > RATE_OVER_MS) seen.current.shift();
  const [first] = seen.current;
  if (first === undefined || now - first.at < 1000) return null;
  return ((attempted - first.attempted) * 1000) / (now - first.at);
}

interface ActionsProps {
  readonly bot: string;
  readonly broadcast: Broadcast;
  readonly onDone: () => void;
}

/** Launch, cancel and relaunch, each after a question that names the recipients concerned. */
function Actions({ bot, broadcast, onDone }: ActionsProps) {
  const attempt = useAttempt();
  const { error, run } = attempt;
  const asked = useSignal<'activate' | 'cancel' | null>(null);

  async function act(action: 'activate' | 'cancel'): Promise<void> {
    await run(async () => {
      // An earlier launch may have been stopped by the same request.
      await sendChange(`/v1/broadcast/${action}`, { id: broadcast.id }, bot, broadcast.date_activate);
      onDone();
    });
    asked.value = null;
  }
  const ask = (action: 'activate' | 'cancel'): void => {
    asked.value = action;
  };
  const { left } = partsOf(broadcast);
  return (
    <div class="btns">
      {canRelaunch(broadcast) && (
        <button type="button" class="btn primary" onClick={() => ask('activate')}>
          {words.relaunch}
        </button>
      )}
      {canCancel(broadcast) && (
        <button class="btn" type="button" onClick={() => ask('cancel')}>
          {words.cancel}
        </button>
      )}
      {error.value !== undefined && <Refused error={error.value} bot={bot} />}
      {asked.value !== null && (
        <Confirm
          question={
            asked.value === 'cancel'
              ? words.askCancel(number(left))
              : words.askRelaunch(number(broadcast.count_cancelled))
          }
          action={asked.value === 'cancel' ? words.cancel : words.relaunch}
          attempt={attempt}
          onYes={() => act(asked.value!)}
          onNo={() => {
            asked.value = null;
          }}
        />
      )}
    </div>
  );
}
