import { type KnownEvent, loadEvents } from '../parts/catalog.ts';
import { Pending } from '../parts/failure.tsx';
import { FirstEvent } from '../parts/first-event.tsx';
import { Head } from '../parts/head.tsx';
import { useLoad } from '../parts/load.ts';
import type { Bot } from '../session.ts';
import { LatestBroadcasts } from './broadcasts.tsx';
import { TopCampaigns } from './campaigns.tsx';
import { ActiveUsers, Growth } from './growth.tsx';
import { Numbers } from './numbers.tsx';
import { PinnedReports } from './pinned.tsx';

const isEmpty = (events: readonly KnownEvent[]): boolean => events.every(({ count }) => count === 0);

/** How the bot does today: each figure leads to the report or page that explains it. */
export function DashboardPage({ bot }: { readonly bot: Bot }) {
  const { loaded, reload } = useLoad(() => (signal) => loadEvents(bot.resource_key, signal), {
    poll: (events) => (isEmpty(events) ? 'still' : 'never'),
  });
  const { data: events } = loaded.value;
  return (
    <>
      <Head title={bot.name} />
      <Pending loaded={loaded.value} retry={reload} />
      {events !== undefined &&
        (isEmpty(events) ? (
          <FirstEvent bot={bot.resource_key} />
        ) : (
          <>
            <Numbers bot={bot} events={events} />
            <div class="cards">
              <Growth bot={bot} />
              <ActiveUsers bot={bot} />
              <TopCampaigns bot={bot} events={events} />
              <LatestBroadcasts bot={bot.resource_key} />
            </div>
            <PinnedReports bot={bot} />
          </>
        ))}
    </>
  );
}
