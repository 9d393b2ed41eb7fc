import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountStream, intakeStream } from '../../../src/domain/streams.ts';
import { EMPTY_STREAM, type EventLog, hasPassed, type StreamHead } from '../../../src/log/port.ts';
import { loadPositions } from '../../../src/processes/process-states.ts';
import { mapPartOf, mapRoot } from '../../../src/proof/account-map.ts';
import { parseCheckpoint } from '../../../src/proof/checkpoint-text.ts';
import { leafOf, NO_KEY } from '../../../src/proof/leaf.ts';
import { EMPTY_ROOT, leafHash, nodeHash, splitOf } from '../../../src/proof/merkle-tree.ts';
import { isSignedBy, parseNote, parseVerifier } from '../../../src/proof/signed-note.ts';
import { tileTree } from '../../../src/proof/tile-tree.ts';
import { lastCheckpoint, type StoredCheckpoint } from '../../../src/queries/proof/last-checkpoint.ts';
import { migrateProofSchema } from '../../../src/queries/proof/proof-schema.ts';
import { mapProof } from '../../../src/queries/proof/stored-map.ts';
import { OUTPUT_TREE, storedTiles } from '../../../src/queries/proof/stored-trees.ts';
import type { TestDatabase } from '../../support/database.ts';
import { newCommit, readAll } from '../../support/log.ts';
import { type ProofFollower, proofFollower, readDigests } from '../../support/proof-follower.ts';
import { verifyInclusion, verifyMapPath } from '../../support/verify-proofs.ts';

/** The log and its database; `anyCategories` of the log are those of the service. */
export interface LogUnderProof {
  readonly database: TestDatabase;
  readonly log: EventLog;
}

function rootOf(hashes: readonly Uint8Array[]): Uint8Array {
  if (hashes.length === 0) return EMPTY_ROOT;
  if (hashes.length === 1) return hashes[0]!;
  const split = splitOf(hashes.length);
  return nodeHash(rootOf(hashes.slice(0, split)), rootOf(hashes.slice(split)));
}

/** The promises of the process, the same on each engine. */
export function describeFollower(open: () => Promise<LogUnderProof>): void {
  let under: LogUnderProof;
  let follower: ProofFollower;
  let first: StoredCheckpoint;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    under = await open();
    follower = await proofFollower(under.database);
    const { log } = under;
    const heads = new Map<string, StreamHead>();
    for (let i = 0; i < 300; i++) {
      await Promise.all([0, 1, 2].map((bot) => log.append(newCommit(intakeStream(`bot${bot}`), { nonce: `n${i}` }))));
      const stream = accountStream(`bot${i % 3}`, 1 + (i % 20));
      const { head } = await log.append(newCommit(stream, { expected: heads.get(stream) ?? EMPTY_STREAM }));
      heads.set(stream, head!);
    }
    stop = follower.start(log);
    first = await follower.checkpointOver(log);
  });
  afterAll(() => follower.close());

  /** The trees and the map, computed from the commits. */
  async function computed(sizes: readonly number[]) {
    const digests = await readDigests(under.log);
    const accounts = new Map<string, { key: Uint8Array; revision: number; leaves: number }>();
    const trees = digests.map((commits, partition) =>
      commits.slice(0, sizes[partition]).map(({ stream, revision, digest }) => {
        if (!stream.startsWith('account-')) return leafOf(NO_KEY, revision ?? 0, digest);
        const known = accounts.get(stream) ?? { key: follower.keys.vrf.output(stream).subarray(0, 32), leaves: 0 };
        accounts.set(stream, { ...known, revision: revision!, leaves: known.leaves + 1 });
        return leafOf(known.key, revision!, digest);
      }),
    );
    const sorted = [...accounts.values()].sort((one, other) => Buffer.compare(one.key, other.key));
    return { trees, accounts, map: mapRoot(sorted.map(mapPartOf)) };
  }

  it('signs the trees and the map that the commits of the log give', async () => {
    const { entry, note, size, text } = first;
    const { trees, map, accounts } = await computed(entry.trees.map((tree) => tree.size));
    expect(entry.trees.map(({ root }) => root)).toEqual(trees.map((leaves) => rootOf(leaves.map(leafHash))));
    expect(entry.map).toEqual({ accounts: accounts.size, root: map });
    const signed = parseNote(note)!;
    expect(isSignedBy(signed, parseVerifier(follower.keys.signers[0]!.verifierKey)!)).toBe(true);
    const checkpoint = parseCheckpoint(signed.text)!;
    expect(checkpoint).toMatchObject({ origin: 'ledger.test/log', size });
    const proof = await tileTree(storedTiles(under.database.pool, OUTPUT_TREE)).inclusion(size - 1, size);
    const leaf = leafHash(Buffer.from(text));
    expect(verifyInclusion(leaf, { index: size - 1, size, root: checkpoint.root, proof })).toBe(true);
  });

  it('hashes the stored bytes, also of streams without a chain', async () => {
    const exact = (await readAll(under.log, { categories: ['account'] })).map(({ hash }) => hash!);
    const digests = (await readDigests(under.log)).flat();
    const hex = digests.map(({ digest }) => Buffer.from(digest).toString('hex'));
    expect(hex).toEqual(expect.arrayContaining(exact));
    expect(new Set(hex).size).toBe(digests.length);
    expect(digests.length).toBeGreaterThanOrEqual(1200);
  });

  it('proves the last revision of each account in the map', async () => {
    const { pool } = under.database;
    for (const { key, revision, leaves } of (
      await computed(first.entry.trees.map(({ size }) => size))
    ).accounts.values()) {
      const { entry, steps } = (await mapProof(pool, key))!;
      expect(entry).toMatchObject({ revision, leaves });
      expect(verifyMapPath(entry, steps, first.entry.map.root)).toBe(true);
      expect(verifyMapPath({ ...entry, revision: revision - 1 }, steps, first.entry.map.root)).toBe(false);
    }
    expect(await mapProof(pool, follower.keys.vrf.output('account-bot1/999').subarray(0, 32))).toBeNull();
  });

  it('makes no checkpoint while only checkpoints are new, and one at its stop', async () => {
    await stop();
    stop = follower.start(under.log);
    await expect.poll(async () => (await loadPositions(under.database.pool, 'proof')).size).toBeGreaterThan(0);
    await stop();
    expect((await follower.checkpointOver(under.log)).size).toBe(first.size);
    stop = follower.start(under.log, { CHECKPOINT_SECONDS: '86400' });
    const { position } = await under.log.append(newCommit(intakeStream('bot0')));
    await expect.poll(async () => hasPassed(await loadPositions(under.database.pool, 'proof'), position)).toBe(true);
    expect((await lastCheckpoint(under.database.pool))!.size).toBe(first.size);
    await stop();
    expect((await follower.checkpointOver(under.log)).size).toBe(first.size + 1);
  });

  it('makes the same trees again from the log, and continues', async () => {
    const { pool } = under.database;
    const tables = async () =>
      Promise.all(
        ['nodes ORDER BY tree, level, n', 'map ORDER BY key', 'map_parts ORDER BY part', 'checkpoints ORDER BY n'].map(
          async (table) => (await pool.query(`SELECT * FROM proof.${table}`)).rows,
        ),
      );
    const last = await follower.checkpointOver(under.log);
    const before = await tables();
    await pool.query('DROP SCHEMA proof CASCADE');
    await migrateProofSchema(pool);
    stop = follower.start(under.log);
    expect(await follower.checkpointOver(under.log)).toEqual(last);
    await expect.poll(tables).toEqual(before);
    await under.log.append(newCommit(intakeStream('bot0')));
    expect((await follower.checkpointOver(under.log)).size).toBe(last.size + 1);
    await stop();
    expect(follower.errors).toEqual([]);
  });
}
