import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './source-files.ts';

/** The part of `chdb` that is used here: ClickHouse in this process. */
interface Session {
  query(sql: string, format?: string): string;
  cleanup(): void;
}

const BENCH = join(ROOT, 'bench/package.json');

/** Whether ClickHouse is there to test on: `npm install --prefix bench` installs it, 500 MB, on Linux and macOS. */
export const hasClickHouse = existsSync(join(ROOT, 'bench/node_modules/chdb/package.json'));
if (!hasClickHouse) console.warn('SKIPPED: tests on ClickHouse need npm install --prefix bench');

export interface ClickHouseServer {
  readonly url: string;
  /** Runs a statement without the server. Rows come as objects. */
  rows<Row>(sql: string): Row[];
  run(sql: string): void;
  /**
   * Decides over each insert: `answer` runs it and answers, `drop` breaks the connection and runs it after the result of `later`, if there
   * is one.
   */
  onInsert: () => 'answer' | { readonly later: Promise<void> | null };
  /** Resolves when every late insert has run. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** A double of ClickHouse's HTTP interface in front of real ClickHouse in this process (chdb). */
export async function startClickHouse(): Promise<ClickHouseServer> {
  const chdb = createRequire(BENCH)('chdb') as { Session: new (path: string) => Session };
  const folder = await mkdtemp(join(tmpdir(), 'botledger-clickhouse-'));
  const session = new chdb.Session(folder);
  session.query('CREATE DATABASE IF NOT EXISTS bots');
  session.query('USE bots');
  const late: Promise<void>[] = [];

  const server = createServer(async (request, response) => {
    const { searchParams } = new URL(request.url!, 'http://double');
    const body = await bodyOf(request);
    if (searchParams.get('database') !== 'bots' || request.headers.authorization === undefined)
      return response.writeHead(403).end('Code: 516. DB::Exception: Authentication failed. (AUTHENTICATION_FAILED)');
    const query = searchParams.get('query');
    const run = (): string => session.query(query === null ? body : withSettings(query, searchParams, body), 'TSV');
    if (query?.startsWith('INSERT')) {
      const what = double.onInsert();
      if (what !== 'answer') {
        if (what.later !== null) late.push(what.later.then(() => void run()));
        return request.socket.destroy();
      }
    }
    try {
      const answer = run();
      response.writeHead(200, { 'x-clickhouse-format': 'JSONEachRow' }).end(answer);
    } catch (error) {
      response.writeHead(500, { 'x-clickhouse-exception-code': '1' }).end((error as Error).message);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const double: ClickHouseServer = {
    url: `http://user:secret@127.0.0.1:${port}/bots`,
    rows: (sql) =>
      session
        .query(sql, 'JSONEachRow')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
    run: (sql) => void session.query(sql),
    onInsert: () => 'answer',
    async settled() {
      await Promise.all(late);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      session.cleanup();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return double;
}

/** A session has no parameters of a URL: the settings go into the statement. */
function withSettings(query: string, parameters: URLSearchParams, body: string): string {
  const settings = [...parameters]
    .filter(([name]) => /^(async_insert|insert_|input_format_|m(ax|in)_insert_)/.test(name))
    .map(([name, value]) => `${name} = '${value.replaceAll("'", "\\'")}'`);
  return `${query.replace(' FORMAT ', ` SETTINGS ${settings.join(', ')} FORMAT `)}\n${body}`;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
