import type pg from 'pg';
import { expect } from 'vitest';
import { inTransaction } from '../../src/database/transaction.ts';
import { readEvent } from '../../src/domain/ledger-events.ts';
import { type Cursor, type EventLog, hasPassedAll, type RecordedCommit } from '../../src/log/port.ts';
import { eventsReadModel } from '../../src/projections/events/read-model.ts';
import { setSearchPath } from '../../src/projections/runtime/versions.ts';
import { servedProgress, waitForReadModels } from '../../src/projections/runtime/wait-for-read-models.ts';
import { pause } from '../../src/util/pause.ts';
import { eventsSnapshot, sorted } from '../support/events-snapshot.ts';
import { foldIntake } from '../support/intake-fold.ts';
import { readAll } from '../support/log.ts';
import { firstSchema } from '../support/read-model-tables.ts';
import { readModels } from '../support/read-models.ts';
import { replayAll, rowsOf } from '../support/replay.ts';
import { FIRST_USER, type Outcomes, startLoad, tokensOf, USERS } from './load.ts';
import { random } from './random.ts';

/** A running installation whose parts can be killed. */
export interface Deployment {
  readonly address: string;
  readonly apiKey: string;
  readonly pool: pg.Pool;
  /** The test's own handle on the log. */
  readonly log: EventLog;
  /** Functions that kill a part with -9, and restart it if it does not restart by itself. */
  readonly victims: Readonly<Record<string, () => Promise<void>>>;
  output(): string;
}

/** How long the service may take to answer again after a kill. */
const BACK_WITHIN_MS = 60_000;

/**
 * Kills a part at a random moment under load, one round for each of `kills`. Expects that no acknowledged event is lost
 * or stored twice, that no refused event is stored, and that the read models equal a pure fold of the log.
 */
export async function crashRounds(deployment: Deployment, kills: readonly string[]): Promise<void> {
  const { address, apiKey, victims } = deployment;
  await meetUsers(address, apiKey);
  const load = startLoad(address, apiKey);
  for (const victim of kills) {
    await pause(200 + random() * 800);
    await victims[victim]!();
    await answering(deployment);
  }
  await pause(300);
  const sent = await load.stop();
  const commits = await settled(deployment);
  expect(sent.acknowledged.length).toBeGreaterThan(kills.length);
  expectOnce(commits, sent);
  await expectFolded(deployment, commits);
  const { acknowledged, refused, unknown } = sent;
  console.log(
    `kill -9 of ${kills.join(', ')}: ${acknowledged.length} acknowledged, ${refused.length} refused, ${unknown.length} of unknown outcome; none lost, none stored twice`,
  );
}

const shuffled = (names: readonly string[]): string[] =>
  names
    .map((name) => ({ name, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ name }) => name);

/** `count` names in random order, each equally often. */
export function drawn(names: readonly string[], count: number): string[] {
  const all: string[] = [];
  while (all.length < count) all.push(...shuffled(names));
  return all.slice(0, count);
}

/** All commits of the log, once no more elements of unknown outcome arrive and every read model has applied all. */
export async function settled({
  pool,
  log,
  output,
}: Pick<Deployment, 'pool' | 'log' | 'output'>): Promise<readonly RecordedCommit[]> {
  for (;;) {
    const head = await log.endCursor();
    for (const model of readModels)
      if (!(await waitForReadModels([servedProgress(pool, model)], head, { timeoutMs: BACK_WITHIN_MS })))
        throw new Error(`${model.name} does not catch up\n${output().slice(-20_000)}`);
    const categories = [...new Set(readModels.flatMap((model) => model.categories))];
    const commits = await readAll(log, { categories, to: head });
    if (isAt(await log.endCursor(), head)) return commits;
  }
}

function isAt(head: Cursor, other: Cursor): boolean {
  return hasPassedAll(head, other) && hasPassedAll(other, head);
}

/** Expects acknowledged elements in the log once, refused ones never, and elements of unknown outcome at most once. */
export function expectOnce(commits: readonly RecordedCommit[], sent: Outcomes): void {
  const counts = new Map<string, number>();
  for (const token of commits.flatMap(({ events }) => events.flatMap(tokensOf)))
    counts.set(token, (counts.get(token) ?? 0) + 1);
  const notOf = (allowed: readonly number[], tokens: readonly string[]) =>
    tokens.filter((token) => !allowed.includes(counts.get(token) ?? 0));
  expect(notOf([1], sent.acknowledged), 'acknowledged, but not in the log exactly once').toEqual([]);
  expect(notOf([0], sent.refused), 'refused, but in the log').toEqual([]);
  expect(notOf([0, 1], sent.unknown), 'in the log more than once').toEqual([]);
}

/** Expects the rows of a replay into an empty database; the rows of intake must also equal the simple fold. */
export async function expectFolded(
  { pool, log }: Pick<Deployment, 'pool' | 'log'>,
  commits: readonly RecordedCommit[],
): Promise<void> {
  const snapshot = await inTransaction(pool, async (tx) => {
    await setSearchPath(tx, firstSchema(eventsReadModel));
    return eventsSnapshot(tx);
  });
  const fold = foldIntake(commits.map((commit) => ({ ...commit, events: commit.events.map(readEvent) })));
  expect(sorted(snapshot)).toEqual(sorted(fold));
  const replayed = await replayAll(readModels, commits, log.keys);
  for (const model of readModels) expect(await rowsOf(pool, model), model.name).toEqual(replayed[model.name]);
}

/** Makes the users of the load known. */
export async function meetUsers(address: string, apiKey: string): Promise<void> {
  const updates = Array.from({ length: USERS }, (_, i) => {
    const id = FIRST_USER + i;
    const message = { message_id: 1, date: Math.floor(Date.now() / 1000) - 86_400, chat: { id, type: 'private' } };
    return { update: { update_id: i + 1, message: { ...message, from: { id, is_bot: false, first_name: 'U' } } } };
  });
  const response = await fetch(`${address}/v1/send-batch-update`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'api-key': apiKey },
    body: JSON.stringify(updates),
  });
  expect(response.status).toBe(200);
}

async function answering({ address, apiKey, output }: Deployment): Promise<void> {
  const deadline = performance.now() + BACK_WITHIN_MS;
  const body = JSON.stringify({ event: 'probe', user_id: FIRST_USER });
  while (performance.now() < deadline) {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', 'api-key': apiKey }, body };
    const response = await fetch(`${address}/v1/send-event`, init).catch(() => null);
    if (response?.status === 200) return;
    await pause(50);
  }
  throw new Error(`the service does not answer again within ${BACK_WITHIN_MS} ms\n${output().slice(-4000)}`);
}
