import { href } from '../address.ts';
import { request } from '../api.ts';
import { type Broadcast, isRunning, partsOf } from '../broadcasts/broadcast.ts';
import { StatusPill } from '../broadcasts/status-pill.tsx';
import { words as broadcastsWords } from '../broadcasts/words.ts';
import { date, number } from '../format.ts';
import { LoadedCard } from '../parts/loaded-card.tsx';
import { words } from './words.ts';

/** The last broadcasts with their outcome: those that run first. */
export function LatestBroadcasts({ bot }: { readonly bot: string }) {
  return (
    <LoadedCard
      id="broadcasts"
      title={words.broadcasts}
      link={href('/broadcasts', { bot })}
      load={(signal) =>
        request<{ items: Broadcast[] }>('/v1/broadcast/list?limit=5&orders[running]=desc', {
          bot,
          signal,
        })
      }
      poll={({ items }) => (items.some(isRunning) ? 'running' : 'still')}
    >
      {({ items }) => (
        <>
          {items.length === 0 && <p class="quiet-text">{words.noBroadcasts}</p>}
          <ul class="latest">
            {items.map((broadcast) => (
              <li key={broadcast.id}>
                <div class="row-between">
                  <a class="cut" href={href('/broadcasts', { bot, id: `${broadcast.id}` })}>
                    <bdi>{broadcast.name ?? broadcastsWords.unnamed(broadcast.id)}</bdi>
                  </a>
                  <StatusPill broadcast={broadcast} />
                </div>
                <span class="quiet-text small-text">{date(broadcast.date_create)}</span>{' '}
                {broadcast.count_recipients > 0 && <Progress broadcast={broadcast} />}
              </li>
            ))}
          </ul>
        </>
      )}
    </LoadedCard>
  );
}

function Progress({ broadcast }: { readonly broadcast: Broadcast }) {
  const all = broadcast.count_recipients;
  const parts = partsOf(broadcast);
  const attempted = all - parts.left - parts.cancelled;
  const label = broadcastsWords.progress(number(attempted), number(all));
  return (
    <>
      <progress max={all} value={attempted} aria-label={label} />
      <span class="quiet-text">
        {label}; {words.delivered(number(parts.delivered))}
      </span>
    </>
  );
}
