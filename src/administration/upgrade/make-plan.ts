import { createRequire } from 'node:module';
import type pg from 'pg';
import type { EventLog, RecordedCommit } from '../../log/port.ts';
import { categoryOf } from '../../log/stream-name.ts';
import { type ReadModel, schemaOf } from '../../projections/read-model.ts';
import { itemsOf } from '../../projections/runtime/read-commits.ts';
import type { Version } from '../../projections/runtime/versions.ts';
import type { LongWorkContext } from '../administration-context.ts';
import { commitsDone } from '../work-progress.ts';
import { scanLog } from './scan-log.ts';
import { stepsOf } from './steps.ts';
import { tryBuild } from './try-build.ts';
import type { EventsOfLog, PlannedReadModel, UpgradePlan } from './upgrade-plan.ts';

const { version: RELEASE } = createRequire(import.meta.url)('../../../package.json') as { version: string };

/** A sample has one of so many commits, within these bounds. */
const SAMPLE_OF = 100;
const LEAST_SAMPLE = 500;
const MOST_ITEMS = 30_000;
/** The progress is shown after so many commits each. */
const SHOWN_EACH = 1000;

export interface PlanOptions extends Pick<LongWorkContext, 'pool' | 'signal' | 'progress'> {
  /** Null: its tables migrate first. */
  readonly log: EventLog | null;
  readonly models: readonly ReadModel[];
  /** Migrations that a start runs. */
  readonly migrations: UpgradePlan['migrations'];
}

/** Says what a start of this release changes. It writes only in transactions that it rolls back. */
export async function makePlan({ migrations, ...options }: PlanOptions): Promise<UpgradePlan> {
  const { events, planned } = await planReadModels(options);
  options.progress(null);
  const plan = { release: RELEASE, migrations, read_models: planned, events };
  return { ...plan, steps: stepsOf(plan) };
}

/** The first commits that a read model reads, and how many there are. */
interface Sample {
  readonly commits: RecordedCommit[];
  items: number;
  total: number;
}

async function planReadModels({ pool, log, models, signal, progress }: Omit<PlanOptions, 'migrations'>) {
  const versions = await versionsIn(pool);
  const samples = new Map<ReadModel, Sample>(
    models.filter((model) => isBuilt(model, versions)).map((model) => [model, { commits: [], items: 0, total: 0 }]),
  );
  const total = log === null ? 0 : (await log.lag(new Map())).commits;
  const most = Math.max(LEAST_SAMPLE, total / SAMPLE_OF);
  const onCommits = commitsDone(progress, 'reading the log');
  const events: EventsOfLog | null =
    log === null
      ? null
      : await scanLog(log, signal, (commit, done) => {
          if (done % SHOWN_EACH === 0) onCommits(done, Math.max(done, total));
          for (const [model, sample] of samples) {
            if (!model.categories.includes(categoryOf(commit.stream))) continue;
            sample.total++;
            if (sample.commits.length >= most || sample.items >= MOST_ITEMS) continue;
            sample.commits.push(commit);
            sample.items += itemsOf(commit);
          }
        });
  const planned: PlannedReadModel[] = [];
  for (const model of models) {
    const own = versions.filter(({ name }) => name === model.name);
    const sample = samples.get(model);
    const row = {
      ...{ name: model.name, from_shape: own.at(-1)?.shape ?? null, to_shape: model.shape },
      serves_former: sample !== undefined && own.some(({ shape }) => shape === model.former?.shape),
    };
    if (log === null || sample === undefined) {
      planned.push({
        ...row,
        is_built: sample !== undefined,
        changes: [],
        commits: null,
        seconds: null,
        disk_bytes: null,
      });
      continue;
    }
    progress({ what: `trying a build of ${model.name}`, done: 0, total: null, unit: 'commits' });
    const live = own.find(({ state }) => state === 'live');
    const schema = live === undefined ? null : schemaOf(live.name, live.version);
    const tried = await tryBuild({ pool, keys: log.keys, model, live: schema, commits: sample.commits });
    const times = sample.commits.length === 0 ? 0 : sample.total / sample.commits.length;
    planned.push({
      ...{ ...row, is_built: true, changes: tried.changes, commits: sample.total },
      seconds: tried.sample === null ? null : Math.round(tried.sample.seconds * times * 10) / 10,
      disk_bytes: tried.sample === null ? null : Math.round(tried.sample.bytes * times),
    });
  }
  return { events, planned };
}

/** Whether a start of this release builds the read model: no version has its shape. */
function isBuilt({ name, shape }: ReadModel, versions: readonly PlannedVersion[]): boolean {
  return !versions.some((version) => version.name === name && version.shape === shape);
}

type PlannedVersion = Pick<Version, 'name' | 'version' | 'shape' | 'state'>;

/** The versions, by columns that every release has: what this one adds is not migrated yet. */
async function versionsIn(pool: pg.Pool): Promise<PlannedVersion[]> {
  const { rows } = await pool.query<{ found: boolean }>(
    `SELECT to_regclass('runtime.read_models') IS NOT NULL AS found`,
  );
  if (!rows[0]!.found) return [];
  const versions = await pool.query<PlannedVersion>(
    `SELECT name, version, shape, state FROM runtime.read_models
      WHERE state <> 'dropped' AND EXISTS (SELECT FROM pg_namespace WHERE nspname = name || '_v' || version)
      ORDER BY name, version`,
  );
  return versions.rows;
}
