import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { csvRecords, jsonLines } from '../../../src/cli/input-files.ts';
import { zipOf } from '../../support/zip.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'botledger-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function objectsIn(bytes: Buffer | string): Promise<unknown[]> {
  const path = join(folder, 'given');
  await writeFile(path, bytes);
  const found: unknown[] = [];
  for await (const line of jsonLines(path)) found.push('object' in line ? line.object['n'] : line.problem);
  return found.map(String);
}

const line = (n: number): string => JSON.stringify({ n });

describe('a packed file', () => {
  it('is read if it is a zip of files that are compressed by gzip, in the order of their numbers', async () => {
    const zip = zipOf({
      '7/': '',
      '7/7_2024-01-02_10#0.json.gz': gzipSync(line(3)),
      '7/7_2024-01-02_2#0.json.gz': gzipSync(`${line(1)}\n${line(2)}`),
      '7/empty.json.gz': gzipSync(''),
      '__MACOSX/7/._x.json': 'no data',
      '7/.DS_Store': 'no data',
    });
    expect(await objectsIn(zip)).toEqual(['1', '2', '3']);
  });

  it('is read if it is a zip of plain files', async () => {
    expect(await objectsIn(zipOf({ 'b.json': `${line(2)}\n`, 'a.json': `\uFEFF${line(1)}\n` }))).toEqual(['1', '2']);
  });

  it('is read if it is compressed by gzip twice', async () => {
    expect(await objectsIn(gzipSync(gzipSync(line(1))))).toEqual(['1']);
  });

  it('is read if it is a zip of one CSV', async () => {
    const path = join(folder, 'csv');
    await writeFile(path, zipOf({ 'a.csv': 'a,b\n1,2' }));
    const cells: unknown[] = [];
    for await (const record of csvRecords(path, ['a'])) cells.push([...record.cells.values()]);
    expect(cells).toEqual([['1', '2']]);
  });

  const zip = zipOf({ 'a.json': `${line(1)}\n${line(2)}\n`.repeat(100) });
  const damaged = Buffer.from(zip);
  const sumAt = zip.indexOf('504b0102', 'hex') + 16;
  damaged.writeUInt8(damaged.readUInt8(sumAt) ^ 1, sumAt);
  const tar = Buffer.alloc(1024);
  tar.write('a.json');
  tar.write('ustar', 257);
  it.each<[string, Buffer, RegExp]>([
    ['a zip that is cut off', zip.subarray(0, -30), /given: failed to read the zip: /],
    ['a zip with a wrong checksum', damaged, /given: a\.json: failed to decompress: its checksum is wrong/],
    ['an empty zip', zipOf({ 'a/': '' }), /given: the zip is empty/],
    ['a zip of several CSV files', zipOf({ 'a.csv': 'a\n1', 'b.csv': 'a\n2' }), /a\.csv is not NDJSON/],
    ['a zip within a zip', zipOf({ 'a.zip': zip }), /a\.zip is a zip within a zip: unpack it first/],
    ['a tar within gzip', gzipSync(tar), /given is a tar archive/],
    ['zstd', Buffer.from('28b52ffd0400', 'hex'), /given is compressed by zstd/],
    ['Parquet', Buffer.from('PAR1....'), /given is a Parquet file: export it as NDJSON or CSV/],
    ['UTF-16', Buffer.from('\uFEFF{"n":1}', 'utf16le'), /given is UTF-16: save it as UTF-8/],
  ])('is refused in words if it is %s', async (_, bytes, message) => {
    await expect(objectsIn(bytes)).rejects.toThrow(message);
  });
});

describe('the longest line', () => {
  const most = 1 << 20;
  const long = (bytes: number): string => `{"n":1,"p":"${'x'.repeat(bytes - '{"n":1,"p":""}'.length)}"}`;

  it.each([
    ['at the beginning', '', '\n'],
    ['at the end', `${line(1)}\n`.repeat(1000), ''],
    ['in the middle', `${line(1)}\n`.repeat(90_000), `\n${line(1)}`],
  ])('has the same length %s of the file', async (_, before, after) => {
    const lines = before.split('\n').length;
    expect((await objectsIn(`${before}${long(most)}${after}`)).length).toBeGreaterThanOrEqual(lines);
    await expect(objectsIn(`${before}${long(most + 1)}${after}`)).rejects.toThrow(
      `line ${lines} is longer than ${most} bytes`,
    );
  });
});
