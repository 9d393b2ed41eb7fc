import { useComputed, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { LatestEvents } from '../../../src/api/intake/latest-events-schemas.ts';
import { address, go, here, href } from '../address.ts';
import { request } from '../api.ts';
import { number } from '../format.ts';
import { Card } from '../parts/card.tsx';
import { loadEvents } from '../parts/catalog.ts';
import { eventNames } from '../parts/event-words.ts';
import { Pending } from '../parts/failure.tsx';
import { FirstEvent } from '../parts/first-event.tsx';
import { Head } from '../parts/head.tsx';
import { Icon } from '../parts/icon.tsx';
import { useLoad } from '../parts/load.ts';
import { Pill } from '../parts/pill.tsx';
import type { Bot } from '../session.ts';
import { BotErrors } from './errors.tsx';
import { Feed, findLabel, isFound, waiting } from './feed.tsx';
import { words } from './words.ts';
import './live.css';

/** Events of an answer, the most that one has. */
const MOST = 100;

/** Events as they come, and the errors of the bot. */
export function LivePage({ bot: { resource_key: bot } }: { readonly bot: Bot }) {
  /** The events that stay while the page is paused; null: it is not. */
  const paused = useSignal<LatestEvents | null>(null);
  const before = useRef<ReadonlySet<string> | null>(null);
  const { loaded, reload } = useLoad(
    () => (signal) => request<LatestEvents>(`/v1/events/latest?limit=${MOST}`, { bot, signal }),
    { poll: () => 'running' },
  );
  const { loaded: known } = useLoad(() => (signal) => loadEvents(bot, signal), { poll: () => 'seldom' });
  const names = useComputed(() => eventNames(known.value.data ?? []));
  const { data } = loaded.value;
  const shown = paused.value ?? data;
  const fresh = freshIn(before, shown);
  const asked = address.value.query.get('find') ?? '';
  const events = shown?.items.filter((event) => isFound(event, names.value, asked)) ?? [];
  const last = new Set(paused.value?.items.map(({ id }) => id));
  const wait = paused.value === null ? 0 : (data?.items.filter(({ id }) => !last.has(id)).length ?? 0);
  return (
    <>
      <Head
        title={words.title}
        lead={words.lead}
        status={
          <Pill kind={paused.value === null ? 'good' : 'warn'}>
            {paused.value === null ? words.running : waiting(wait, MOST)}
          </Pill>
        }
      >
        <button
          type="button"
          class="btn"
          data-key=" "
          aria-pressed={paused.value !== null}
          disabled={data === undefined}
          onClick={() => {
            paused.value = paused.value === null ? (data ?? null) : null;
          }}
        >
          <Icon name={paused.value === null ? 'pause' : 'live'} /> {paused.value === null ? words.pause : words.goOn}{' '}
          <kbd class="kbd">Space</kbd>
        </button>
      </Head>
      <div class="cols aside">
        <Card
          id="feed"
          title={words.events}
          flush={shown !== undefined}
          busy={data === undefined && loaded.value.loading}
          actions={
            <div class="with-icon find">
              <Icon name="search" />
              <input
                class="input"
                type="search"
                aria-label={findLabel}
                placeholder={words.find}
                value={asked}
                onInput={({ currentTarget }) => go(here({ find: currentTarget.value }), { replace: true })}
              />
            </div>
          }
          footer={
            shown !== undefined && (
              <>
                <span>{words.last(number(MOST))}</span>
                <a
                  class="btn quiet small"
                  href={href('/reports', {
                    bot,
                    report: JSON.stringify({ type: 'list', chart: 'list', period: 'today' }),
                  })}
                >
                  <Icon name="report" /> {words.older}
                </a>
              </>
            )
          }
        >
          <Pending loaded={loaded.value} retry={reload} />
          {shown?.items.length === 0 && <FirstEvent bot={bot} />}
          {shown !== undefined && shown.items.length > 0 && (
            <Feed bot={bot} events={events} names={names.value} fresh={fresh} />
          )}
        </Card>
        <BotErrors bot={bot} />
      </div>
    </>
  );
}

/** The ids that the answer before did not have; of the first answer none. */
function freshIn(
  before: { current: ReadonlySet<string> | null },
  shown: LatestEvents | undefined,
): ReadonlySet<string> {
  if (shown === undefined) return new Set();
  const ids = new Set(shown.items.map(({ id }) => id));
  const { current } = before;
  before.current = ids;
  return new Set(current === null ? [] : [...ids].filter((id) => !current.has(id)));
}
