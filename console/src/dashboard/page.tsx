import { useSignal } from '@preact/signals';
import { type KnownEvent, loadEvents } from '../parts/catalog.ts';
import { Pending } from '../parts/failure.tsx';
import { FirstEvent } from '../parts/first-event.tsx';
import { Head } from '../parts/head.tsx';
import { Icon } from '../parts/icon.tsx';
import { useLoad } from '../parts/load.ts';
import type { Bot } from '../session.ts';
import { LatestBroadcasts } from './broadcasts.tsx';
import { TopCampaigns } from './campaigns.tsx';
import { figuresOf, keepFigures, usualFigures } from './figures.ts';
import { FiguresDrawer } from './figures-drawer.tsx';
import { ActiveUsers, Growth } from './growth.tsx';
import { nowOf } from './now.ts';
import { PeriodChoice } from './period-choice.tsx';
import { periodOfPage } from './period-of-page.ts';
import { PinnedReports } from './pinned.tsx';
import { periodText } from './span.ts';
import { Tiles } from './tiles.tsx';
import { Today } from './today.tsx';
import { words } from './words.ts';
import './dashboard.css';

const isEmpty = (events: readonly KnownEvent[]): boolean => events.every(({ count }) => count === 0);

/** How the bot does, in a period and today: each figure leads to the report or page that explains it. */
export function DashboardPage({ bot }: { readonly bot: Bot }) {
  const { loaded, reload } = useLoad(
    () => async (signal) => ({ now: await nowOf(bot, signal), events: await loadEvents(bot.resource_key, signal) }),
    { poll: ({ events }) => (isEmpty(events) ? 'still' : 'seldom') },
  );
  const { data } = loaded.value;
  if (data === undefined || isEmpty(data.events))
    return (
      <>
        <Head title={bot.name} />
        <Pending loaded={loaded.value} retry={reload} />
        {data !== undefined && <FirstEvent bot={bot.resource_key} />}
      </>
    );
  return <Filled bot={bot} {...data} />;
}

interface FilledProps {
  readonly bot: Bot;
  readonly now: Date;
  readonly events: readonly KnownEvent[];
}

function Filled({ bot, now, events }: FilledProps) {
  const isChoosing = useSignal(false);
  /** Counts the changes of the choice, which the browser keeps. */
  const changes = useSignal(0);
  const key = bot.resource_key;
  const figures = figuresOf(key, events);
  const period = periodText(periodOfPage());
  const ids = figures.map(({ id }) => id).join();
  return (
    <>
      <Head title={bot.name}>
        <PeriodChoice zone={bot.timezone} now={now} />
        <button
          type="button"
          class="btn"
          onClick={() => {
            isChoosing.value = true;
          }}
        >
          <Icon name="settings" /> {words.choose}
        </button>
      </Head>
      <Today bot={bot} figures={usualFigures(events)} />
      <Tiles key={`${ids} ${changes.value}`} bot={bot} figures={figures} />
      <div class="cards">
        <ActiveUsers key={`active ${period}`} bot={bot} />
        <Growth key={`growth ${period}`} bot={bot} />
        <TopCampaigns key={`campaigns ${period}`} bot={bot} events={events} />
        <LatestBroadcasts bot={key} />
      </div>
      <PinnedReports bot={bot} />
      {isChoosing.value && (
        <FiguresDrawer
          figures={figures}
          events={events}
          onChange={(chosen) => {
            keepFigures(key, chosen);
            changes.value++;
          }}
          onClose={() => {
            isChoosing.value = false;
          }}
        />
      )}
    </>
  );
}
