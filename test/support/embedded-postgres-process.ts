/**
 * An OS process that a test can kill. Opens the embedded PostgreSQL and prints messages, one JSON object a line.
 * Arguments: DATA_DIR, role. On SIGTERM or SIGINT it runs a query, as a service does that drains, and then closes.
 */
import pg from 'pg';
import { EmbeddedPostgresError } from '../../src/database/embedded/error.ts';
import { openEmbeddedPostgres } from '../../src/database/embedded/open-embedded-postgres.ts';

const [dataDir = '', role] = process.argv.slice(2);
const say = (message: object): boolean => process.stdout.write(`${JSON.stringify(message)}\n`);
const log = { info: (text: string) => say({ log: text }), warn: (text: string) => say({ log: text }) };

try {
  // Not durable, for speed: no test cuts the power.
  const options = { dataDir, role: role === 'command' ? role : 'service', log, durable: false } as const;
  const postgres = await openEmbeddedPostgres(options);
  const drain = async (): Promise<void> => {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    const { rows } = await client.query('SELECT 42 AS answer');
    await client.end();
    say({ drained: rows[0].answer });
    await postgres.close();
    say({ closed: true });
  };
  process.once('SIGTERM', drain).once('SIGINT', drain);
  say({ url: postgres.url });
} catch (error) {
  if (!(error instanceof EmbeddedPostgresError)) throw error;
  say({ refused: error.code, message: error.message });
  process.exitCode = 1;
}
