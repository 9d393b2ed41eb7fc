import { setMaxListeners } from 'node:events';
import pg from 'pg';
import { pause } from '../../pause.ts';

/** Wakes readers after an append, in this process at once and in others through NOTIFY. */
export interface Bell {
  /** Something was appended. */
  ring(): void;
  /** Aborts at the next ring, here or elsewhere: a signal, since who stops waiting for it leaves nothing behind. */
  next(): AbortSignal;
  close(): Promise<void>;
}

const CHANNEL = 'botledger_log';
/** At most one NOTIFY per this many milliseconds. */
const NOTIFY_EVERY_MS = 10;
const RECONNECT_MS = 500;

/**
 * NOTIFY inside the append's transaction takes a global lock and cut throughput to a quarter (5.9 k/s against 23.0 k/s at
 * 32 clients), so it is sent after the commit, on a connection of its own, many appends to one. A notification that is
 * lost while the connection is down only costs the readers' idle wait.
 */
export function openBell(options: { connectionString: string; onTrouble: (error: Error) => void }): Bell {
  /** What somebody waits for; null while nobody does. */
  let waiting: AbortController | null = null;
  let client: pg.Client | null = null;
  let reconnect: NodeJS.Timeout | null = null;
  let rungSince = false;
  let announcing: Promise<void> | null = null;
  let closed = false;

  const rung = (): void => {
    const rings = waiting;
    waiting = null;
    rings?.abort(RUNG);
  };
  const later = (error: Error): void => {
    client = null;
    if (closed || reconnect !== null) return;
    options.onTrouble(error);
    reconnect = setTimeout(connect, RECONNECT_MS);
  };
  const connect = (): void => {
    reconnect = null;
    const fresh = new pg.Client({
      connectionString: options.connectionString,
      application_name: 'botledger log bell',
      keepAlive: true,
    });
    fresh.on('notification', rung);
    fresh.on('error', later);
    fresh.on('end', () => later(new Error('the connection for notifications ended')));
    fresh
      .connect()
      .then(() => fresh.query(`LISTEN ${CHANNEL}; SET synchronous_commit TO off`)) // a bell need not outlive a crash
      .then(() => {
        if (closed) return fresh.end();
        client = fresh;
        return rung();
      })
      .catch(later);
  };
  /** Tells the other processes, once for all that rang meanwhile. */
  const announce = async (): Promise<void> => {
    while (rungSince && !closed) {
      await pause(NOTIFY_EVERY_MS);
      rungSince = false;
      await client?.query(`NOTIFY ${CHANNEL}`).catch(later);
    }
    announcing = null;
  };
  connect();

  return {
    ring() {
      rung();
      rungSince = true;
      announcing ??= announce();
    },
    next() {
      waiting ??= newRing();
      return waiting.signal;
    },
    async close() {
      closed = true;
      if (reconnect !== null) clearTimeout(reconnect);
      await announcing;
      rung();
      await client?.end();
    },
  };
}

/** Made once: an abort without a reason makes an exception each time. */
const RUNG = new Error('the bell rang');

function newRing(): AbortController {
  const ring = new AbortController();
  setMaxListeners(0, ring.signal); // every subscription of the process waits for it
  return ring;
}
