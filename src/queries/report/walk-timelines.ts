import type { RawBuilder } from 'kysely';
import type { ReportField } from '../../domain/report/fields.ts';
import type { TimelineEvent } from '../../domain/report/timeline.ts';
import type { Stream } from './snapshot.ts';
import { eventOf } from './timeline-sql.ts';

/** What is done with one user's timeline. */
export interface TimelineWalk {
  take(event: TimelineEvent): void;
  /** After the user's last event. */
  end(): void;
}

/** Reads timelines (`timelineSql`) and walks each of them with a walk of its own. Holds a batch of events, never more. */
export async function walkTimelines(
  stream: Stream,
  timelines: RawBuilder<unknown>,
  fields: readonly ReportField[],
  startUser: () => TimelineWalk,
): Promise<void> {
  let current: { readonly user: string; readonly walk: TimelineWalk } | undefined;
  await stream(timelines, (rows) => {
    for (const row of rows) {
      const [user, event] = eventOf(row, fields);
      if (current?.user !== user) {
        current?.walk.end();
        current = { user, walk: startUser() };
      }
      current.walk.take(event);
    }
  });
  current?.walk.end();
}
