import { useSignal } from '@preact/signals';
import type { StatisticsAnswer } from '../../../src/api/broadcast/statistics-schemas.ts';
import { href } from '../address.ts';
import { request, sendChange } from '../api.ts';
import { date, number } from '../format.ts';
import { useAttempt } from '../parts/attempt.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Failure } from '../parts/failure.tsx';
import { Head } from '../parts/head.tsx';
import { Icon } from '../parts/icon.tsx';
import { useLoad } from '../parts/load.ts';
import { Note } from '../parts/note.tsx';
import type { Bot } from '../session.ts';
import { type Broadcast, canCancel, canRelaunch, isRunning, partsOf } from './broadcast.ts';
import { BroadcastMenu } from './broadcast-menu.tsx';
import { audienceFacts } from './composer/audience-facts.ts';
import { draftOf } from './composer/draft.ts';
import { loadAudienceNames } from './composer/names.ts';
import { Refused } from './composer/problems.tsx';
import { LinksCard } from './links-card.tsx';
import { MessageCard } from './message-card.tsx';
import { ProgressCard } from './progress-card.tsx';
import { Recipients } from './recipients.tsx';
import { ResultsCard } from './results-card.tsx';
import { StatusPill } from './status-pill.tsx';
import { words } from './words.ts';

interface DetailProps {
  readonly bot: Bot;
  readonly broadcast: Broadcast;
  readonly onChanged: () => void;
}

/** One broadcast: its progress while it is sent, its results, and its recipients. */
export function BroadcastDetail({ bot, broadcast, onChanged }: DetailProps) {
  const key = bot.resource_key;
  const { id, error, paused_until } = broadcast;
  const isSent = broadcast.count_recipients > 0;
  const statistics = useLoad(
    () => (signal) => request<StatisticsAnswer>(`/v1/broadcast/statistics?id=${id}`, { bot: key, signal }),
    { poll: () => (isRunning(broadcast) ? 'still' : 'seldom') },
  );
  const { data } = statistics.loaded.value;
  return (
    <>
      <Head
        title={broadcast.name ?? words.unnamed(id)}
        crumb={{ href: href('/broadcasts', { bot: key }), text: words.title, here: words.no(id) }}
        status={<StatusPill broadcast={broadcast} />}
        lead={<Lead bot={key} broadcast={broadcast} />}
      >
        <Actions bot={key} broadcast={broadcast} onDone={onChanged} />
        <BroadcastMenu bot={key} broadcast={broadcast} onChanged={onChanged} />
      </Head>
      {error !== null && <Note kind="bad" what={words.errors[error as keyof typeof words.errors] ?? error} />}
      {paused_until !== null && <Note kind="warn" what={words.paused(date(paused_until))} />}
      {broadcast.archived === true && <Note kind="now" what={words.isArchived} />}
      <ProgressCard broadcast={broadcast} />
      {statistics.loaded.value.error !== undefined && (
        <Failure error={statistics.loaded.value.error} retry={statistics.reload} />
      )}
      <div class="cols two-one stretch">
        {isSent && <ResultsCard bot={key} broadcast={broadcast} statistics={data} />}
        <MessageCard bot={bot} broadcast={broadcast} />
      </div>
      {data !== undefined && data.links.length > 0 && <LinksCard statistics={data} />}
      <Recipients bot={key} broadcast={broadcast} />
    </>
  );
}

/** The audience, and the times of launch and end. */
function Lead({ bot, broadcast }: { readonly bot: string; readonly broadcast: Broadcast }) {
  const names = useLoad(() => (signal) => loadAudienceNames(bot, signal));
  const [include, exclude] = audienceFacts(draftOf(broadcast).audience, names.loaded.value.data);
  const { status, date_activate, date_finish } = broadcast;
  // A scheduled one was activated, and has not been launched yet.
  const launched = status === 1 ? null : date_activate;
  return (
    <>
      {words.to(include![1]!, exclude![1] ?? '')}
      {launched !== null && ` ${words.launchedAt(date(launched))}`}
      {date_finish !== null && ` ${words.endedAt(date(date_finish))}`}
    </>
  );
}

interface ActionsProps {
  readonly bot: string;
  readonly broadcast: Broadcast;
  readonly onDone: () => void;
}

/** Stop and launch again, each after a question that names the recipients concerned. */
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
  const isWaiting = broadcast.status === 1;
  const stop = isWaiting ? words.cancelSchedule : words.cancel;
  return (
    <>
      {canRelaunch(broadcast) && (
        <button type="button" class="btn primary" onClick={() => ask('activate')}>
          {words.relaunch}
        </button>
      )}
      {canCancel(broadcast) && (
        <button class="btn danger" type="button" onClick={() => ask('cancel')}>
          <Icon name="stop" /> {stop}
        </button>
      )}
      {error.value !== undefined && <Refused error={error.value} bot={bot} />}
      {asked.value !== null && (
        <Confirm
          question={
            asked.value === 'activate'
              ? words.askRelaunch(number(broadcast.count_cancelled))
              : isWaiting
                ? words.askCancelSchedule
                : words.askCancel(number(left))
          }
          action={asked.value === 'cancel' ? stop : words.relaunch}
          attempt={attempt}
          onYes={() => act(asked.value!)}
          onNo={() => {
            asked.value = null;
          }}
        />
      )}
    </>
  );
}
