import { link, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { readEvent } from '../../../src/domain/ledger-events.ts';
import { LogUnavailableError } from '../../../src/log/port.ts';
import { eventsReadModel } from '../../../src/projections/events/read-model.ts';
import { startTestCli, type TestCli } from '../../support/cli.ts';

let cli: TestCli;
let folder: string;
let bot: string;

beforeAll(async () => {
  cli = await startTestCli();
  folder = await mkdtemp(join(tmpdir(), 'botledger-'));
  const { owner_id } = await cli.json('owner', 'create', '--name', 'Ann');
  bot = (await cli.json('bot', 'create', '--owner', String(owner_id), '--name', 'Shop')).public_key;
});
afterEach(() => {
  imported = importedCommits().length;
});
afterAll(async () => {
  await cli.close();
  await rm(folder, { recursive: true });
});

/** Commits of imports that earlier tests have appended. */
let imported = 0;
const importedCommits = () => cli.log.commits.flat().filter(({ stream }) => stream.startsWith(`import-${bot}/`));

/** The events that were appended to the log since the test began. */
function parts() {
  return importedCommits()
    .slice(imported)
    .flatMap(({ events }) => events.map(readEvent))
    .map((event) => (event.type === 'events_imported' ? event.data : null)!);
}

async function file(content: string | Buffer, name = 'given'): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

const importFile = (path: string, ...more: string[]) => cli.json('import', 'events', '--bot', bot, path, ...more);
const line = (n: number, fields: object = {}): string =>
  JSON.stringify({ event: 'order', user_id: n, date: '2024-01-02T03:04:05Z', ...fields });

describe('import events', () => {
  it('reads a file without importing it with --dry-run, and names what is wrong', async () => {
    const path = await file(`${line(1)}\n{"event":"order"}\n${line(2, { properties: { plan: 'pro' } })}\n`, 'dry');
    const refused = join(folder, 'dry-refused');
    const run = await cli.run('import', 'events', '--bot', bot, path, '--dry-run', '--refused', refused, '--json');
    expect(run).toMatchObject({ code: 0, err: expect.stringContaining('line 2: ') });
    expect(JSON.parse(run.out)).toEqual({ dry_run: true, taken: 2, refused: 1 });
    expect(await readFile(refused, 'utf8')).toContain('{\\"event\\":\\"order\\"}');
    expect(parts()).toEqual([]);
    expect(await importFile(path)).toMatchObject({ imported: 2, refused: 1 });
    const unknown = await cli.run('import', 'events', '--bot', 'nobot', path, '--dry-run');
    expect(unknown.code).not.toBe(0);
  });

  it('reads NDJSON, with all digits of a value', async () => {
    const path = await file(
      `${line(1)}\n\n{"event":"order","user_id":2,"date":"2024-01-02T03:04:05","value_num":12345678901234.5678}\n`,
    );
    expect(await importFile(path)).toEqual({ imported: 2, imported_before: 0, repeated: 0, refused: 0 });
    const date = Date.UTC(2024, 0, 2, 3, 4, 5);
    expect(parts()).toEqual([
      {
        items: [
          { event_id: expect.any(Number), user_id: 1, date },
          { event_id: expect.any(Number), user_id: 2, date, value: '12345678901234.5678' },
        ],
        line: 3,
        refused: 0,
        finished: true,
      },
    ]);
    expect(cli.changes.at(-1)).toMatchObject({ category: 'import', position: expect.any(String) });
  });

  it('counts a file once, however often it is imported, also if it has another name', async () => {
    const text = `${line(3)}\n${line(4)}\n`;
    expect(await importFile(await file(text))).toMatchObject({ imported: 2 });
    expect(await importFile(await file(text, 'again'))).toEqual({
      imported: 0,
      imported_before: 2,
      repeated: 0,
      refused: 0,
    });
    expect(parts()).toHaveLength(1);
  });

  it('refuses lines one by one, imports the others, and writes the refused ones to a file', async () => {
    const path = await file(
      [
        '{"',
        line(5),
        line(6, { user_id: 'x' }),
        line(7, { date: undefined }),
        line(8, { date: '2024-13-01T00:00' }),
      ].join('\n'),
    );
    const refused = join(folder, 'refused');
    const { code, out, err } = await cli.run('import', 'events', '--bot', bot, path, '--refused', refused);
    expect({ code, out }).toEqual({ code: 0, out: 'imported: 1\nimported_before: 0\nrepeated: 0\nrefused: 4\n' });
    expect(err).toMatch(/line 3: user_id must be the platform's id of the user, a positive integer\n/);
    const lines = (await readFile(refused, 'utf8')).trim().split('\n');
    expect(lines.map((each) => JSON.parse(each))).toEqual([
      { line: 1, problem: expect.stringMatching(/^not JSON/), text: '{"' },
      { line: 3, problem: expect.stringMatching(/^user_id/), text: line(6, { user_id: 'x' }) },
      { line: 4, problem: 'date is missing', text: line(7, { date: undefined }) },
      { line: 5, problem: expect.stringMatching(/^date must be/), text: line(8, { date: '2024-13-01T00:00' }) },
    ]);
    expect(await cli.run('import', 'events', '--bot', bot, path, '--refused', refused)).toMatchObject({
      code: 1,
      err: expect.stringContaining('exists, and is not overwritten'),
    });
    const before = await readFile(path, 'utf8');
    for (const itself of [path, join(folder, 'link')]) {
      if (itself !== path) await link(path, itself);
      expect(await cli.run('import', 'events', '--bot', bot, path, '--refused', itself)).toMatchObject({ code: 1 });
      expect(await readFile(path, 'utf8')).toBe(before);
    }
  });

  it('resumes after the last append of an import that failed', async () => {
    const path = await file(Array.from({ length: 2500 }, (_, i) => line(i + 1, { category: 'resumed' })).join('\n'));
    const append = cli.log.append.bind(cli.log);
    let appends = 0;
    const failing = vi.spyOn(cli.log, 'append').mockImplementation(async (commit) => {
      if (commit.stream.startsWith('import-') && ++appends > 1) throw new LogUnavailableError('the log is away');
      return append(commit);
    });
    const { code, err } = await cli.run('import', 'events', '--bot', bot, path);
    failing.mockRestore();
    expect({ code, err }).toEqual({ code: 1, err: 'botledger: the log is away\n' });
    expect(parts().map(({ items }) => items.length)).toEqual([1000]);
    expect(await importFile(path)).toEqual({ imported: 1500, imported_before: 1000, repeated: 0, refused: 0 });
    const users = parts().flatMap(({ items }) => items.map(({ user_id }) => user_id));
    expect(users).toEqual(Array.from({ length: 2500 }, (_, i) => i + 1));
  });

  it('reads gzip, and says when it is cut off', async () => {
    const bytes = gzipSync(Array.from({ length: 300 }, (_, i) => line(i + 1, { category: 'zip' })).join('\n'));
    expect(await importFile(await file(bytes))).toMatchObject({ imported: 300 });
    const { code, err } = await cli.run('import', 'events', '--bot', bot, await file(bytes.subarray(0, 200)));
    expect(code).toBe(1);
    expect(err).toMatch(/failed to decompress/);
  });

  it('reads CSV, and refuses a record without all cells', async () => {
    const path = await file(
      'event,user_id,date,value_num,unit\nbuy,9,2024-01-02T03:04,1999,USD\nbuy,9\r\n"b,\nuy",x,,,\nbuy,10,2024-01-02T03:04,,\n',
    );
    const refused = join(folder, 'refused of CSV');
    expect(await importFile(path, '--refused', refused)).toEqual({
      imported: 2,
      imported_before: 0,
      repeated: 0,
      refused: 2,
    });
    expect(parts()[0]!.items).toMatchObject([{ user_id: 9, value: '1999', unit: 'USD' }, { user_id: 10 }]);
    const lines = (await readFile(refused, 'utf8')).trim().split('\n');
    expect(lines.map((each) => JSON.parse(each).text)).toEqual(['buy,9', '"b,\nuy",x,,,']);
  });

  it('names each event of another system, so that overlapping exports count once', async () => {
    const properties = {
      time: 1602611311,
      distinct_id: '42',
      $insert_id: 'a1',
      $os: 'iOS',
      'Plan Type': 'pro',
      tags: ['x'],
    };
    const path = await file(JSON.stringify({ event: 'Signed up', properties }));
    const { err } = await cli.run('import', 'events', '--bot', bot, path, '--format', 'mixpanel');
    expect(err).toContain('left out 1 property: added by the other system: $os\n');
    expect(err).toContain('left out 1 property: a list or an object: tags\n');
    const [, renamed] = /property "Plan Type" is imported as (Plan_Type_[0-9a-f]{8})\n/.exec(err)!;
    expect(parts()[0]!.items).toEqual([
      {
        event_id: expect.any(Number),
        user_id: 42,
        date: 1602611311000,
        event_key: expect.stringMatching(/^mixpanel:[0-9a-f]{32}$/),
        properties: { [renamed!]: 'pro' },
      },
    ]);
  });

  it('counts each key once, within the file and with events that came before', async () => {
    const keyed = (n: number, key: string) => line(n, { event_key: key });
    const path = await file([keyed(1, 'a'), keyed(2, 'b'), keyed(1, 'a'), line(3), line(3)].join('\n'));
    expect(await importFile(path)).toEqual({ imported: 4, imported_before: 0, repeated: 1, refused: 0 });
    expect(await importFile(path)).toEqual({ imported: 0, imported_before: 4, repeated: 1, refused: 0 });
    await cli.follow(eventsReadModel);
    const next = await file([keyed(2, 'b'), keyed(4, 'c')].join('\n'));
    expect(await importFile(next)).toEqual({ imported: 1, imported_before: 0, repeated: 1, refused: 0 });
  });

  it('names the refused lines of a finished file if --refused asks for them', async () => {
    const path = await file(`${line(1, { category: 'once' })}\n{`);
    for (const imported of [1, 0]) {
      const refused = join(folder, `refused when ${imported} are imported`);
      expect(await importFile(path, '--refused', refused)).toMatchObject({ imported, refused: 1 });
      expect(JSON.parse(await readFile(refused, 'utf8'))).toMatchObject({ line: 2, text: '{' });
    }
  });

  it('succeeds when all lines are in the log, though a read model lags, also when it resumes', async () => {
    cli.stall();
    const path = await file(line(1, { category: 'lagging' }));
    for (const imported of [1, 0]) {
      const { code, out, err } = await cli.run('import', 'events', '--bot', bot, path);
      expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining(`imported: ${imported}\n`) });
      if (imported === 1) expect(err).toContain('recorded, but not in effect everywhere within 10 s\n');
    }
  });

  it('refuses a bot that does not exist and a file that is not there', async () => {
    expect((await cli.run('import', 'events', '--bot', 'nope', await file(line(1)))).err).toMatch(
      /there is no bot nope/,
    );
    expect((await cli.run('import', 'events', '--bot', bot, join(folder, 'none'))).err).toMatch(/ENOENT/);
  });
});
