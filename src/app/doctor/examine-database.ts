import pg from 'pg';
import { type Finding, ok, warning, wrong } from '../../administration/finding.ts';
import type { Config } from '../../config.ts';
import { clockDifference, createClockWatch, databaseTime } from '../../database/clock-watch.ts';
import { IS_HELD } from '../../database/lease-rows.ts';
import { engineOf } from '../../log/engines.ts';
import { accountsManifest } from '../../projections/accounts/manifest.ts';
import { catalogManifest } from '../../projections/catalog/manifest.ts';
import { type Manifest, ofShape, schemaOf } from '../../projections/read-model.ts';
import { MANIFESTS } from '../../projections/registry.ts';
import { letterId, summarizeDeadLetters } from '../../projections/runtime/dead-letters.ts';
import { servedOf } from '../../projections/runtime/served-version.ts';
import { allVersions, type Version } from '../../projections/runtime/versions.ts';
import { lastAudit } from '../../queries/operations/job-list.ts';
import { failingWebhooks } from '../../queries/referral/find-deliveries.ts';
import { counted } from '../../util/counted.ts';
import type { AskedService } from './asked-service.ts';

export interface ExamineDatabaseOptions {
  readonly config: Config;
  readonly connectionString: string;
  readonly service: AskedService;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  readonly withinMs: number;
}

/** PostgreSQL 15, as docs/engines.md says. */
const LEAST_SERVER = 150_000;
const CLOCK_WARNING_MS = 2000;
const DAY_MS = 86_400_000;
const AUDIT_DAYS = 8;

/** Examines the database by a connection that cannot write. */
export async function examineDatabase(options: ExamineDatabaseOptions): Promise<Finding[]> {
  const { config, connectionString, service, withinMs } = options;
  const pool = new pg.Pool({
    connectionString,
    max: 1,
    application_name: 'botledger doctor',
    connectionTimeoutMillis: withinMs,
    query_timeout: 10 * withinMs,
    options: '-c default_transaction_read_only=on',
  });
  pool.on('error', () => {}); // the query on the connection also rejects
  try {
    const connected = await connect(pool, config, service);
    if ('state' in connected) return [connected, ...ofService(service, null)];
    return [...connected.findings, ...(await ofContent(pool, connected.hasTables, options))];
  } finally {
    await pool.end();
  }
}

interface Connected {
  readonly findings: readonly Finding[];
  /** Whether a service has started on the database. */
  readonly hasTables: boolean;
}

async function connect(pool: pg.Pool, config: Config, service: AskedService): Promise<Finding | Connected> {
  try {
    const { rows } = await pool.query<{ number: number; has_tables: boolean }>(
      `SELECT current_setting('server_version_num')::int AS number,
              to_regclass('runtime.read_models') IS NOT NULL AS has_tables`,
    );
    const { number, has_tables: hasTables } = rows[0]!;
    const what = `PostgreSQL ${Math.floor(number / 10_000)}.${number % 100} answers`;
    const findings = [
      number < LEAST_SERVER
        ? wrong('versions', what, 'move the database to PostgreSQL 15 or newer')
        : ok('database', what),
    ];
    if (!hasTables)
      findings.push(
        warning('database', 'no service has started on this database', 'check DATABASE_URL, or start the service'),
      );
    return { findings, hasTables };
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string };
    const where =
      config.DATABASE_URL === undefined ? 'the embedded PostgreSQL' : `DATABASE_URL (${placeOf(config.DATABASE_URL)})`;
    return wrong('database', `${where} cannot be used: ${message || code}`, remedyOf(code, config, service));
  }
}

/** Host and database, without user and password. */
function placeOf(url: string): string {
  const { host, pathname } = new URL(url);
  return host + pathname;
}

/** @param code SQLSTATE, or Node's code of a connection that failed */
function remedyOf(code: string, { DATABASE_URL }: Config, service: AskedService): string {
  if (/^28/.test(code)) return 'correct user and password of DATABASE_URL';
  if (/^3D/.test(code)) return 'create the database, or correct its name in DATABASE_URL';
  if (/^53/.test(code)) return 'free connections or disk of the server (max_connections)';
  if (DATABASE_URL !== undefined) return 'start PostgreSQL, or correct host and port in DATABASE_URL';
  if (service.state === 'silent') return 'start the service: it starts the database';
  return 'read the end of postgres.log in DATA_DIR; the service starts the server again by itself';
}

async function ofContent(pool: pg.Pool, hasTables: boolean, options: ExamineDatabaseOptions): Promise<Finding[]> {
  const { config, service, now } = options;
  const clock = await ofClock(pool, now);
  if (!hasTables) return [clock, ...ofService(service, false)];
  const versions = await allVersions(pool);
  return [
    clock,
    ...ofService(service, await isProjected(pool)),
    await ofLog(pool, config),
    ...(await ofReadModels(pool, versions)),
    ...(await ofProcesses(pool)),
    await ofWebhooks(pool, schemaNow(versions, accountsManifest)),
    await ofAudit(pool, schemaNow(versions, catalogManifest), now()),
  ];
}

/** @param isProjected whether an instance works on the database; null: the database does not say */
function ofService({ address, state, reason }: AskedService, isProjected: boolean | null): Finding[] {
  if (state === 'ready') return [ok('service', `${address} is ready: it has log and database`)];
  if (state === 'not ready')
    return [
      wrong(
        'service',
        `${address} is not ready: ${reason}`,
        'wait, or repair the named cause; the service recovers by itself',
      ),
    ];
  if (isProjected) return [ok('service', `no service answers at ${address}; another instance works on this database`)];
  return [
    wrong(
      'service',
      `no service answers at ${address}${isProjected === null ? '' : ', and no instance works'}`,
      'start the service',
    ),
  ];
}

/** Whether an instance follows the log with read models. */
async function isProjected(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ held: boolean }>(
    `SELECT EXISTS (SELECT FROM runtime.leases WHERE name ~ '^(projection|build) ' AND ${IS_HELD}) AS held`,
  );
  return rows[0]!.held;
}

async function ofClock(pool: pg.Pool, now: () => number): Promise<Finding> {
  const watch = createClockWatch({
    databaseTime: (asked) => databaseTime(pool, asked),
    now,
    elapsed: () => performance.now(),
  });
  await watch.measure();
  const finding = clockDifference(watch.aheadMs());
  const remedy = 'let both machines set their clocks by NTP: holds, schedules and keys go by them';
  if (watch.isWrong()) return wrong('clock', `${finding}: nothing is appended`, remedy);
  return Math.abs(watch.aheadMs()) > CLOCK_WARNING_MS ? warning('clock', finding, remedy) : ok('clock', finding);
}

async function ofLog(pool: pg.Pool, { EVENT_LOG }: Config): Promise<Finding> {
  const { rows } = await pool.query<{ engine: string }>('SELECT engine FROM runtime.source_log');
  const engine = rows[0]?.engine ?? EVENT_LOG;
  if (engine !== EVENT_LOG) {
    const remedy = `set EVENT_LOG=${engine}, or copy the log first: botledger log copy`;
    return wrong('log', `the read models follow the log on ${engine}, and EVENT_LOG is ${EVENT_LOG}`, remedy);
  }
  return ok('log', `the log is on ${engineOf(EVENT_LOG).name}`);
}

async function ofReadModels(pool: pg.Pool, versions: readonly Version[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, version, error } of versions) {
    const which = `${name} version ${version}`;
    const { count, firstError, blocking } = await summarizeDeadLetters(pool, schemaOf(name, version));
    if (error !== null) {
      const retry = blocking === null ? 'list' : `retry ${letterId(schemaOf(name, version), blocking)}`;
      const remedy = `deploy a version that can read the event, then botledger dead-letter ${retry}`;
      findings.push(wrong('read models', `${which} has stopped: ${error}`, remedy));
    } else if (count > 0)
      findings.push(
        wrong('read models', `${which} lacks ${counted(count, 'commit')}: ${firstError}`, 'botledger dead-letter list'),
      );
  }
  for (const model of MANIFESTS) findings.push(...ofTables(model, versions));
  if (findings.length > 0) return findings;
  return [ok('read models', `${counted(versions.length, 'version')}; none has stopped or lacks commits`)];
}

function ofTables({ name, shape, former }: Manifest, versions: readonly Version[]): Finding[] {
  const shapes = versions.filter((version) => version.name === name).map((version) => version.shape);
  if (shapes.includes(shape)) return [];
  if (shapes.some((each) => each > shape))
    return [wrong('versions', `a newer release has built ${name}`, 'run that release')];
  const hasFormer = former !== undefined && shapes.includes(former.shape);
  const until = hasFormer ? 'the former version answers until then' : 'else its answers wait for the build';
  const remedy = `before the new release: botledger upgrade apply; ${until}`;
  return [warning('versions', `${name} has no tables of this release; it is built at the next start`, remedy)];
}

async function ofProcesses(pool: pg.Pool): Promise<Finding[]> {
  const { rows: exists } = await pool.query<{ found: boolean }>(
    `SELECT to_regclass('processes.failures') IS NOT NULL AS found`,
  );
  if (!exists[0]!.found) return [];
  const { rows } = await pool.query<{ name: string; error: string }>(
    `SELECT name, error FROM processes.states WHERE error IS NOT NULL
     UNION ALL SELECT name, subject || ': ' || error FROM processes.failures WHERE until > clock_timestamp() ORDER BY 1, 2`,
  );
  return rows.map(({ name, error }) =>
    warning(
      'processes',
      `${name} fails and is tried again: ${error}`,
      'repair the cause that the error names; docs/operations.md#a-process-has-failed',
    ),
  );
}

function schemaNow(versions: readonly Version[], model: Manifest): string | null {
  const known = versions.filter(({ name, shape }) => name === model.name && ofShape(model, shape) !== undefined);
  const served = servedOf(model, known);
  return served === null ? null : schemaOf(model.name, served.version);
}

async function ofWebhooks(pool: pg.Pool, accounts: string | null): Promise<Finding> {
  const failing = accounts === null ? [] : await failingWebhooks(pool, accounts);
  if (failing.length === 0) return ok('webhooks', 'no payout waits after a failed call');
  const named = failing.map(
    ({ bot, payouts, error }) => `bot ${bot}: ${counted(payouts, 'payout waits', 'payouts wait')}, last ${error}`,
  );
  const remedy = `repair the client's server, then botledger payout retry; botledger webhook deliveries --bot ${failing[0]!.bot}`;
  return warning('webhooks', named.join('; '), remedy);
}

async function ofAudit(pool: pg.Pool, catalog: string | null, now: number): Promise<Finding> {
  const audit = catalog === null ? null : await lastAudit({ pool, catalog });
  const remedy = 'npx botledger audit verify, or ask for an audit on the page Operations';
  if (audit === null) return warning('audit', 'the ledger was never audited', remedy);
  const days = Math.floor((now - audit.finishedAt) / DAY_MS);
  const finding = `the last audit ended ${counted(days, 'day')} ago: ${audit.outcome}`;
  if (audit.outcome !== 'done') return wrong('audit', finding, 'docs/runbook.md#auditnotclean');
  return days >= AUDIT_DAYS ? warning('audit', finding, remedy) : ok('audit', finding);
}
