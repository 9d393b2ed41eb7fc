import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { allVersions } from '../../src/projections/runtime/versions.ts';
import { pause } from '../../src/util/pause.ts';
import { random } from '../crash/random.ts';
import { allAnswers, fillService } from '../support/all-answers.ts';
import { nextRelease } from '../support/changed-read-models.ts';
import { operate } from '../support/operate.ts';
import { startTestInstance, startTestService } from '../support/service.ts';

const program = fileURLToPath(new URL('../support/next-release-command.ts', import.meta.url));
const NAMES = ['events', 'users', 'accounts'];
const ROUNDS = 20;
/** A whole run takes about 6 s, of which the start is 2 s. */
const LONGEST_MS = 8000;

test('upgrade apply that is killed with -9 at random moments resumes where it was', async () => {
  const service = await startTestService();
  const { pool } = service.database;
  try {
    const filled = await fillService(service);
    const before = await allAnswers(service.address, filled);
    const killed: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const command = spawn(process.execPath, ['--import', 'tsx', program, NAMES.join(','), 'upgrade', 'apply'], {
        env: { ...process.env, ...service.env },
        stdio: 'ignore',
      });
      const ended = once(command, 'exit');
      const done = await Promise.race([ended.then(() => true), pause(random() * LONGEST_MS).then(() => false)]);
      if (!done) command.kill('SIGKILL');
      await ended;
      const own = (await allVersions(pool)).filter(({ name, version }) => NAMES.includes(name) && version > 1);
      killed.push(own.map(({ state, verified }) => `${state}${verified ? '!' : ''}`).join(' ') || 'nothing');
      expect(await allAnswers(service.address, filled)).toEqual(before);
    }
    console.log(`killed with: ${killed.join(', ')}`);
    await operate(service.env, ['upgrade', 'apply'], nextRelease(NAMES));
    const versions = (await allVersions(pool)).filter(({ name }) => NAMES.includes(name));
    expect(versions.map(({ name, version, state }) => `${name} ${version} ${state}`)).toEqual(
      [...NAMES].sort().flatMap((name) => [`${name} 1 ready`, `${name} 2 live`]),
    );
    for (const name of NAMES) await operate(service.env, ['projection', 'verify', name], nextRelease(NAMES));
    const left = await pool.query(`SELECT FROM pg_namespace WHERE nspname LIKE '%\\_replay%'`);
    expect(left.rowCount).toBe(0);
    const next = await startTestInstance(service.env, nextRelease(NAMES));
    expect(await allAnswers(next.address, filled)).toEqual(before);
    await next.stop();
  } finally {
    await service.stop();
  }
}, 600_000);
