import { request } from '../api.ts';

/** Answers of `/admin/v1`. Dates are ISO 8601, UTC. */

export interface Version {
  readonly name: string;
  readonly version: number;
  readonly state: 'live' | 'building' | 'ready' | 'stopped';
  readonly live: boolean;
  readonly verified: boolean;
  readonly lag: { readonly events: number; readonly seconds: number };
  readonly error: string | null;
  readonly next: 'retry' | 'rebuild' | 'verify' | 'switch' | 'drop' | null;
}

export interface Job {
  readonly job_id: string;
  readonly kind: 'rebuild' | 'verify' | 'audit';
  readonly projection: string | null;
  readonly bot: string | null;
  readonly reason: string;
  readonly operator: string;
  readonly requested_at: string;
  readonly state: 'waiting' | 'running' | 'done' | 'findings' | 'failed';
  readonly progress: {
    readonly what: string;
    readonly done: number;
    readonly total: number | null;
    readonly unit: string;
  } | null;
  readonly summary: string | null;
  readonly findings: readonly { readonly kind: string; readonly stream: string | null; readonly message: string }[];
  readonly findings_count: number;
  readonly finished_at: string | null;
}

export interface Letter {
  readonly id: string;
  readonly projection: string;
  readonly version: number;
  readonly stream: string;
  readonly position: string;
  readonly blocking: boolean;
  readonly at: string;
  readonly error: string;
  readonly recorded_at: string;
  readonly events: readonly {
    readonly type: string;
    readonly v: number;
    readonly data: unknown;
    readonly data_bytes: number;
    readonly data_whole: boolean;
  }[];
  readonly events_count: number;
}

export interface BackgroundProcess {
  readonly name: string;
  readonly state: 'live' | 'stopped';
  readonly lag: { readonly events: number; readonly seconds: number };
  readonly error: string | null;
  readonly lease: { readonly holder: string; readonly expires_at: string } | null;
  readonly failures: readonly { readonly subject: string; readonly error: string; readonly until: string }[];
}

export interface BotErrorGroup {
  readonly kind: string;
  readonly source: string;
  readonly message: string;
  readonly count: number;
  readonly unresolved: number;
  readonly bots: number;
  readonly last: string;
}

/** The state of the service at one moment. */
export interface Overview {
  readonly versions: readonly Version[];
  /** All commits of the log, about. */
  readonly commits: number;
  readonly jobs: readonly Job[];
  /** The newest audit that has ended. */
  readonly audit: Job | undefined;
  readonly letters: readonly Letter[];
  readonly letterCount: number;
  readonly processes: readonly BackgroundProcess[];
}

const SHOWN_JOBS = 8;

interface List<T> {
  readonly items: readonly T[];
}

export async function loadOverview(signal: AbortSignal): Promise<Overview> {
  const get = <T>(path: string): Promise<T> => request<T>(`/admin/v1/${path}`, { signal });
  const [versions, jobs, audits, letters, processes] = await Promise.all([
    get<List<Version> & { readonly commits: number }>('projections'),
    get<List<Job>>(`jobs?limit=${SHOWN_JOBS}`),
    get<List<Job>>('jobs?kind=audit&limit=5'),
    get<List<Letter> & { readonly total: number }>('dead-letters?limit=20'),
    get<List<BackgroundProcess>>('processes'),
  ]);
  return {
    versions: versions.items,
    commits: versions.commits,
    jobs: jobs.items,
    audit: audits.items.find(isOver),
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
