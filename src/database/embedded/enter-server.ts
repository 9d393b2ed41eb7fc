import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterPlace } from './cluster.ts';
import { EmbeddedPostgresError } from './error.ts';
import type { Log } from './log.ts';
import { findServer, type Server, startServer, stopServer } from './server.ts';
import { isRefusal, isUsed, joinServer, type Usage } from './usage.ts';

export interface EnterOptions {
  readonly password: string;
  /** Asked before each start. */
  choosePort(): Promise<number>;
  /** Whether a server that nobody uses is stopped first: its service was killed. */
  readonly replaceOrphan: boolean;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export interface Entered {
  readonly usage: Usage;
  readonly port: number;
}

/** After a kill -9 of the server its backends may live on for a while, and PostgreSQL does not start beside them. */
const RETRY_MS = 30_000;
/** A server that does not answer for so long, after a process that used it was killed, is as good as orphaned. */
export const ASK_MS = 5_000;

/** Finds or starts the server, and joins it. The caller holds the start lock. */
export async function enterServer(place: ClusterPlace, options: EnterOptions): Promise<Entered> {
  const { password, log, signal } = options;
  let giveUpAt: number | undefined;
  let replaceOrphan = options.replaceOrphan;
  for (let complaint = ''; ; ) {
    signal.throwIfAborted();
    try {
      const server = await findServer(place);
      if (server === undefined) {
        await startServer(place, await options.choosePort(), options);
        replaceOrphan = false;
      } else if (server.status === 'stopping' || (replaceOrphan && (await isOrphan(server, password)))) {
        log.warn(`stopping the PostgreSQL server (pid ${server.pid}) that an earlier run left behind`);
        await stopServer(place, server);
      } else {
        return { usage: await joinServer({ port: server.port, password }), port: server.port };
      }
    } catch (error) {
      signal.throwIfAborted();
      if (isRefusal(error)) {
        const message = `the PostgreSQL server on ${place.folder} refuses the password in ${place.dataDir}/postgres.json`;
        throw new EmbeddedPostgresError('cannot-run', message, { cause: error });
      }
      giveUpAt ??= Date.now() + RETRY_MS;
      if (Date.now() > giveUpAt) throw error;
      const message = error instanceof Error ? error.message : String(error);
      if (message !== complaint) log.warn(`${message}; trying again for up to ${RETRY_MS / 1000} s`);
      complaint = message;
      await sleep(250, undefined, { signal });
    }
  }
}

async function isOrphan({ port }: Server, password: string): Promise<boolean> {
  return (await isUsed({ port, password }, ASK_MS)) !== true;
}
