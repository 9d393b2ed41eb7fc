import { date, duration } from '../format.ts';
import { texts } from '../texts.ts';

interface AsOfProps {
  readonly at: string;
  /** Of the bot: dates are in it. */
  readonly zone: string;
  readonly lagMs?: number;
}

/** How far the data have been counted, in which zone. */
export function AsOf({ at, zone, lagMs }: AsOfProps) {
  const lag = lagMs === undefined ? '' : ` ${texts.behind(duration(lagMs / 1000))}`;
  return (
    <span class="quiet">
      {texts.countedUpTo(`${date(at)}, ${zone}`)}
      {lag}
    </span>
  );
}
