import { afterEach, beforeEach, expect, it } from 'vitest';
import { longOnly } from '../../support/long-only.ts';
import { operate } from '../../support/operate.ts';
import { amountsOf, newUser, type RewardProgram, rewardProgram, rewardsOf } from '../../support/reward-program.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { watchedReadModels } from '../../support/watched-read-models.ts';

/** Dead letters that are applied long after the process has read the events behind them. */

let service: TestService;
let program: RewardProgram;
/** The read models `events` and `referral` fail on commits with this text; null: on none. */
let refused: string | null;

beforeEach(async () => {
  refused = null;
  service = await startTestService({ ON_BAD_EVENT: 'dead-letter' }, undefined, undefined, models);
  program = await rewardProgram(service);
  await program.rule({ amount: '1' });
});
afterEach(() => service.stop());

const models = watchedReadModels((name, commits) => {
  if (refused === null || !['events', 'referral'].includes(name)) return;
  if (JSON.stringify(commits).includes(refused)) throw new TypeError('this commit cannot be taken');
});

const letters = (): Promise<{ id: string; projection: string }[]> =>
  operate(service.env, ['dead-letter', 'list'], models);

async function retryAll(): Promise<void> {
  refused = null;
  for (const { id } of await letters()) await operate(service.env, ['dead-letter', 'retry', id], models);
}

/** Waits for a number of rewards: while there is a dead letter, the process does not report that it is up to date. */
async function rewarded(count: number): Promise<void> {
  await expect
    .poll(async () => {
      const { rows } = await service.database.pool.query(
        `SELECT sum((SELECT count(*) FROM jsonb_array_elements(body::jsonb->'events') e
                      WHERE e->>'type' = 'reward_accrued'))::int AS n FROM log.commits WHERE stream LIKE 'account-%'`,
      );
      return rows[0].n ?? 0;
    })
    .toBe(count);
}

longOnly('an event earns once it is applied, also between two runs', async () => {
  const user_id = await program.referral(newUser());
  await service.projected();
  refused = 'poison';
  await program.send({ user_id, value_str: 'poison' });
  await program.send({ user_id });
  await rewarded(1);
  expect(await letters()).toMatchObject([{ projection: 'events' }]);
  await retryAll();
  expect(amountsOf(await rewardsOf(service, program))).toEqual(['1', '1']);

  refused = 'poison';
  await program.send({ user_id, value_str: 'poison' });
  await program.send({ user_id });
  await rewarded(3);
  await service.restart(retryAll);
  expect(amountsOf(await rewardsOf(service, program))).toEqual(['1', '1', '1', '1']);
});

it('a user whose referral is applied late earns for the referrer from then on', async () => {
  const referrer = newUser();
  const code = await program.call.codeFor(referrer);
  const user_id = newUser();
  await service.projected();
  refused = code;
  await program.call.visit(user_id, code, Date.parse('2026-01-15T10:00:00Z'));
  await program.send({ user_id });
  const other = await program.referral(newUser());
  await program.send({ user_id: other });
  await rewarded(1);
  expect(new Set((await letters()).map(({ projection }) => projection))).toEqual(new Set(['events', 'referral']));
  await retryAll();
  expect(amountsOf(await rewardsOf(service, program))).toEqual(['1', '1']);
});
