import type {
  GroupAnswer,
  JobAnswer,
  LetterAnswer,
  ProcessAnswer,
  VersionAnswer,
} from '../../../src/api/administration/schemas.ts';
import { request } from '../api.ts';

/** Answers of `/admin/v1`. Dates are ISO 8601, UTC. */
export type Version = Readonly<VersionAnswer>;
export type Job = Readonly<JobAnswer>;
export type Letter = Readonly<LetterAnswer>;
export type BackgroundProcess = Readonly<ProcessAnswer>;
export type BotErrorGroup = Readonly<GroupAnswer>;

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
}

const SHOWN_JOBS = 8;
const AUDITS = 50;

interface List<T> {
  readonly items: readonly T[];
}

export async function loadOverview(signal: AbortSignal): Promise<Overview> {
  const get = <T>(path: string): Promise<T> => request<T>(`/admin/v1/${path}`, { signal });
  const [versions, jobs, audits, letters, processes] = await Promise.all([
    get<List<Version> & { readonly commits: number }>('projections'),
    get<List<Job>>(`jobs?limit=${SHOWN_JOBS}`),
    get<List<Job>>(`jobs?kind=audit&limit=${AUDITS}`),
    get<List<Letter> & { readonly total: number }>('dead-letters?limit=20'),
    get<List<BackgroundProcess>>('processes'),
  ]);
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
  };
}

export function isOver({ state }: Job): boolean {
  return state !== 'waiting' && state !== 'running';
}

/** Whether something changes from second to second. */
export function isBusy({ versions, jobs }: Overview): boolean {
  return jobs.some((job) => !isOver(job)) || versions.some(({ state, lag }) => state === 'building' || lag.seconds > 2);
}
