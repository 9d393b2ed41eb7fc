import type {
  InspectedAnswer,
  InspectionAnswer,
  UpgradePlanAnswer,
  VersionDiffAnswer,
} from '../../../src/api/administration/inspection-schemas.ts';
import type {
  GroupAnswer,
  JobAnswer,
  LetterAnswer,
  ProcessAnswer,
  VersionAnswer,
} from '../../../src/api/administration/schemas.ts';
import { RequestError, request } from '../api.ts';

/** Answers of `/admin/v1`. Dates are ISO 8601, UTC. */
export type Version = Readonly<VersionAnswer>;
export type Job = Readonly<JobAnswer>;
export type Letter = Readonly<LetterAnswer>;
export type BackgroundProcess = Readonly<ProcessAnswer>;
export type BotErrorGroup = Readonly<GroupAnswer>;
export type Inspection = Readonly<InspectionAnswer>;
export type VersionDiff = Readonly<VersionDiffAnswer>;
export type UpgradePlan = Readonly<UpgradePlanAnswer>;
export type Inspected<Result = VersionDiff | UpgradePlan> = Readonly<InspectedAnswer> & { readonly result: Result };

/** The state of the service at one moment. */
export interface Overview {
  readonly versions: readonly Version[];
  /** All commits of the log, about. */
  readonly commits: number;
  readonly jobs: readonly Job[];
  /** The newest audit of the whole log that has ended. */
  readonly audit: Job | undefined;
  /** The newest audit of one account that has ended. */
  readonly accountAudit: Job | undefined;
  /** Whether an older audit of the whole log may exist. */
  readonly moreAudits: boolean;
  readonly letters: readonly Letter[];
  readonly letterCount: number;
  readonly processes: readonly BackgroundProcess[];
  /** The newest comparison of the live version with each built one that does not answer, whatever became of it. */
  readonly comparisons: readonly Inspection[];
  /** The newest plan of an upgrade. */
  readonly plan: Inspection | undefined;
  /** The results of these, by id. */
  readonly results: ReadonlyMap<string, Inspected>;
}

const SHOWN_JOBS = 8;
const AUDITS = 50;

interface List<T> {
  readonly items: readonly T[];
}

export async function loadOverview(signal: AbortSignal): Promise<Overview> {
  const get = <T>(path: string): Promise<T> => request<T>(`/admin/v1/${path}`, { signal });
  const [versions, jobs, audits, letters, processes, inspections] = await Promise.all([
    get<List<Version> & { readonly commits: number }>('projections'),
    get<List<Job>>(`jobs?limit=${SHOWN_JOBS}`),
    get<List<Job>>(`jobs?kind=audit&limit=${AUDITS}`),
    get<List<Letter> & { readonly total: number }>('dead-letters?limit=20'),
    get<List<BackgroundProcess>>('processes'),
    get<List<Inspection>>('inspections'),
  ]);
  const comparisons = newestComparisons(versions.items, inspections.items);
  const plan = inspections.items.find(({ kind }) => kind === 'upgrade_plan');
  return {
    versions: versions.items,
    commits: versions.commits,
    jobs: jobs.items,
    audit: audits.items.find((job) => isOver(job) && job.bot === null),
    accountAudit: audits.items.find((job) => isOver(job) && job.bot !== null),
    moreAudits: audits.items.length === AUDITS,
    letters: letters.items,
    letterCount: letters.total,
    processes: processes.items,
    comparisons,
    plan,
    results: await loadResults([...comparisons, ...(plan === undefined ? [] : [plan])], get),
  };
}

function newestComparisons(versions: readonly Version[], inspections: readonly Inspection[]): Inspection[] {
  return versions.flatMap(({ name, version, live }) => {
    if (live) return [];
    const before = versions.find((each) => each.name === name && each.live)?.version;
    const found = inspections.find((each) => each.projection === name && each.from === before && each.to === version);
    return found === undefined ? [] : [found];
  });
}

/** Results that were loaded: a result does not change. */
const known = new Map<string, Inspected>();

/** Results of ended inspections. One that has been removed since is left out: the next list says so. */
async function loadResults(
  inspections: readonly Inspection[],
  get: <T>(path: string) => Promise<T>,
): Promise<ReadonlyMap<string, Inspected>> {
  const done = inspections.filter(({ state }) => state === 'done').map(({ inspection_id }) => inspection_id);
  for (const id of known.keys()) if (!done.includes(id)) known.delete(id);
  for (const id of done) {
    if (known.has(id)) continue;
    const found = await get<Inspected>(`inspections/${id}`).catch((error: unknown) => {
      if (error instanceof RequestError && error.status === 404) return null;
      throw error;
    });
    if (found?.result) known.set(id, found);
  }
  return new Map(known);
}

export function isOver({ state }: Pick<Job | Inspection, 'state'>): boolean {
  return state !== 'waiting' && state !== 'running';
}

/** Whether something changes from second to second. */
export function isBusy({ versions, jobs, comparisons, plan }: Overview): boolean {
  const works = [...jobs, ...comparisons, ...(plan === undefined ? [] : [plan])];
  return (
    works.some((work) => !isOver(work)) || versions.some(({ state, lag }) => state === 'building' || lag.seconds > 2)
  );
}
