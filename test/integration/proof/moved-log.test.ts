import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ANY_CATEGORIES, accountStream, CATEGORIES, intakeStream } from '../../../src/domain/streams.ts';
import { backUp, restore } from '../../../src/log/backup.ts';
import { copyLog } from '../../../src/log/copy.ts';
import type { EventLog } from '../../../src/log/port.ts';
import { openPostgresLog } from '../../../src/log/postgres/postgres-log.ts';
import { type CheckpointKeys, newCheckpointKeys, parseCheckpointKeys } from '../../../src/proof/checkpoint-keys.ts';
import { isSignedBy, parseNote, parseVerifier } from '../../../src/proof/signed-note.ts';
import type { StoredCheckpoint } from '../../../src/queries/proof/last-checkpoint.ts';
import { systemSources } from '../../../src/util/system-sources.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createEventStoreTestLog } from '../../support/eventstore-log.ts';
import { startEventStore } from '../../support/eventstore-server.ts';
import { newCommit } from '../../support/log.ts';
import { type ProofFollower, proofFollower } from '../../support/proof-follower.ts';

/** The signed history of a log continues in a copy, in a restored backup, and under a new signing key. */

const COMMITS = 30;
const copying = { categories: CATEGORIES, signal: new AbortController().signal, onProgress: () => {} };

let folder: string;
let database: TestDatabase;
let log: EventLog;
let follower: ProofFollower;
/** The last checkpoint of the log. */
let last: StoredCheckpoint;
const closing: (() => Promise<void>)[] = [];

async function openIn(opened: TestDatabase): Promise<EventLog> {
  const found = await openPostgresLog({ connectionString: opened.url, anyCategories: ANY_CATEGORIES });
  closing.push(
    () => found.close(),
    () => opened.drop(),
  );
  return found;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'moved-log-'));
  closing.push(() => rm(folder, { recursive: true }));
  database = await createTestDatabase();
  log = await openIn(database);
  follower = await proofFollower(database);
  const stop = follower.start(log);
  for (let i = 0; i < COMMITS; i++) {
    await log.append(newCommit(intakeStream('bot0'), { nonce: `n${i}` }));
    await log.append(newCommit(accountStream('bot0', i)));
  }
  await follower.checkpointOver(log);
  await stop();
  last = await follower.checkpointOver(log);
});
afterAll(async () => {
  await follower.close();
  for (const close of closing) await close();
});

/** Expects that the process makes the same checkpoint from a moved log, and the next one above it. */
async function expectContinued(moved: EventLog, where: TestDatabase): Promise<void> {
  const there = await proofFollower(where);
  const stop = there.start(moved, { CHECKPOINT_KEY: follower.keyFile });
  expect(await there.checkpointOver(moved)).toEqual(last);
  await moved.append(newCommit(intakeStream('bot0')));
  expect((await there.checkpointOver(moved)).size).toBe(last.size + 1);
  await stop();
  expect(there.errors).toEqual([]);
  await there.close();
}

it('in a copy on another engine', async () => {
  const server = await startEventStore();
  const target = await createEventStoreTestLog(server);
  const copy = await target.open({ anyCategories: ANY_CATEGORIES });
  await copyLog({ from: log, to: copy, ...copying });
  await expectContinued(copy, target.database);
  await copy.close();
  await target.destroy();
  await server.stop();
});

it('in a log that was restored from a backup', async () => {
  const file = join(folder, `${randomUUID()}.gz`);
  await backUp({ from: log, file, now: Date.now(), ...copying });
  const target = await createTestDatabase();
  const restored = await openIn(target);
  await restore({ file, to: restored, ...copying });
  await expectContinued(restored, target);
});

it('under a new signing key, after a time in which both sign', async () => {
  const lineOf = (keys: string): string => keys.split('\n').find((line) => line.startsWith('PRIVATE+KEY+'))!;
  const text = await readFile(follower.keyFile, 'utf8');
  const otherText = newCheckpointKeys('ledger.test/log', systemSources.randomBytes);
  const keyOf = (keys: string): string => (parseCheckpointKeys(keys) as CheckpointKeys).signers[0]!.verifierKey;
  const [old, young] = [keyOf(text), keyOf(otherText)];

  /** The keys that sign the next checkpoint after a restart with this file. */
  async function signersWith(keys: string): Promise<string[]> {
    await writeFile(follower.keyFile, keys);
    const stop = follower.start(log);
    await log.append(newCommit(intakeStream('bot0')));
    const { note } = await follower.checkpointOver(log);
    await stop();
    return [old, young].filter((key) => isSignedBy(parseNote(note)!, parseVerifier(key)!));
  }

  expect(await signersWith(text)).toEqual([old]);
  expect(await signersWith(text.replace(lineOf(text), `${lineOf(text)}\n${lineOf(otherText)}`))).toEqual([old, young]);
  expect(await signersWith(text.replace(lineOf(text), lineOf(otherText)))).toEqual([young]);
  expect(follower.errors).toEqual([]);
});
