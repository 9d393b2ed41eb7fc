import { DuckDBInstance } from '@duckdb/node-api';
import { Session } from 'chdb';
import type { Period } from './report-events.ts';
import type { Question } from './report-questions.ts';

/** Another database that answers the same questions. */
export interface OtherDatabase {
  readonly name: string;
  /** The rows, each an array of columns. Null: the database has no function for the question. */
  ask(question: Question, period: Period): Promise<number[][] | null>;
}

interface Files {
  readonly events: string;
  readonly users: string;
}

const EVENTS = 'name, user, time, value, category, utm, text';

export async function clickHouse(folder: string, { events, users }: Files): Promise<OtherDatabase> {
  const session = new Session(`${folder}/clickhouse`);
  const run = (sql: string) => session.query(sql, 'JSONCompactEachRow');
  run('CREATE DATABASE bench');
  run(`CREATE TABLE bench.events (name UInt32, user UInt64, time UInt64, value Nullable(Decimal(18, 6)),
         category LowCardinality(Nullable(String)), utm UInt32,
         text LowCardinality(Nullable(String))) ENGINE = MergeTree ORDER BY (name, user, time)`);
  run(`INSERT INTO bench.events SELECT ${EVENTS} FROM file('${events}', 'TSV',
         'name UInt32, user UInt64, time UInt64, value Nullable(Decimal(18, 6)), category Nullable(String), utm UInt32, text Nullable(String)')`);
  run('OPTIMIZE TABLE bench.events FINAL');
  run(
    'CREATE TABLE bench.users (user UInt64, premium UInt8, language LowCardinality(String), first_name String) ENGINE = MergeTree ORDER BY user',
  );
  run(
    `INSERT INTO bench.users SELECT * FROM file('${users}', 'TSV', 'user UInt64, premium UInt8, language String, first_name String')`,
  );
  return {
    name: 'ClickHouse',
    async ask({ sql, funnel }, { from, to }) {
      const inPeriod = `time >= ${from} AND time < ${to}`;
      const text = run(
        funnel === undefined
          ? sql!({
              events: 'bench.events',
              users: 'bench.users',
              inPeriod,
              day: 'intDiv(time, 86400000)',
              median: 'quantileExactInclusive(0.5)',
              double: 'toFloat64',
              uniq: 'uniqExact(user)',
            })
          : `SELECT level, count() FROM (
               SELECT user, windowFunnel(1209600000)(time, ${funnel.map((name) => `name = ${name}`).join()}) AS level
                 FROM bench.events WHERE ${inPeriod} AND name IN (${funnel.join()}) GROUP BY user)
              WHERE level > 0 GROUP BY level ORDER BY level`,
      );
      return rowsOf(String(text));
    },
  };
}

function rowsOf(text: string): number[][] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as unknown[]).map(Number));
}

export async function duckDb({ events, users }: Files): Promise<OtherDatabase> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run('CREATE MACRO to_double(x) AS CAST(x AS DOUBLE)');
  await connection.run(`CREATE TABLE events AS SELECT * FROM read_csv('${events}', delim = '\t', nullstr = '\\N', header = false,
    columns = {name: 'INTEGER', user: 'BIGINT', time: 'BIGINT', value: 'DECIMAL(18,6)', category: 'VARCHAR', utm: 'INTEGER', text: 'VARCHAR'})
    ORDER BY name, "user", time`);
  await connection.run(`CREATE TABLE users AS SELECT * FROM read_csv('${users}', delim = '\t', header = false,
    columns = {user: 'BIGINT', premium: 'INTEGER', language: 'VARCHAR', first_name: 'VARCHAR'})`);
  return {
    name: 'DuckDB',
    async ask({ sql }, { from, to }) {
      if (sql === undefined) return null;
      const inPeriod = `time >= ${from} AND time < ${to}`;
      const text = sql({
        events: 'events',
        users: 'users',
        inPeriod,
        day: 'time // 86400000',
        median: 'median',
        double: 'to_double',
        uniq: 'count(DISTINCT "user")',
      });
      const answer = await connection.runAndReadAll(
        text.replaceAll(/\buser\b/g, '"user"').replaceAll('""user""', '"user"'),
      );
      return answer.getRows().map((row) => row.map(Number));
    },
  };
}
