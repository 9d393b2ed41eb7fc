import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeCommit } from '../../../src/log/commit-codec.ts';
import { allAnswers, type FilledBots } from '../../support/all-answers.ts';
import { startTestService, type TestService } from '../../support/service.ts';

/**
 * A log that version 0.1.0 wrote, with personal data in clear: `commits.ndjson` is the stored text of its commits,
 * `bots.json` its keys, `users.json` the content of its read model `users`, `answers.json` its answers.
 */
const FOLDER = join(import.meta.dirname, '../../fixtures/log-0.1.0');
const fixture = (name: string): Promise<string> => readFile(join(FOLDER, name), 'utf8');

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  for (const line of (await fixture('commits.ndjson')).trim().split('\n')) {
    const { revision, prev, ...commit } = decodeCommit(line, '0:0', 0);
    const expected = revision === null ? 'any' : { revision: revision - 1, hash: prev! };
    await service.log.append({ ...commit, expected });
  }
  await service.projected();
});
afterAll(() => service.stop());

test('is stored byte by byte, so that its hash chains stay valid', async () => {
  const { rows } = await service.database.pool.query<{ body: string }>(
    'SELECT body FROM log.commits ORDER BY txid, seq',
  );
  expect(rows.map(({ body }) => `${body}\n`).join('')).toBe(await fixture('commits.ndjson'));
});

test('gives the recorded users', async () => {
  const recorded = JSON.parse(await fixture('users.json')) as object[];
  const { rows } = await service.database.pool.query('SELECT * FROM users_v1.users ORDER BY bot_id, user_id');
  expect(rows).toMatchObject(recorded);
});

test('gives the recorded answers', async () => {
  const filled = JSON.parse(await fixture('bots.json')) as FilledBots;
  const recorded = JSON.parse(await fixture('answers.json')) as Record<string, object>;
  const answers = await allAnswers(service.address, filled);
  expect(Object.keys(recorded).length).toBeGreaterThan(5);
  for (const [name, body] of Object.entries(recorded)) expect(answers[name]?.body, name).toEqual(body);
});

test('recognises the commands that it holds', async () => {
  const commits = (await fixture('commits.ndjson'))
    .trim()
    .split('\n')
    .map((line) => decodeCommit(line, '0:0', 0));
  const stamped = commits.find(({ command }) => command !== undefined)!;
  const { stream, command, at, events } = stamped;
  const again = { id: randomUUID(), stream, expected: 'any' as const, command, at: at + 1000, events };
  expect((await service.log.append(again)).repeated).toMatchObject({ id: stamped.id, command });
});
