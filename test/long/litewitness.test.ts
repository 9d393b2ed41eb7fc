import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askWitness } from '../../src/administration/proof/ask-witness.ts';
import { checkpointCosigned, checkpointMade } from '../../src/domain/operations/checkpoint-events.ts';
import { CHECKPOINTS_STREAM, COSIGNATURES_STREAM, intakeStream } from '../../src/domain/streams.ts';
import { checkpointText } from '../../src/proof/checkpoint-text.ts';
import { leafHash } from '../../src/proof/merkle-tree.ts';
import { signNote } from '../../src/proof/signed-note.ts';
import { tilesOf, tileTree } from '../../src/proof/tile-tree.ts';
import { parsePolicy, type WitnessPolicy } from '../../src/proof/witness-policy.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { newCommit } from '../support/log.ts';
import { type MemoryLog, memoryLog } from '../support/memory-log.ts';
import { type ProofFollower, proofFollower } from '../support/proof-follower.ts';
import { ROOT } from '../support/source-files.ts';

/** An unmodified witness of another project: litewitness of filippo.io/torchwood v0.6.1. */

const ROUNDS = 6;
const folder = mkdtempSync(join(tmpdir(), 'lw-'));
const setup = join(folder, 'setup');
const litewitness = join(folder, 'litewitness');
const module = { cwd: join(ROOT, 'test/litewitness'), encoding: 'utf8' } as const;
const builds = [
  ['build', '-o', setup, '.'],
  ['build', '-o', litewitness, 'filippo.io/torchwood/cmd/litewitness'],
].map((args) => spawnSync('go', args, module));
const isBuilt = builds.every(({ status }) => status === 0);
if (!isBuilt)
  console.warn(
    `NO LITEWITNESS: Go or its modules are missing, so no other project's witness cosigns. ${builds.map(({ stderr }) => stderr ?? '').join('')}`,
  );
afterAll(() => rmSync(folder, { recursive: true }));

describe.skipIf(!isBuilt)('litewitness', () => {
  const running: ChildProcess[] = [];
  let fingerprint: string;
  let port: number;
  let verifierKey: string;
  let database: TestDatabase;
  let follower: ProofFollower;
  let log: MemoryLog;
  let policy: string;

  beforeAll(async () => {
    const agent = spawn(setup, ['agent', join(folder, 'agent')], { stdio: ['ignore', 'pipe', 'inherit'] });
    running.push(agent);
    const [line] = (await once(agent.stdout!, 'data')) as [Buffer];
    fingerprint = line.toString().trim();
    port = await freePort();
    database = await createTestDatabase();
    follower = await proofFollower(database);
    log = memoryLog();
    await startWitness();
    const added = spawnSync(
      setup,
      ['add-log', join(folder, 'db'), follower.keys.origin, follower.keys.signers[0]!.verifierKey],
      { encoding: 'utf8' },
    );
    expect(added.stderr).toBe('');
    policy = join(folder, 'policy');
    await writeFile(policy, `witness lite ${verifierKey} http://127.0.0.1:${port}\nquorum lite\n`);
  });
  afterAll(async () => {
    await follower?.close();
    for (const child of running) child.kill('SIGKILL');
    await database?.drop();
  });

  async function freePort(): Promise<number> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const found = (server.address() as AddressInfo).port;
    server.close();
    return found;
  }

  /** @returns a function that kills it with -9 */
  async function startWitness(): Promise<() => Promise<void>> {
    const options = {
      name: 'lite.test/w',
      db: join(folder, 'db'),
      'ssh-agent': join(folder, 'agent'),
      listen: `127.0.0.1:${port}`,
      key: fingerprint,
    };
    const args = Object.entries(options).map(([name, value]) => `-${name}=${value}`);
    const child = spawn(litewitness, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    running.push(child);
    let lines = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      lines += text;
    });
    while (!lines.includes('msg=listening')) await once(child.stderr!, 'data');
    verifierKey = /vkey="?([^\s"]+)/.exec(lines)![1]!;
    kill = async () => {
      child.kill('SIGKILL');
      await once(child, 'close');
    };
    return kill;
  }
  let kill: () => Promise<void>;

  const cosigned = async (): Promise<number> => {
    const { commits } = await log.read(COSIGNATURES_STREAM);
    return commits.length === 0 ? 0 : checkpointCosigned.read(commits.at(-1)!.events[0]!).data.size;
  };
  const made = async () =>
    (await log.read(CHECKPOINTS_STREAM)).commits.map(({ events }) => checkpointMade.read(events[0]!).data);

  it('cosigns each checkpoint, through kill -9 of it and restarts of the service', async () => {
    let stop = follower.start(log, { WITNESS_POLICY: policy });
    for (let round = 0; round < ROUNDS; round++) {
      if (round % 3 === 1) await kill();
      if (round % 3 === 2) await stop();
      await log.append(newCommit(intakeStream('b1'), { nonce: `${round}` }));
      if (round % 3 === 1) await startWitness();
      if (round % 3 === 2) stop = follower.start(log, { WITNESS_POLICY: policy });
      await follower.checkpointOver(log);
      await expect.poll(async () => (await cosigned()) === (await made()).length).toBe(true);
    }
    await stop();
    expect(await cosigned()).toBeGreaterThanOrEqual(ROUNDS);
  });

  it('refuses a fork of the log', async () => {
    const entries = (await made()).map(({ entry }) => entry);
    const leaves = [...entries.with(-1, 'another last entry'), 'a new entry'].map((each) =>
      leafHash(Buffer.from(each)),
    );
    const tree = tileTree(tilesOf(leaves));
    const { origin, signers } = follower.keys;
    const noteOf = async (size: number) =>
      signNote(checkpointText({ origin, size, root: await tree.root(size) }), signers);
    const [witness] = (
      parsePolicy(`witness lite ${verifierKey} http://127.0.0.1:${port}\nquorum none`) as WitnessPolicy
    ).witnesses;
    for (const size of [entries.length, entries.length + 1]) {
      const asked = { size, note: await noteOf(size), consistency: tree.consistency };
      const answer = await askWitness(witness!, asked, 0, new AbortController().signal);
      expect(answer).toMatchObject({ type: 'contradicts', error: expect.stringMatching(/^it refuses/) });
    }
  });
});
