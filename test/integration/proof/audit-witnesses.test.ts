import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { auditWitnesses } from '../../../src/administration/proof/audit-witnesses.ts';
import { checkpointCosigned, checkpointMade } from '../../../src/domain/operations/checkpoint-events.ts';
import { CHECKPOINTS_STREAM, COSIGNATURES_STREAM, intakeStream } from '../../../src/domain/streams.ts';
import type { EventLog } from '../../../src/log/port.ts';
import { checkpointText } from '../../../src/proof/checkpoint-text.ts';
import { leafHash } from '../../../src/proof/merkle-tree.ts';
import { signNote } from '../../../src/proof/signed-note.ts';
import { tilesOf, tileTree } from '../../../src/proof/tile-tree.ts';
import { parsePolicy, type WitnessPolicy } from '../../../src/proof/witness-policy.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { appendOnTop, newCommit } from '../../support/log.ts';
import { longOnly } from '../../support/long-only.ts';
import { memoryLog } from '../../support/memory-log.ts';
import { type ProofFollower, proofFollower } from '../../support/proof-follower.ts';
import { startTestWitness, type TestWitness } from '../../support/test-witness.ts';

/** A log with three checkpoints, which the witnesses alpha and beta have cosigned. */

const CHECKPOINTS = 3;
let folder: string;
let database: TestDatabase;
let follower: ProofFollower;
let witnesses: TestWitness[];
let policyText: string;
let log: EventLog;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-witnesses-'));
  database = await createTestDatabase();
  follower = await proofFollower(database);
  witnesses = [await startTestWitness('alpha', follower.keys), await startTestWitness('beta', follower.keys)];
  policyText = [...witnesses.map(({ policyLine }) => policyLine), 'quorum none', ''].join('\n');
  await writeFile(join(folder, 'policy'), policyText);
  log = memoryLog();
  const stop = follower.start(log, { WITNESS_POLICY: join(folder, 'policy') });
  for (let size = 1; size <= CHECKPOINTS; size++) {
    await log.append(newCommit(intakeStream('b1'), { nonce: `${size}` }));
    await follower.checkpointOver(log);
    await expect.poll(async () => (await log.read(COSIGNATURES_STREAM)).commits.length).toBe(2 * size);
  }
  await stop();
});
afterEach(async () => {
  await follower.close();
  for (const witness of witnesses) await witness.stop();
  await database.drop();
  await rm(folder, { recursive: true });
});

async function audit(of: EventLog): Promise<{ findings: [number, string][]; sentences: string[] }> {
  const sentences: string[] = [];
  const findings: [number, string][] = [];
  const policy = parsePolicy(policyText) as WitnessPolicy;
  const { signal } = new AbortController();
  const onWitness = (sentence: string) => void sentences.push(sentence);
  for await (const { revision, message } of auditWitnesses({ log: of, policy, signal, onWitness }))
    findings.push([revision, message]);
  return { findings, sentences };
}

/** A log with these checkpoints and cosignatures of the log. */
async function copyOf(checkpoints: number, cosignatures: number): Promise<EventLog> {
  const copy = memoryLog();
  for (const [stream, count] of [
    [CHECKPOINTS_STREAM, checkpoints],
    [COSIGNATURES_STREAM, cosignatures],
  ] as const)
    for (const { id, at, events, nonce } of (await log.read(stream)).commits.slice(0, count))
      await appendOnTop(copy, { ...newCommit(stream), id, at, events: [...events], nonce });
  return copy;
}

it('says what each witness saw last, and finds nothing in the log that they saw', async () => {
  expect(await audit(log)).toEqual({
    findings: [],
    sentences: ['witness alpha last saw checkpoint 3 of 3', 'witness beta last saw checkpoint 3 of 3'],
  });
});

longOnly('says which witness does not answer, and when it cosigned last', async () => {
  await witnesses[1]!.kill();
  const { findings, sentences } = await audit(log);
  expect(findings).toEqual([]);
  expect(sentences[1]).toMatch(
    /^witness beta did not say what it saw last \(the call failed: ECONNREFUSED\): its last cosignature in the log is of checkpoint 3, at 2\d/,
  );
});

it('finds that the log has lost checkpoints that the witnesses saw', async () => {
  const seen = 'it has seen 3 checkpoints of this log, and the log has 2';
  expect((await audit(await copyOf(2, 4))).findings).toEqual([
    [2, `witness alpha: ${seen}`],
    [2, `witness beta: ${seen}`],
  ]);
});

longOnly('finds a cosignature whose checkpoint the log has not, also without the witness', async () => {
  for (const witness of witnesses) await witness.kill();
  const { findings } = await audit(await copyOf(2, 6));
  expect(findings.map(([, message]) => message).sort()).toEqual([
    'witness alpha cosigned checkpoint 3, and the log has 2',
    'witness beta cosigned checkpoint 3, and the log has 2',
  ]);
});

/** The checkpoint with another last entry, signed by the same keys. */
async function forkedCheckpoint(): Promise<{ entry: string; note: string }> {
  const made = (await log.read(CHECKPOINTS_STREAM)).commits.map(({ events }) => checkpointMade.read(events[0]!).data);
  const entries = made.map(({ entry }) => entry);
  const entry = entries.at(-1)!.replace(/^time \d/m, 'time 9');
  const leaves = entries.with(-1, entry).map((each) => leafHash(Buffer.from(each)));
  const { origin, signers } = follower.keys;
  const root = await tileTree(tilesOf(leaves)).root(CHECKPOINTS);
  return { entry, note: signNote(checkpointText({ origin, size: CHECKPOINTS, root }), signers) };
}

longOnly('finds another history with checkpoints of the same keys', async () => {
  const other = await copyOf(2, 0);
  const fork = await forkedCheckpoint();
  await appendOnTop(other, newCommit(CHECKPOINTS_STREAM, { events: [checkpointMade.create(fork)] }));
  expect((await audit(other)).findings).toEqual([
    [3, 'witness alpha: it has seen another tree of 3 entries'],
    [3, 'witness beta: it has seen another tree of 3 entries'],
  ]);
});

longOnly('finds a cosignature that is not of its checkpoint', async () => {
  const [first] = (await log.read(COSIGNATURES_STREAM)).commits;
  const { lines } = checkpointCosigned.read(first!.events[0]!).data;
  const wrong = checkpointCosigned.create({ size: 2, lines });
  await appendOnTop(log, newCommit(COSIGNATURES_STREAM, { events: [wrong] }));
  expect((await audit(log)).findings).toEqual([
    [2, expect.stringMatching(/^a cosignature of witness (alpha|beta) is not of checkpoint 2$/)],
  ]);
});
