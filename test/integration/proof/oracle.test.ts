import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { intakeStream } from '../../../src/domain/streams.ts';
import { parseCheckpoint } from '../../../src/proof/checkpoint-text.ts';
import { parseNote } from '../../../src/proof/signed-note.ts';
import { tileTree } from '../../../src/proof/tile-tree.ts';
import { OUTPUT_TREE, storedTiles } from '../../../src/queries/proof/stored-trees.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { newCommit } from '../../support/log.ts';
import { memoryLog } from '../../support/memory-log.ts';
import { type ProofFollower, proofFollower } from '../../support/proof-follower.ts';
import { ROOT } from '../../support/source-files.ts';

/** Checks checkpoints and proofs with the libraries of Go's checksum database and of transparency-dev. */

const CHECKPOINTS = 5;
const folder = mkdtempSync(join(tmpdir(), 'oracle-'));
const program = join(folder, 'oracle');
const built = spawnSync('go', ['build', '-o', program, '.'], {
  cwd: join(ROOT, 'test/proof-oracle'),
  encoding: 'utf8',
});
if (built.status !== 0)
  console.warn(
    `NO ORACLE: Go or its modules are missing, so no other library checks the proofs. ${built.stderr ?? ''}`,
  );
afterAll(() => rmSync(folder, { recursive: true }));

describe.skipIf(built.status !== 0)('the oracle in Go', () => {
  let database: TestDatabase;
  let follower: ProofFollower;
  let checkpoints: { entry: string; note: string }[];
  beforeAll(async () => {
    database = await createTestDatabase();
    follower = await proofFollower(database);
    const log = memoryLog();
    const stop = follower.start(log);
    for (let size = 1; size <= CHECKPOINTS; size++) {
      await log.append(newCommit(intakeStream('b1')));
      await follower.checkpointOver(log);
    }
    await stop();
    checkpoints = (await database.pool.query('SELECT entry, note FROM proof.checkpoints ORDER BY n')).rows;
  });
  afterAll(async () => {
    await follower.close();
    await database.drop();
  });

  /** A question about entry `index` and the tree of `oldSize` entries. */
  async function question(index: number, oldSize: number) {
    const size = checkpoints.length;
    const tree = tileTree(storedTiles(database.pool, OUTPUT_TREE));
    const base64 = (hashes: readonly Uint8Array[]) => hashes.map((hash) => Buffer.from(hash).toString('base64'));
    const old = parseCheckpoint(parseNote(checkpoints[oldSize - 1]!.note)!.text)!;
    return {
      Origin: follower.keys.origin,
      VerifierKey: follower.keys.signers[0]!.verifierKey,
      Note: checkpoints.at(-1)!.note,
      Entry: Buffer.from(checkpoints[index]!.entry).toString('base64'),
      Index: index,
      Inclusion: base64(await tree.inclusion(index, size)),
      OldSize: oldSize,
      OldRoot: Buffer.from(old.root).toString('base64'),
      Consistency: base64(await tree.consistency(oldSize, size)),
    };
  }
  const ask = (asked: object) => spawnSync(program, { input: JSON.stringify(asked), encoding: 'utf8' });

  it('takes each entry and each earlier checkpoint', async () => {
    expect(checkpoints).toHaveLength(CHECKPOINTS);
    for (let n = 0; n < CHECKPOINTS; n++) {
      const { status, stderr } = ask(await question(n, n + 1));
      expect(stderr).toBe('');
      expect(status).toBe(0);
    }
  });

  it('refuses another entry, another earlier root and another key', async () => {
    const asked = await question(1, 3);
    const other = await question(2, 2);
    expect(ask({ ...asked, Entry: other.Entry }).stderr).toMatch(/^inclusion/);
    expect(ask({ ...asked, OldRoot: other.OldRoot }).stderr).toMatch(/^consistency/);
    expect(ask({ ...asked, Note: asked.Note.replace(/\n5\n/, '\n6\n') }).status).toBe(1);
  });
});
