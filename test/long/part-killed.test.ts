import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pause } from '../../src/util/pause.ts';
import { random } from '../crash/random.ts';
import { appendUpdate } from '../support/append-update.ts';
import { operate } from '../support/operate.ts';
import { startTestService } from '../support/service.ts';
import { ROOT } from '../support/source-files.ts';

const NAMES = ['events', 'users'] as const;
const ROUNDS = 12;
const EVENTS = 30_000;
/** Longer than a lease lasts. */
const STOPPED_MS = 9000;

test('rebuild --bot that is killed, or stopped for longer than its lease, leaves rows as a replay has them', async () => {
  const service = await startTestService();
  const { pool } = service.database;
  const { apiKey, publicKey } = await service.createBot();
  let updateId = 0;
  let isGoing = true;
  const append = () => appendUpdate(service.log, publicKey, ++updateId, undefined);

  function begin(name: string) {
    const argv = [join(ROOT, 'bin/botledger.js'), 'projection', 'rebuild', name, '--bot', publicKey];
    const command = spawn(process.execPath, argv, { env: { ...process.env, ...service.env }, stdio: 'ignore' });
    return { command, ended: once(command, 'exit').then(([code]) => code as number | null) };
  }

  /** Runs the command to its end. @returns the time that it took, in milliseconds */
  async function rebuild(name: string): Promise<number> {
    const begun = performance.now();
    expect(await begin(name).ended).toBe(0);
    return performance.now() - begun;
  }

  /** Whether a replay has its schema. */
  const replays = async (name: string) =>
    (await pool.query(`SELECT FROM pg_namespace WHERE nspname LIKE '${name}\\_replay%'`)).rowCount !== 0;

  await append();
  for (let sent = 0; sent < EVENTS; sent += 1000) {
    const events = Array.from({ length: 1000 }, (_, i) => ({ event: `event ${i % 7}`, user_id: 7, value_num: i }));
    expect((await service.post('/v1/send-event', events, { 'api-key': apiKey })).status).toBe(200);
  }
  await service.projected();
  const traffic = (async () => {
    while (isGoing) {
      await append();
      await pause(20);
    }
  })();
  const seen: string[] = [];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const name = NAMES[(round >> 1) % NAMES.length]!;
      const wholeMs = await rebuild(name);
      const { command, ended } = begin(name);
      // The start takes about half of the time. The transaction that replaces the rows is at the end.
      await Promise.race([ended, pause(wholeMs * (0.4 + 0.6 * random()))]);
      if (round % 3 < 2) {
        command.kill('SIGKILL');
        await ended;
        seen.push(`killed ${(await replays(name)) ? 'in' : 'before or after'} the replay`);
      } else {
        command.kill('SIGSTOP');
        seen.push(`stopped ${(await replays(name)) ? 'in' : 'before or after'} the replay`);
        const other = begin(name);
        await pause(STOPPED_MS);
        command.kill('SIGCONT');
        const codes = [await ended, await other.ended];
        seen.push(`ended with ${codes.join()}`);
        // A run that lost its lease is refused.
        expect(codes.every((code) => code === 0 || code === 1)).toBe(true);
      }
      await operate(service.env, ['projection', 'verify', name]);
    }
  } finally {
    isGoing = false;
    await traffic;
  }
  console.log(seen.join(', '));
  expect(seen.some((each) => each.endsWith('in the replay'))).toBe(true);
  await service.projected();
  for (const name of NAMES) {
    const { rowCount } = await pool.query(
      `DELETE FROM ${name}_v1.${name}${name === 'events' ? ' WHERE ord % 2 = 0' : ''}`,
    );
    expect(rowCount).toBeGreaterThan(0);
    await rebuild(name);
    await operate(service.env, ['projection', 'verify', name]);
    const { rows } = await pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${name}_v1.${name}`);
    expect(rows).toEqual([{ n: name === 'users' ? 1 : EVENTS + updateId }]);
  }
  expect(await replays('%')).toBe(false);
  await service.stop();
});
