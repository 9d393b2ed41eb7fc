import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Finding, ok, warning, wrong } from '../../administration/finding.ts';
import { type Config, ConfigError, environment, misspeltVariables, misspeltWarning, readConfig } from '../../config.ts';
import { readAccess } from '../../database/embedded/access-file.ts';
import { embeddedUrl } from '../../database/embedded/open-embedded-postgres.ts';
import { engineOf } from '../../log/engines.ts';
import { isReachable } from '../start-failures.ts';
import { type AskedService, askService } from './asked-service.ts';
import { examineDatabase } from './examine-database.ts';

/** Examines an installation without changing anything, whether or not a service runs (decisions.md#doctor). */

export interface ExamineOptions {
  /** Milliseconds since 1970 UTC. */
  readonly now?: () => number;
  readonly nodeVersion?: string;
  readonly diskOf?: (folder: string) => Promise<{ readonly free: number; readonly size: number }>;
}

const { version: VERSION, engines } = createRequire(import.meta.url)('../../../package.json') as {
  version: string;
  engines: { node: string };
};
const ANSWER_WITHIN_MS = 3000;
const LOW_DISK = 0.1;
const FULL_DISK = 0.03;
/** A read model that is later counts as late, as in ops/alerts.yml. */
const LATE_SECONDS = 60;

/** @param env the environment of the service */
export async function examine(env: NodeJS.ProcessEnv, options: ExamineOptions = {}): Promise<Finding[]> {
  const { now = Date.now, nodeVersion = process.versions.node, diskOf = diskOfFolder } = options;
  const program = ofProgram(nodeVersion);
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const remedy = 'correct these variables (docs/configuration.md); the other checks need them';
    return [program, wrong('configuration', error.message, remedy)];
  }
  const service = await askService(config, ANSWER_WITHIN_MS);
  const findings = [
    program,
    ...ofConfiguration(env),
    await ofDisk(config, diskOf),
    ...(await ofLogServers(config)),
    ...(await ofDatabase(config, service, now)),
  ];
  return [...findings, ...ofLag(service)];
}

function ofProgram(nodeVersion: string): Finding {
  const least = engines.node.replace(/^>=/, '');
  const what = `Botledger ${VERSION} on Node.js ${nodeVersion}`;
  if (isBefore(nodeVersion, least)) return wrong('versions', what, `install Node.js ${least} or newer`);
  return ok('versions', what);
}

function isBefore(version: string, least: string): boolean {
  const parts = (text: string): number[] => text.split('.').map(Number);
  const [given, wanted] = [parts(version), parts(least)];
  const differing = wanted.findIndex((part, i) => part !== (given[i] ?? 0));
  return differing >= 0 && (given[differing] ?? 0) < wanted[differing]!;
}

function ofConfiguration(env: NodeJS.ProcessEnv): Finding[] {
  const misspelt = misspeltVariables(Object.keys(env), Object.keys(environment.shape));
  if (misspelt.length === 0) return [ok('configuration', 'every variable has a value that can be used')];
  return misspelt.map((each) => warning('configuration', misspeltWarning(each), 'correct the name, or remove it'));
}

async function diskOfFolder(folder: string): Promise<{ readonly free: number; readonly size: number }> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, size: blocks * bsize };
}

async function ofDisk(
  { DATA_DIR, DATABASE_URL }: Config,
  diskOf: NonNullable<ExamineOptions['diskOf']>,
): Promise<Finding> {
  if (!existsSync(DATA_DIR)) {
    if (DATABASE_URL !== undefined) return ok('disk', 'the data are in your database: watch the disk of its server');
    return wrong('disk', `DATA_DIR (${DATA_DIR}) does not exist`, 'start the service once, or correct DATA_DIR');
  }
  const { free, size } = await diskOf(DATA_DIR);
  const finding = `${gib(free)} of ${gib(size)} GiB are free on the disk of DATA_DIR (${DATA_DIR})`;
  const remedy = 'make room outside of DATA_DIR, drop former versions of read models, or enlarge the disk';
  if (free < size * FULL_DISK) return wrong('disk', finding, remedy);
  return free < size * LOW_DISK ? warning('disk', finding, remedy) : ok('disk', finding);
}

const gib = (bytes: number): string => (bytes / 2 ** 30).toFixed(1);

/** The servers of the log, if it has separate servers. */
async function ofLogServers(config: Config): Promise<Finding[]> {
  const { address, servers } = engineOf(config.EVENT_LOG).config;
  return Promise.all(
    servers(config).map(async (server) => {
      const name = `${server.host}:${server.port}`;
      if (await isReachable(server, ANSWER_WITHIN_MS)) return ok('log', `${name} takes connections`);
      return wrong('log', `${name} takes no connection`, `start that server, or correct ${address}`);
    }),
  );
}

function ofLag({ metrics }: AskedService): Finding[] {
  const labelled = (metric: string): Map<string, number> =>
    new Map(
      [...metrics.matchAll(new RegExp(`^${metric}\\{projection="([^"]*)",version="(\\d+)"\\} (\\S+)$`, 'gm'))].map(
        ([, name, version, value]) => [`${name} version ${version}`, Number(value)],
      ),
    );
  const building = labelled('botledger_projection_building_ratio');
  return [...labelled('botledger_projection_lag_seconds')]
    .filter(([name, seconds]) => seconds > LATE_SECONDS && !building.has(name))
    .map(([name, seconds]) =>
      warning('read models', `${name} is ${Math.round(seconds)} s behind the log`, 'docs/runbook.md#projectionlate'),
    );
}

async function ofDatabase(config: Config, service: AskedService, now: () => number): Promise<Finding[]> {
  const examined = { config, service, now, withinMs: ANSWER_WITHIN_MS };
  const { DATABASE_URL, DATA_DIR } = config;
  if (DATABASE_URL !== undefined) return examineDatabase({ ...examined, connectionString: DATABASE_URL });
  if (!existsSync(join(DATA_DIR, 'postgres'))) {
    const remedy = 'start the service once, or correct DATA_DIR';
    return [wrong('database', `there is no Botledger database in DATA_DIR (${DATA_DIR})`, remedy)];
  }
  const access = await readAccess(DATA_DIR).catch((error: Error) => error.message);
  if (access === undefined || typeof access === 'string') {
    const remedy = 'run this as the user of the service, or restore the file from a backup';
    return [wrong('database', `postgres.json in DATA_DIR cannot be read: ${access ?? 'it is missing'}`, remedy)];
  }
  return examineDatabase({ ...examined, connectionString: embeddedUrl(access) });
}
