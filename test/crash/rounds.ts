import type pg from 'pg';
import { expect } from 'vitest';
import { inTransaction } from '../../src/database/transaction.ts';
import { readEvent } from '../../src/domain/events.ts';
import type { EventLog } from '../../src/log/port.ts';
import { eventsReadModel } from '../../src/projections/events/read-model.ts';
import { setSearchPath } from '../../src/projections/runtime/schema.ts';
import { waitUntilProjected } from '../../src/projections/runtime/wait.ts';
import { foldIntake } from '../support/intake-fold.ts';
import { pictureOf, sorted } from '../support/intake-picture.ts';
import { readAll } from '../support/log.ts';
import { FIRST_USER, startLoad, USERS } from './load.ts';

/** A running installation whose parts can be killed. */
export interface Deployment {
  readonly address: string;
  readonly apiKey: string;
  readonly pool: pg.Pool;
  /** A door of the test's own to the log. */
  readonly log: EventLog;
  /** Kills a part with -9 and brings back what does not come back by itself. */
  readonly victims: Readonly<Record<string, () => Promise<void>>>;
  output(): string;
}

/** How long the service may take to answer again after a kill. */
const BACK_WITHIN_MS = 40_000;

/**
 * Kills a part at a random moment under load, `rounds` times, and then compares: no acknowledged event lost, none twice,
 * none that was refused, and the read model equal to a pure fold of the log.
 */
export async function crashRounds(deployment: Deployment, rounds: number): Promise<void> {
  const { address, apiKey, pool, log, victims } = deployment;
  await meetUsers(address, apiKey);
  const load = startLoad(address, apiKey);
  const names = Object.keys(victims);
  for (let round = 0; round < rounds; round++) {
    await pause(200 + Math.random() * 800);
    await victims[names[round % names.length]!]!();
    await answering(deployment);
  }
  await pause(300);
  const sent = await load.stop();

  const head = await log.head();
  expect(await waitUntilProjected(pool, eventsReadModel, head, BACK_WITHIN_MS), deployment.output()).toBe(true);
  const commits = await readAll(log, { categories: eventsReadModel.categories, to: head });
  const counts = new Map<string, number>();
  for (const commit of commits)
    for (const event of commit.events)
      for (const item of (event.data as { items?: { value_str?: string }[] }).items ?? [])
        if (item.value_str !== undefined) counts.set(item.value_str, (counts.get(item.value_str) ?? 0) + 1);

  const times = (tokens: readonly string[]) => new Set(tokens.map((token) => counts.get(token) ?? 0));
  expect(sent.acknowledged.length).toBeGreaterThan(rounds);
  expect(times(sent.acknowledged), 'acknowledged events are in the log once').toEqual(new Set([1]));
  expect(
    [...times(sent.refused)].filter((count) => count !== 0),
    'refused events are not in the log',
  ).toEqual([]);
  expect(
    [...times(sent.unknown)].filter((count) => count > 1),
    'no event is in the log twice',
  ).toEqual([]);

  const picture = await inTransaction(pool, async (tx) => {
    await setSearchPath(tx, eventsReadModel);
    return pictureOf(tx);
  });
  const fold = foldIntake(commits.map((commit) => ({ ...commit, events: commit.events.map(readEvent) })));
  expect(sorted(picture)).toEqual(sorted(fold));
  const counted = sent.acknowledged.length;
  console.log(
    `${rounds} kills (${names.join(', ')}): ${counted} acknowledged, ${sent.refused.length} refused, ${sent.unknown.length} of unknown outcome; none lost, none twice`,
  );
}

async function meetUsers(address: string, apiKey: string): Promise<void> {
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

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
