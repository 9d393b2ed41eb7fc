import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkpointMade } from '../../../src/domain/operations/checkpoint-events.ts';
import { CHECKPOINTS_STREAM } from '../../../src/domain/streams.ts';
import { newCheckpointKeys } from '../../../src/proof/checkpoint-keys.ts';
import { parseCheckpoint } from '../../../src/proof/checkpoint-text.ts';
import { leafHash } from '../../../src/proof/merkle-tree.ts';
import { parseOutputEntry } from '../../../src/proof/output-entry.ts';
import { parseNote } from '../../../src/proof/signed-note.ts';
import { tileTree } from '../../../src/proof/tile-tree.ts';
import { systemSources } from '../../../src/util/system-sources.ts';
import { startTestService, type TestBot, type TestService } from '../../support/service.ts';

let folder: string;
let service: TestService;
let bot: TestBot;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tiles-'));
  const keyFile = join(folder, 'key');
  await writeFile(keyFile, newCheckpointKeys('ledger.test/log', systemSources.randomBytes));
  service = await startTestService({ PROOF: 'on', CHECKPOINT_KEY: keyFile, CHECKPOINT_SECONDS: '1' });
  bot = await service.createBot();
  for (let i = 0; i < 300; i++) {
    const body = { event: 'a', user_id: 1 };
    expect((await service.post('/v1/send-event', [body], key())).body).toEqual({ ok: true });
  }
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

const key = () => ({ 'api-key': bot.apiKey });

async function bytesAt(path: string): Promise<Buffer> {
  const answer = await fetch(service.address + path);
  expect(answer.status, path).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/octet-stream');
  expect(answer.headers.get('cache-control')).toContain('immutable');
  return Buffer.from(await answer.arrayBuffer());
}

/** A tree as anybody reads it. */
function publicTree(prefix: string, size: number) {
  return tileTree(async (level, n) => {
    const width = Math.min(256, Math.floor(size / 256 ** level) - n * 256);
    const path = `${prefix}/tile/${level}/${String(n).padStart(3, '0')}${width < 256 ? `.p/${width}` : ''}`;
    const bytes = await bytesAt(path);
    return Array.from({ length: width }, (_, i) => bytes.subarray(i * 32, (i + 1) * 32));
  });
}

it('anybody computes the signed roots from the public tiles', async () => {
  await expect.poll(async () => (await fetch(`${service.address}/partition/0/tile/0/000`)).status).toBe(200);
  const answer = await fetch(`${service.address}/checkpoint`);
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const { size, root } = parseCheckpoint(parseNote(await answer.text())!.text)!;
  expect(Buffer.from(await publicTree('', size).root(size))).toEqual(root);

  const bundle = await bytesAt(`/tile/entries/000.p/${size}`);
  const entries: Buffer[] = [];
  for (let at = 0; at < bundle.length; at += 2 + bundle.readUInt16BE(at))
    entries.push(bundle.subarray(at + 2, at + 2 + bundle.readUInt16BE(at)));
  expect(entries).toHaveLength(size);
  const [tree] = parseOutputEntry(entries.at(-1)!.toString())!.trees;
  expect(tree!.size).toBeGreaterThan(256);
  expect(Buffer.from(await publicTree('/partition/0', tree!.size).root(tree!.size))).toEqual(tree!.root);
  const leaves = await bytesAt('/partition/0/tile/entries/000');
  const hashes = await bytesAt('/partition/0/tile/0/000');
  expect(leafHash(leaves.subarray(2, 74))).toEqual(hashes.subarray(0, 32));
});

it('answers 404 for what no checkpoint signs', async () => {
  for (const path of [
    '/tile/0/005',
    '/tile/0/000.p/255',
    '/tile/x',
    '/partition/1/tile/0/000',
    '/partition/-1/tile/0/000',
  ])
    expect((await service.get(path)).status, path).toBe(404);
});

it('has its checkpoints in the log, each new commit has a nonce, and the service makes one when it stops', async () => {
  const before = (await service.log.read(CHECKPOINTS_STREAM)).commits.length;
  await service.restart();
  const { commits } = await service.log.read(CHECKPOINTS_STREAM);
  expect(commits.length).toBeGreaterThanOrEqual(before);
  for (const { nonce, events } of commits) {
    expect(nonce).toMatch(/^[\w-]{22}$/);
    expect(parseNote(checkpointMade.read(events[0]!).data.note)).not.toBeNull();
  }
  expect(new Set(commits.map(({ nonce }) => nonce)).size).toBe(commits.length);
});
