import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Click, linksClicked } from '../../../src/domain/broadcast/clicks.ts';
import { clicksReadModel } from '../../../src/projections/clicks/read-model.ts';
import type { ReadCommit } from '../../../src/projections/read-model.ts';
import { createTestProjection, type TestProjection } from '../../support/test-projection.ts';

/** The read model of clicks against a plain fold, however commits are cut into batches and partitions interleave. */

let projection: TestProjection;
beforeAll(async () => {
  projection = await createTestProjection(clicksReadModel);
});
afterAll(() => projection?.drop());

const BOTS = ['a', 'b'];
const clicks = fc.record({
  broadcast_id: fc.constantFrom(1, 2),
  launch: fc.constantFrom(1, 2),
  place: fc.nat(3),
  link: fc.nat(1),
  at: fc.integer({ min: 1, max: 9 }),
});
const commits = fc.array(
  fc.record({ bot: fc.constantFrom(...BOTS), items: fc.array(clicks, { minLength: 1, maxLength: 4 }) }),
  { maxLength: 12 },
);

const commitOf = (bot: string, n: number, event: ReadCommit['events'][number]): ReadCommit =>
  ({
    id: String(n),
    stream: `${event.type === 'links_clicked' ? 'clicks' : 'bot'}-${bot}`,
    at: n,
    events: [event],
  }) as never;
const created = BOTS.map((bot, index) =>
  commitOf(bot, index, { type: 'bot_created', data: { public_key: bot, bot_id: index + 1 } } as never),
);

function folded(given: readonly { readonly bot: string; readonly items: readonly Click[] }[]): string[] {
  const rows = new Map<string, number[]>();
  for (const { bot, items } of given)
    for (const { broadcast_id, launch, link, place, at } of items) {
      const key = [BOTS.indexOf(bot) + 1, broadcast_id, launch, link, place].join();
      rows.set(key, [...(rows.get(key) ?? []), at]);
    }
  return [...rows].map(([key, at]) => [key, Math.min(...at), Math.max(...at), at.length].join()).sort();
}

test('rows are those of a plain fold, in any order of commits of different bots and in any batches', async () => {
  await fc.assert(
    fc.asyncProperty(
      commits,
      fc.infiniteStream(fc.integer({ min: 1, max: 4 })),
      fc.boolean(),
      async (given, sizes, turned) => {
        const all = given.map(({ bot, items }, n) =>
          commitOf(bot, n + 10, linksClicked.read(linksClicked.create({ items }))),
        );
        // Another order of the partitions: all of one bot first.
        if (turned) all.sort((x, y) => (x.stream < y.stream ? -1 : Number(x.stream > y.stream)));
        const batches: ReadCommit[][] = [created];
        for (let at = 0; at < all.length; ) {
          const size = sizes.next().value;
          batches.push(all.slice(at, at + size));
          at += size;
        }
        const rows = await projection.project(batches, async (tx) => {
          const found = await tx.query<{ row: string }>(
            "SELECT concat_ws(',', bot_id, broadcast_id, launch, link, place, first_at, last_at, clicks) AS row FROM clicks",
          );
          return found.rows.map(({ row }) => row).sort();
        });
        expect(rows).toEqual(folded(given));
      },
    ),
    { numRuns: 60 },
  );
});
