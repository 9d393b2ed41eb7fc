import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openEmbeddedPostgres } from '../../../src/database/embedded/open-embedded-postgres.ts';
import { temporaryDataDir } from '../../support/embedded-postgres.ts';
import { longOnly } from '../../support/long-only.ts';
import { botledger } from '../../support/operate.ts';

/** A command on a DATA_DIR without a database is refused: an answer from a new database would hide a wrong DATA_DIR. */

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'botledger-missing-'));
});
afterEach(() => rm(parent, { recursive: true }));

const refused = (dataDir: string) => ({
  code: 1,
  out: '',
  err: `botledger: there is no Botledger database in DATA_DIR (${dataDir}): start the service once, or correct DATA_DIR\n`,
});

test.each([
  ['bot', 'list'],
  ['owner', 'create', '--name', 'Ann'],
  ['audit', 'verify'],
  ['log', 'copy', '--from', 'postgres', '--to', 'kafka'],
])('%s %s creates nothing and exits 1', async (...argv) => {
  const missing = join(parent, 'missing');
  expect(await botledger({ DATA_DIR: missing }, argv)).toEqual(refused(missing));
  expect(await botledger({ DATA_DIR: parent }, argv), 'a folder of something else').toEqual(refused(parent));
  expect(await readdir(parent)).toEqual([]);
});

test('a backup writes no file', async () => {
  const missing = join(parent, 'missing');
  expect(await botledger({ DATA_DIR: missing }, ['backup', join(parent, 'log.gz')])).toEqual(refused(missing));
  expect(await readdir(parent)).toEqual([]);
});

test('a file in place of DATA_DIR is named as what cannot be used', async () => {
  const file = join(parent, 'file');
  await writeFile(file, '');
  const { code, err } = await botledger({ DATA_DIR: file }, ['bot', 'list']);
  expect([code, err]).toEqual([1, expect.stringContaining(`cannot use DATA_DIR ${file}: ENOTDIR`)]);
});

longOnly('a restore fills a new DATA_DIR, from which commands then answer', async () => {
  const [source, target] = [await temporaryDataDir(), await temporaryDataDir()];
  const log = { info: () => {}, warn: () => {} };
  const database = await openEmbeddedPostgres({ dataDir: source.path, role: 'service', log, durable: false });
  const file = join(parent, 'log.gz');
  const succeeds = async (dataDir: string, ...argv: string[]): Promise<unknown> => {
    const { code, out, err } = await botledger({ DATA_DIR: dataDir }, argv);
    const notice = argv[0] === 'restore' ? expect.stringMatching(/^Payouts and broadcasts wait\. .*\n$/) : '';
    expect([code, err]).toEqual([0, notice]);
    return JSON.parse(out);
  };
  await succeeds(source.path, 'owner', 'create', '--name', 'Ann');
  await succeeds(source.path, 'backup', file);
  await database.close();

  const restored = join(target.path, 'new');
  await succeeds(restored, 'restore', file);
  expect(await succeeds(restored, 'owner', 'list')).toMatchObject([{ name: 'Ann' }]);
  await source.remove();
  await target.remove();
});
