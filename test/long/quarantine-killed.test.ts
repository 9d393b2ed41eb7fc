import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { pause } from '../../src/util/pause.ts';
import { random } from '../crash/random.ts';
import { appendUpdate } from '../support/append-update.ts';
import { openTestLog } from '../support/engines.ts';
import { operate } from '../support/operate.ts';
import { startTestService } from '../support/service.ts';
import { serviceProcess } from '../support/service-process.ts';

const program = fileURLToPath(new URL('../support/poisoned-service.ts', import.meta.url));
const ROUNDS = 12;
const COMMITS = 400;
const LONGEST_MS = 4000;

test('a bot that is quarantined and catches up equals a replay, though the service is killed with -9 at any moment', async () => {
  const owner = await startTestService();
  const [one, other] = [await owner.createBot(), await owner.createBot()];
  const seen: string[] = [];
  let updateId = 1;
  // `owner` stays for its database and its log: its projectors stop here.
  await owner.restart(async () => {
    const log = await openTestLog(owner.env, { mayLead: false });
    for (let round = 0; round < ROUNDS; round++) {
      const poisonAt = Math.floor(random() * COMMITS);
      for (let i = 0; i < COMMITS; i++)
        await appendUpdate(
          log,
          (i % 4 === 0 ? other : one).publicKey,
          updateId++,
          i === poisonAt ? 'poison' : undefined,
        );
      const killed = await serviceProcess(
        { ...owner.env, LOG_LEVEL: 'info', REPAIRED: random() < 0.3 ? '1' : '0' },
        { program: ['--import', 'tsx', program] },
      );
      await killed.start();
      await pause(random() * LONGEST_MS);
      await killed.kill('SIGKILL');
      const { rows } = await owner.database.pool.query<{ key: string }>('SELECT key FROM runtime.quarantines');
      seen.push(`${rows.length}`);
    }
    await log.close();
    console.log(`bots in quarantine at each kill: ${seen.join(', ')}`);
    expect(seen.some((count) => count !== '0')).toBe(true);
  });
  try {
    // The restarted service can take all commits.
    const events = async () =>
      (await operate(owner.env, ['projection', 'list'])).find(({ name }: { name: string }) => name === 'events');
    await expect.poll(events).toMatchObject({ state: 'live', quarantined: [], error: null });
    await owner.projected();
    expect(await operate(owner.env, ['dead-letter', 'list'])).toEqual([]);
    await operate(owner.env, ['projection', 'verify', 'events']);
    const { rows } = await owner.database.pool.query<{ n: number }>('SELECT count(*)::int AS n FROM events_v1.events');
    expect(rows).toEqual([{ n: ROUNDS * COMMITS }]);
  } finally {
    await owner.stop();
  }
});
