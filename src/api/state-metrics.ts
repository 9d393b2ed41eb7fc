import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { Gauge, Histogram, type Registry } from 'prom-client';
import type { ServiceState } from '../administration/service-state.ts';
import type { ProjectionStatus } from '../projections/runtime/status.ts';
import { inTime } from '../util/in-time.ts';

/** The metrics that one instance shows of itself and of the database (docs/metrics.md, decisions.md#metrics). */

export interface MeasuredState {
  readonly projections: () => Promise<readonly ProjectionStatus[]>;
  /** The oldest open write transaction of the database, if the log's readers wait for it; else null. */
  readonly horizon: () => Promise<{ pid: number; seconds: number } | null>;
  readonly state: () => Promise<ServiceState>;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

export function measureRequests(app: FastifyInstance, registry: Registry): void {
  const duration = new Histogram({
    name: 'botledger_http_request_seconds',
    help: 'Time to answer a request',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  app.addHook('onResponse', (request, reply, done) => {
    const labels = {
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: String(reply.statusCode),
    };
    duration.observe(labels, reply.elapsedTime / 1000);
    done();
  });
}

/** Whether the database answers now. */
export function measureDatabase(
  registry: Registry,
  database: () => Promise<unknown>,
  withinMs: number,
): () => Promise<void> {
  const up = new Gauge({
    name: 'botledger_database_up',
    help: '1 where the database answered within a second when this was scraped, else 0',
    registers: [registry],
  });
  return async () => {
    const answer = inTime(database(), withinMs, () => new Error('the database does not answer'));
    up.set(
      await answer.then(
        () => 1,
        () => 0,
      ),
    );
  };
}

/** The disk of DATA_DIR, asked at each scrape. */
export function measureDisk(registry: Registry, dataDir: string | null): void {
  const shown = (name: string, help: string, bytes: (disk: StatsFs) => number): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        // Without a folder there is no value: the service has its data elsewhere.
        const disk = dataDir === null ? null : await statfs(dataDir).catch(() => null);
        if (disk === null) this.remove();
        else this.set(bytes(disk));
      },
    });
  };
  shown('botledger_data_dir_free_bytes', 'Free space on the disk of DATA_DIR', ({ bavail, bsize }) => bavail * bsize);
  shown('botledger_data_dir_size_bytes', 'Size of the disk of DATA_DIR', ({ blocks, bsize }) => blocks * bsize);
}

type Labelled = Gauge<'projection' | 'version'>;

/** Gauges that are read at each scrape. While a read fails, the last values stay, and their age grows. */
export function measureState(registry: Registry, options: MeasuredState): () => Promise<void> {
  const { projections, horizon, state, now } = options;
  const registers = [registry];
  const perProjection = (name: string, help: string): Labelled =>
    new Gauge({ name, help, labelNames: ['projection', 'version'], registers });
  const events = perProjection('botledger_projection_lag_events', 'Commits of the log not read yet (an upper bound)');
  const seconds = perProjection(
    'botledger_projection_lag_seconds',
    'Age of the oldest commit not read yet, or of the oldest deferred change',
  );
  const deferredEvents = perProjection(
    'botledger_projection_deferred_events',
    'Events that were read and whose rows are still to follow, as after a change of rates (a lower bound)',
  );
  const stopped = perProjection(
    'botledger_projection_stopped',
    '1 where the projection has stopped at a bad event, or a process has failed',
  );
  const progress = perProjection(
    'botledger_projection_building_ratio',
    'Part of the log that a version has applied which is being built; absent for others',
  );
  const letters = perProjection(
    'botledger_dead_letters',
    'Commits that a version of a read model has skipped, or has stopped at',
  );
  const quarantined = perProjection(
    'botledger_quarantined_bots',
    'Bots whose commits a version of a read model does not apply now, since it could not apply one of them',
  );
  let readAt: number | null = null;
  new Gauge({
    name: 'botledger_projection_age_seconds',
    help: 'Time since the values that are read from the log and the database were read; they cannot be while one of these is down',
    registers,
    collect() {
      this.set(readAt === null ? Number.NaN : (performance.now() - readAt) / 1000);
    },
  });
  const open = new Gauge({
    name: 'botledger_log_horizon_seconds',
    help: 'Age of the oldest open write transaction of the database. It holds the readers of the log back',
    labelNames: ['pid'],
    registers,
  });
  const setOthers = otherGauges(registry, now);

  return async () => {
    const asked = performance.now();
    const [rows, oldest, found] = await Promise.all([projections(), horizon(), state()]);
    readAt = asked;
    // Versions come and go.
    for (const gauge of [events, seconds, deferredEvents, stopped, progress, letters, quarantined]) gauge.reset();
    const building = new Set(found.versions.filter(({ isBuilding }) => isBuilding).map(keyOf));
    for (const row of rows) {
      const { name, version, lag, deferred, state } = row;
      const labels = { projection: name, version: String(version) };
      events.set(labels, lag.events);
      seconds.set(labels, lag.seconds);
      deferredEvents.set(labels, deferred?.events ?? 0);
      stopped.set(labels, state === 'stopped' ? 1 : 0);
      if (building.has(keyOf(row))) progress.set(labels, partOf(found.logCommits - lag.events, found.logCommits));
    }
    for (const { name, version, deadLetters, quarantinedBots } of found.versions) {
      const labels = { projection: name, version: String(version) };
      letters.set(labels, deadLetters);
      quarantined.set(labels, quarantinedBots);
    }
    open.reset();
    if (oldest !== null) open.set({ pid: String(oldest.pid) }, oldest.seconds);
    setOthers(found);
  };
}

function keyOf({ name, version }: { readonly name: string; readonly version: number }): string {
  return `${name} ${version}`;
}

function partOf(done: number, all: number): number {
  return all === 0 ? 1 : Math.max(0, Math.min(1, done / all));
}

/** The log, processes, broadcasts and the last audit. */
function otherGauges(registry: Registry, now: () => number): (state: ServiceState) => void {
  const registers = [registry];
  const commits = new Gauge({ name: 'botledger_log_commits', help: 'Commits in the log, about', registers });
  const bytes = new Gauge({
    name: 'botledger_database_bytes',
    help: 'Disk space of tables and indexes by schema; log: the event log, if it is in PostgreSQL',
    labelNames: ['schema'],
    registers,
  });
  const failures = new Gauge({
    name: 'botledger_process_failures',
    help: 'Parts of the work of a process that fail now and are tried again, such as a broadcast',
    labelNames: ['process'],
    registers,
  });
  const sending = new Gauge({
    name: 'botledger_broadcasts_sending',
    help: 'Broadcasts that are being sent',
    registers,
  });
  const cap = new Gauge({
    name: 'botledger_broadcasts_cap',
    help: 'Messages a second that these broadcasts may send together, by their settings',
    registers,
  });
  const clean = new Gauge({
    name: 'botledger_audit_clean',
    help: '1 where the last audit of the whole ledger found nothing; 0: it found something, or failed; absent: there was none',
    registers,
  });
  let audit: ServiceState['audit'] = null;
  new Gauge({
    name: 'botledger_audit_age_seconds',
    help: 'Time since the last audit of the whole ledger ended; absent: there was none',
    registers,
    collect() {
      if (audit === null) this.remove();
      else this.set((now() - audit.finishedAt) / 1000);
    },
  });
  const setQuorum = quorumGauges(registers, now);
  return (state) => {
    setQuorum(state.quorum);
    commits.set(state.logCommits);
    for (const gauge of [bytes, failures]) gauge.reset();
    for (const [schema, size] of state.schemaBytes) bytes.set({ schema }, size);
    for (const [process, count] of state.processFailures) failures.set({ process }, count);
    sending.set(state.broadcasts.sending);
    cap.set(state.broadcasts.cap);
    audit = state.audit;
    if (audit === null) clean.remove();
    else clean.set(audit.outcome === 'done' ? 1 : 0);
  };
}

/** The quorum of witnesses. */
function quorumGauges(registers: Registry[], now: () => number): (state: ServiceState['quorum']) => void {
  const unwitnessed = new Gauge({
    name: 'botledger_proof_unwitnessed_checkpoints',
    help: 'Checkpoints since the last one that a quorum of witnesses has cosigned; absent: no quorum is asked for',
    registers,
  });
  let reachedAt: number | null = null;
  new Gauge({
    name: 'botledger_proof_quorum_age_seconds',
    help: 'Time since a quorum of witnesses had last cosigned a checkpoint; absent: there was none',
    registers,
    collect() {
      if (reachedAt === null) this.remove();
      else this.set((now() - reachedAt) / 1000);
    },
  });
  return (state) => {
    reachedAt = state?.reachedAt ?? null;
    if (state === null) unwitnessed.remove();
    else unwitnessed.set(state.unwitnessed);
  };
}
