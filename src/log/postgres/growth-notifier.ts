import { setMaxListeners } from 'node:events';
import pg from 'pg';
import { pause } from '../../util/pause.ts';

export interface GrowthNotifierOptions {
  readonly connectionString: string;
  /** Notifies other OS processes, and queries the log end, as long as there is no connection for notifications. */
  readonly pool: pg.Pool;
  readonly onError: (error: Error) => void;
}

const CHANNEL = 'botledger_log';
/** At most one NOTIFY per this many milliseconds. */
const NOTIFY_EVERY_MS = 10;
const RECONNECT_MS = 500;
/** How often the log end is queried until the first notification: a connection pooler may pass none on. */
const POLL_MS = 500;
/**
 * How often the log end is queried after that. A lost notification delays readers by this at most, so a revocation still
 * takes effect within 2 s.
 */
const SLOW_POLL_MS = 750;
const ANSWER_WITHIN_MS = 5000;

/** Sends a notification without a wait for the disk: a crash may lose it. */
const NOTIFY = `SELECT set_config('synchronous_commit', 'off', true), pg_notify('${CHANNEL}', '')`;
const END = {
  name: 'log_end',
  text: `SELECT txid || ' ' || seq AS "end" FROM log.commits ORDER BY commits.txid DESC, commits.seq DESC LIMIT 1`,
};

/**
 * Wakes readers after an append, in this OS process at once and in others through NOTIFY.
 *
 * Sends NOTIFY after the commit, one for many appends. Inside the append's transaction it takes a global lock and cut
 * throughput to a quarter (5.9 k/s against 23.0 k/s at 32 clients). From the first wait on, one connection listens and
 * queries the log end for all waiting readers.
 */
export class GrowthNotifier {
  /** Aborts at the next append; null while no reader waits. */
  private waiting: AbortController | null = null;
  /** The connection that listens or is connecting. Null: no reader has waited yet, or a reconnect is scheduled. */
  private latest: pg.Client | null = null;
  /** The connection `latest` once it listens; null: there is none. */
  private client: pg.Client | null = null;
  private reconnect: NodeJS.Timeout | null = null;
  /** Whether notifications arrive on the connection. */
  private receives = false;
  /** Whether a notification has arrived since the last poll. */
  private received = false;
  private appendedSince = false;
  private announcing: Promise<void> | null = null;
  private polling: Promise<void> | null = null;
  private readonly closed = new AbortController();

  constructor(private readonly options: GrowthNotifierOptions) {}

  /** Wakes all readers after an append. */
  notify(): void {
    this.wake();
    this.appendedSince = true;
    this.announcing ??= this.announce();
  }

  /** A signal that aborts at the next append of any OS process. With a signal, a reader that stops waiting has nothing to undo. */
  next(): AbortSignal {
    if (this.latest === null && this.reconnect === null && !this.closed.signal.aborted) this.connect();
    this.waiting ??= newWait();
    this.polling ??= this.poll();
    return this.waiting.signal;
  }

  async close(): Promise<void> {
    this.closed.abort();
    if (this.reconnect !== null) clearTimeout(this.reconnect);
    await Promise.all([this.announcing, this.polling]);
    this.wake();
    await this.latest?.end().catch(() => {}); // also one that is still connecting, perhaps forever
  }

  private wake(): void {
    const waiters = this.waiting;
    this.waiting = null;
    waiters?.abort(GROWN);
  }

  private connect(): void {
    const { connectionString, pool, onError } = this.options;
    this.reconnect = null;
    const connecting = new pg.Client({
      connectionString,
      application_name: 'botledger log notifier',
      keepAlive: true,
      connectionTimeoutMillis: ANSWER_WITHIN_MS,
      query_timeout: ANSWER_WITHIN_MS,
    });
    const lost = (error: Error): void => this.lose(connecting, error);
    this.latest = connecting;
    connecting.on('notification', () => {
      this.receives = this.received = true;
      this.wake();
    });
    connecting.on('error', lost);
    connecting.on('end', () => lost(new Error('the connection for notifications ended')));
    connecting
      .connect()
      .then(() => connecting.query(`LISTEN ${CHANNEL}`))
      .then(() => {
        if (this.closed.signal.aborted) return connecting.end();
        this.client = connecting;
        this.wake();
        // A test by another connection: if this notification arrives, the others will.
        return pool.query(NOTIFY).catch(onError);
      })
      .catch(lost);
  }

  private lose(connection: pg.Client, error: Error): void {
    if (this.latest !== connection) return;
    this.latest = this.client = null;
    this.receives = false;
    connection.end().catch(() => {}); // it may be closed already
    if (this.closed.signal.aborted) return;
    this.options.onError(error);
    this.reconnect = setTimeout(() => this.connect(), RECONNECT_MS);
  }

  /** Notifies the other OS processes, once for all appends of an interval. */
  private async announce(): Promise<void> {
    const { pool, onError } = this.options;
    while (this.appendedSince && !this.closed.signal.aborted) {
      await pause(NOTIFY_EVERY_MS);
      this.appendedSince = false;
      await (this.client ?? pool).query(NOTIFY).catch(onError);
    }
    this.announcing = null;
  }

  /** While a reader waits, queries the log end, to find growth without a notification. */
  private async poll(): Promise<void> {
    for (let last: string | undefined; ; ) {
      await pause(this.receives ? SLOW_POLL_MS : POLL_MS, this.closed.signal);
      if (this.waiting === null || this.closed.signal.aborted) break;
      const listening = this.client;
      try {
        const { rows } = await (listening ?? this.options.pool).query<{ end: string }>(END);
        const end = rows[0]?.end ?? '';
        if (end !== last) {
          if (last !== undefined) this.receives &&= this.received;
          this.wake();
        }
        last = end;
        this.received = false;
      } catch (error) {
        if (listening === null) this.options.onError(error as Error);
        else listening.emit('error', error); // the connection no longer answers: replace it
      }
    }
    this.polling = null;
  }
}

export function openGrowthNotifier(options: GrowthNotifierOptions): GrowthNotifier {
  return new GrowthNotifier(options);
}

/** Created once: an abort without a reason creates an exception each time. */
const GROWN = new Error('the log has grown');

function newWait(): AbortController {
  const wait = new AbortController();
  setMaxListeners(0, wait.signal); // every subscription of the OS process waits for it
  return wait;
}
