import { date, duration } from '../format.ts';
import { zoneOfPage } from '../page-bot.ts';
import { texts } from '../texts.ts';

interface AsOfProps {
  readonly at: string;
  readonly lagMs?: number;
}

/** How far the data have been counted, in which zone. */
export function AsOf({ at, lagMs }: AsOfProps) {
  const lag = lagMs === undefined ? '' : ` ${texts.behind(duration(lagMs / 1000))}`;
  return (
    <span class="quiet-text">
      {texts.countedUpTo(`${date(at)}, ${zoneOfPage()}`)}
      {lag}
    </span>
  );
}
