import { setMaxListeners } from 'node:events';
import pg from 'pg';
import { pause } from '../../util/pause.ts';

/** Wakes readers after an append, in this process at once and in others through NOTIFY. */
export interface Bell {
  /** Something was appended. */
  ring(): void;
  /** Aborts at the next ring, here or elsewhere: a signal, since who stops waiting for it leaves nothing behind. */
  next(): AbortSignal;
  close(): Promise<void>;
}

export interface BellOptions {
  readonly connectionString: string;
  /** Tells the other processes, and asks where the log ends, as long as there is no connection for notifications. */
  readonly pool: pg.Pool;
  readonly onTrouble: (error: Error) => void;
}

const CHANNEL = 'botledger_log';
/** At most one NOTIFY per this many milliseconds. */
const NOTIFY_EVERY_MS = 10;
const RECONNECT_MS = 500;
/** How often it is asked whether the log has grown without a notification, until one has come: poolers pass none on. */
const LOOK_MS = 500;
/** The same once notifications come. A lost one costs this much, so that a revocation still takes effect within 2 s. */
const SLOW_LOOK_MS = 750;
const ANSWER_WITHIN_MS = 5000;

/** A notification need not outlive a crash. */
const NOTIFY = `SELECT set_config('synchronous_commit', 'off', true), pg_notify('${CHANNEL}', '')`;
const END = {
  name: 'log_end',
  text: `SELECT txid || ' ' || seq AS "end" FROM log.commits ORDER BY commits.txid DESC, commits.seq DESC LIMIT 1`,
};

/**
 * NOTIFY inside the append's transaction takes a global lock and cut throughput to a quarter (5.9 k/s against 23.0 k/s at
 * 32 clients), so it is sent after the commit, many appends to one. One connection listens, from when somebody first waits,
 * and asks where the log ends for all who do.
 */
export function openBell({ connectionString, pool, onTrouble }: BellOptions): Bell {
  /** What somebody waits for; null while nobody does. */
  let waiting: AbortController | null = null;
  /** The connection that listens, or is about to; null: none is wanted yet, or the next is made in a moment. */
  let latest: pg.Client | null = null;
  /** The same, once it listens. */
  let client: pg.Client | null = null;
  let reconnect: NodeJS.Timeout | null = null;
  /** Whether notifications come to the connection. */
  let hears = false;
  /** Whether one has come since the last look. */
  let heard = false;
  let rungSince = false;
  let announcing: Promise<void> | null = null;
  let looking: Promise<void> | null = null;
  const closed = new AbortController();

  const rung = (): void => {
    const rings = waiting;
    waiting = null;
    rings?.abort(RUNG);
  };
  const connect = (): void => {
    reconnect = null;
    const fresh = new pg.Client({
      connectionString,
      application_name: 'botledger log bell',
      keepAlive: true,
      connectionTimeoutMillis: ANSWER_WITHIN_MS,
      query_timeout: ANSWER_WITHIN_MS,
    });
    const lost = (error: Error): void => {
      if (latest !== fresh) return;
      latest = client = null;
      hears = false;
      fresh.end().catch(() => {}); // where it is lost already
      if (closed.signal.aborted) return;
      onTrouble(error);
      reconnect = setTimeout(connect, RECONNECT_MS);
    };
    latest = fresh;
    fresh.on('notification', () => {
      hears = heard = true;
      rung();
    });
    fresh.on('error', lost);
    fresh.on('end', () => lost(new Error('the connection for notifications ended')));
    fresh
      .connect()
      .then(() => fresh.query(`LISTEN ${CHANNEL}`))
      .then(() => {
        if (closed.signal.aborted) return fresh.end();
        client = fresh;
        rung();
        // From another connection: one that is passed on to this one shows that others are.
        return pool.query(NOTIFY).catch(onTrouble);
      })
      .catch(lost);
  };
  /** Tells the other processes, once for all that rang meanwhile. */
  const announce = async (): Promise<void> => {
    while (rungSince && !closed.signal.aborted) {
      await pause(NOTIFY_EVERY_MS);
      rungSince = false;
      await (client ?? pool).query(NOTIFY).catch(onTrouble);
    }
    announcing = null;
  };
  /** As long as somebody waits, looks whether there is something new of which no notification has come. */
  const look = async (): Promise<void> => {
    for (let last: string | undefined; ; ) {
      await pause(hears ? SLOW_LOOK_MS : LOOK_MS, closed.signal);
      if (waiting === null || closed.signal.aborted) break;
      const asked = client;
      try {
        const { rows } = await (asked ?? pool).query<{ end: string }>(END);
        const end = rows[0]?.end ?? '';
        if (end !== last) {
          if (last !== undefined) hears &&= heard;
          rung();
        }
        last = end;
        heard = false;
      } catch (error) {
        if (asked === null) onTrouble(error as Error);
        else asked.emit('error', error); // one that does not answer any more is given up
      }
    }
    looking = null;
  };

  return {
    ring() {
      rung();
      rungSince = true;
      announcing ??= announce();
    },
    next() {
      if (latest === null && reconnect === null && !closed.signal.aborted) connect();
      waiting ??= newRing();
      looking ??= look();
      return waiting.signal;
    },
    async close() {
      closed.abort();
      if (reconnect !== null) clearTimeout(reconnect);
      await Promise.all([announcing, looking]);
      rung();
      await latest?.end().catch(() => {}); // also one that is still being made, and may never be
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
