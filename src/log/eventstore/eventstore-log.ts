import { readFile } from 'node:fs/promises';
import { createPool } from '../../database/pool.ts';
import type { OpenOptions } from '../engine.ts';
import { type EventLog, LogSilentError, LogUnavailableError } from '../port.ts';
import { askForTls } from '../tls-probe.ts';
import type { GroupLimits } from '../validated/validated-appender.ts';
import { openValidatedLog, type VoidCounts } from '../validated/validated-log.ts';
import { CommitStream, checkCommitStream, StreamUnfitError } from './commit-stream.ts';
import { type EventStoreClient, isSilence, openEventStoreClient, refusedRights } from './eventstore-client.ts';
import { EventStoreKeyring } from './eventstore-keyring.ts';
import { type EventStoreAddress, parseEventStoreUrl } from './eventstore-url.ts';
import { migrations, SCHEMA } from './migrations.ts';

export interface EventStoreLogOptions extends OpenOptions {
  /** `esdb://host:port?tls=false`. */
  readonly url: string;
  /** The stream that is the log; the keyring's are named after it. Default `botledger`. */
  readonly stream?: string;
  readonly maxQueuedBytes?: number;
}

/** EventStoreDB's largest record (TFConsts.EffectiveMaxLogRecordSize: 16 MiB less 10,000 bytes), less room for our own fields. */
const MAX_COMMIT_BYTES = (16 << 20) - 10_000 - 1024;
const GROUPS: GroupLimits = {
  maxRecords: 1000,
  // Below the default limit of one append, 1 MiB (MaxAppendSize). A larger commit is sent by itself.
  maxBytes: (1 << 20) - 64 * 1024,
  // One at a time, since each append expects the revision that the one before has left.
  maxSends: 1,
};

/**
 * Opens the log on an EventStoreDB stream. Which records count is decided in validated/validity.ts.
 * @throws StreamUnfitError, ForeignIndexError, LogUnavailableError
 */
export async function openEventStoreLog(options: EventStoreLogOptions): Promise<EventLog & VoidCounts> {
  const { url, logger, stream = 'botledger', maxWaitMs = 5000 } = options;
  const client = connect(url);
  const pool = createPool({
    connectionString: options.connectionString,
    max: 8,
    name: 'log index',
    maxWaitMs,
    onError: (error) => logger.warn({ err: error, stream }, 'failed to read the index; retrying'),
  });
  const closing = new AbortController();
  const closeAll = async (): Promise<void> => {
    closing.abort();
    await client.close();
    await pool.end();
  };
  try {
    await checkCommitStream(client, stream).catch(async (error: unknown) => {
      if (error instanceof StreamUnfitError) throw error;
      const refusal = await refusalOf(error, url);
      if (refusal !== null) throw new LogUnavailableError(refusal, { cause: error });
      const Kind = isSilence(error) ? LogSilentError : LogUnavailableError;
      throw new Kind('EventStoreDB does not answer', { cause: error });
    });
    const log = await openValidatedLog({
      ...options,
      engine: 'eventstoredb',
      store: new CommitStream({ client, stream, logger, signal: closing.signal }),
      index: { pool, schema: SCHEMA, migrations, source: stream, partitions: 1 },
      keys: new EventStoreKeyring({ client, stream, maxWaitMs }),
      partitionOf: () => 0,
      maxWaitMs,
      maxCommitBytes: MAX_COMMIT_BYTES,
      groups: GROUPS,
    });
    return {
      ...log,
      async close() {
        await log.close();
        await closeAll();
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

function connect(url: string): EventStoreClient {
  try {
    return openEventStoreClient(url);
  } catch (error) {
    // The message leaves out the URL, since the URL may hold a password.
    throw new LogUnavailableError(`EventStoreDB's client does not accept the connection string`, { cause: error });
  }
}

/** Finds why a server refuses, and what to write into EVENTSTORE_URL. Null: it does not answer. @param error of the first call */
async function refusalOf(error: unknown, url: string): Promise<string | null> {
  const address = parseEventStoreUrl(url);
  const rights = refusedRights(error);
  if (rights !== null && !address.hasUser)
    return 'EventStoreDB wants a user and a password: write esdb://user:password@host:port';
  if (rights === 'unknown') return 'EventStoreDB does not accept the user or the password';
  if (rights === 'denied')
    return 'the user of EVENTSTORE_URL may not read the stream: give it read and write access, and read access to $all';
  return refusedTls(address);
}

async function refusedTls({ servers, tls, caFile }: EventStoreAddress): Promise<string | null> {
  const ca = tls && caFile !== undefined ? await readFile(caFile).catch(() => undefined) : undefined;
  for (const server of servers) {
    const at = `${server.host}:${server.port}`;
    const answer = await askForTls(server, ca);
    if (answer === 'silent') continue;
    if (!tls) {
      if (answer !== 'plain') return `the server at ${at} speaks only TLS: write tls=true`;
    } else if (answer === 'plain') return `the server at ${at} does not speak TLS: write tls=false`;
    else if (answer !== 'trusted')
      return `the certificate of ${at} is not trusted (${answer.untrusted}): write tlsCAFile=<file with the certificate of its authority>`;
  }
  return null;
}
