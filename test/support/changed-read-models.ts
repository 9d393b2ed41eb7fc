import { LogUnavailableError } from '../../src/log/port.ts';
import { keyOf } from '../../src/log/stream-name.ts';
import type { ReadModel } from '../../src/projections/read-model.ts';
import { readModels } from './read-models.ts';

/** A change of a read model that needs the history: the number of commits in each bot's log. */
export function withCounter(model: ReadModel): ReadModel {
  return {
    ...model,
    shape: model.shape + 1,
    ddl: `${model.ddl}; CREATE TABLE commits_seen (key text PRIMARY KEY, n integer NOT NULL);`,
    async apply(tx, commits) {
      await model.apply(tx, commits);
      await tx.query(
        `INSERT INTO commits_seen AS c SELECT key, count(*) FROM unnest($1::text[]) AS key GROUP BY key
         ON CONFLICT (key) DO UPDATE SET n = c.n + excluded.n`,
        [commits.map(({ stream }) => keyOf(stream))],
      );
    },
  };
}

/** While `closed`, the changed read models of a release stay where they are. */
export interface Gate {
  closed: boolean;
}

/**
 * The read models of the next release. It has changed those of these names, and knows their former shapes. A closed gate is an
 * error that ends by itself: a transaction that waited would hold the readers of the log back.
 */
export function nextRelease(names: readonly string[], gate: Gate = { closed: false }): ReadModel[] {
  return readModels.map((model) => {
    if (!names.includes(model.name)) return model;
    const changed = withCounter(model);
    return {
      ...changed,
      former: model,
      async apply(tx, commits) {
        if (gate.closed) throw new LogUnavailableError('the gate is closed');
        await changed.apply(tx, commits);
      },
    };
  });
}
