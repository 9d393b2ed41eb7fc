import { date } from '../format.ts';
import type { IconName } from '../parts/icon.tsx';
import { Pill, type PillProps } from '../parts/pill.tsx';
import type { Broadcast, Status } from './broadcast.ts';
import { words } from './words.ts';

const LOOKS: Readonly<Record<Status, readonly [kind: PillProps['kind'], icon?: IconName]>> = {
  0: [undefined, 'edit'],
  1: ['now', 'clock'],
  2: ['now'],
  3: ['good', 'check'],
  4: ['warn', 'stop'],
  5: ['bad', 'warn'],
  6: ['now'],
  7: ['now'],
  8: ['now'],
};

/** The status of a broadcast. A scheduled one says for when. */
export function StatusPill({ broadcast: { status, date_send } }: { readonly broadcast: Broadcast }) {
  const [kind, icon] = LOOKS[status];
  return (
    <Pill kind={kind} {...(icon === undefined ? {} : { icon })}>
      {words.statuses[status]}
      {status === 1 && date_send !== null && ` ${words.from(date(date_send, true))}`}
    </Pill>
  );
}
