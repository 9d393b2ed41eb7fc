import { date, duration, number } from '../../format.ts';
import type { Attempt } from '../../parts/attempt.ts';
import { Confirm } from '../../parts/confirm.tsx';
import type { Loaded } from '../../parts/load.ts';
import { texts } from '../../texts.ts';
import { audienceFacts } from './audience-facts.ts';
import type { Size } from './audience-size.tsx';
import { type Draft, isPast } from './draft.ts';
import { Facts } from './facts.tsx';
import type { Names } from './names.ts';
import { words } from './words.ts';

export interface LaunchDialogProps {
  readonly draft: Draft;
  readonly zone: string;
  readonly names: Names | undefined;
  readonly size: Loaded<Size>;
  readonly attempt: Attempt;
  readonly onYes: () => Promise<void>;
  readonly onNo: () => void;
}

/** The last question before a mass send: who, how many, how long, when. */
export function LaunchDialog({ draft, zone, names, size, attempt, onYes, onNo }: LaunchDialogProps) {
  const { data } = size;
  const late = isPast(draft);
  const isLater = draft.date !== '' && !late;
  return (
    <Confirm
      question={isLater ? words.askSchedule : words.askLaunch}
      action={isLater ? words.confirmSchedule : words.confirm}
      attempt={attempt}
      onYes={onYes}
      onNo={onNo}
    >
      <Facts
        of={[
          ...audienceFacts(draft.audience, names),
          [
            words.howMany,
            data !== undefined
              ? `${number(data.count)} ${words.asOf(date(data.data_as_of))}`
              : size.loading
                ? texts.loading
                : words.notCounted,
          ],
          [
            words.howLong,
            data === undefined
              ? '–'
              : words.estimate(duration(Math.ceil(data.count / Math.max(1, Number(draft.cap) || 1)))),
          ],
          [words.when, draft.date === '' ? words.launchAtOnce : words.launchAt(date(draft.date, true), zone)],
          [
            words.variantShares,
            draft.versions.length === 1
              ? null
              : draft.versions.map(({ name, share }) => words.shareOf(name, share)).join(', '),
          ],
        ]}
      />
      {late && <p class="warning">{words.past}</p>}
    </Confirm>
  );
}
