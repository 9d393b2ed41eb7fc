import { z } from 'zod';
import { JOB_KINDS, JOB_OUTCOMES, MAX_REASON } from '../../domain/operations/work-events.ts';
import { READ_MODEL_NAMES } from '../../projections/registry.ts';
import { utcTimestamp, uuid } from '../shapes.ts';

/** Any operator. */
export const READ = { resource: 'operator' } as const;

export const jobKind = z.enum(JOB_KINDS).meta({ id: 'JobKind' });
export const readModelName = z.enum(READ_MODEL_NAMES).meta({ id: 'ReadModelName' });

/** Versions are integers of PostgreSQL. */
export const versionNumber = z.int().min(1).max(2_147_483_647);

/** Why an operator asks for a change. */
export const reason = z
  .string()
  .trim()
  .min(1, 'must say why')
  .max(MAX_REASON)
  .describe(`Why, 1 to ${MAX_REASON} characters; the log keeps it`);

const lag = z
  .object({
    events: z.number().describe('Commits not read yet, an upper bound'),
    seconds: z.number().describe('Age of the oldest of them'),
  })
  .meta({ id: 'Lag' });

/** The most events a second of a build. */
export const maxRate = z.int().min(1);
const build = z
  .object({
    paused: z.boolean(),
    max_rate: z.number().nullable().describe('The most events a second; null: no limit'),
    builders: z.int().describe('How many projectors of instances, jobs and commands build it now'),
    backs_off: z
      .boolean()
      .describe('Whether one of them pauses, since answers have become slower or live read models late'),
    events_per_second: z
      .int()
      .nullable()
      .describe('Applied over the last minute at most; null: not known yet, or no instance builds it'),
    seconds_left: z.int().nullable().describe('An estimate, without deferred work; null: unknown'),
  })
  .meta({ id: 'VersionBuild' });

export const version = z
  .object({
    name: z.string(),
    version: z.int(),
    state: z.enum(['live', 'building', 'ready', 'stopped']),
    live: z.boolean().describe('Whether the version answers, also if it has stopped'),
    verified: z.boolean().describe('Whether a comparison found it equal to a replay of the log'),
    served: z.boolean().describe('Whether it answered before: a switch back to it needs no comparison'),
    position: z.string().nullable(),
    lag,
    deferred: z.object({ events: z.int(), exact: z.boolean() }).nullable(),
    quarantined: z
      .array(z.object({ bot: z.string().describe('Public key'), since: utcTimestamp }))
      .describe('Bots whose commits the version does not apply now; their answers say how old they are'),
    error: z.string().nullable(),
    build: build.nullable().describe('Null: the version is not being built'),
    next: z.enum(['retry', 'rebuild', 'resume', 'verify', 'switch', 'drop']).nullable().describe('What to do next'),
  })
  .meta({ id: 'ReadModelVersion' });

export const progress = z
  .object({
    what: z.string(),
    done: z.number(),
    total: z.number().nullable(),
    unit: z.string(),
    seconds: z.number().describe('Since an instance began or resumed it'),
  })
  .meta({ id: 'JobProgress' });
const finding = z
  .object({
    kind: z.string(),
    stream: z.string().nullable(),
    revision: z.int().nullable(),
    message: z.string(),
  })
  .meta({ id: 'Finding' });
export const job = z
  .object({
    job_id: uuid,
    kind: jobKind,
    projection: z.string().nullable(),
    bot: z.string().nullable(),
    user_id: z.int().nullable(),
    reason: z.string(),
    operator_id: z.int(),
    operator: z.string().describe('Name of the operator'),
    requested_at: utcTimestamp,
    state: z.enum(['waiting', 'running', ...JOB_OUTCOMES]).describe('waiting: no instance works on it now'),
    progress: progress.nullable(),
    summary: z.string().nullable(),
    findings: z.array(finding),
    findings_count: z.int(),
    finished_at: utcTimestamp.nullable(),
  })
  .meta({ id: 'Job' });

/** At most so many events of a commit are shown; a commit may have a thousand. */
export const MAX_EVENTS = 20;
/** At most so many characters of an event's data are shown; a commit may have megabytes. */
export const MAX_CHARACTERS = 4096;

const letterEvent = z
  .object({
    type: z.string(),
    v: z.int(),
    data: z.unknown().describe('If it is not shown whole: the start of its JSON text, or null'),
    data_bytes: z.int().describe('Of the JSON text of the whole data'),
    data_whole: z.boolean(),
  })
  .meta({ id: 'DeadLetterEvent' });
export const letter = z
  .object({
    id: z.string(),
    projection: z.string(),
    version: z.int(),
    stream: z.string(),
    position: z.string(),
    blocking: z.boolean().describe('Whether the read model waits at the commit'),
    quarantined: z
      .boolean()
      .describe('Whether only the bot of the commit waits at it; neither: the read model has skipped the commit'),
    at: utcTimestamp.describe('When the read model failed to apply it'),
    error: z.string(),
    recorded_at: utcTimestamp,
    events: z
      .array(letterEvent)
      .describe(
        `The first ${MAX_EVENTS} events; of each the first ${MAX_CHARACTERS} characters. Personal data are sealed; tokens and hashes of secrets are left out`,
      ),
    events_count: z.int(),
  })
  .meta({ id: 'DeadLetter' });

export const backgroundProcess = z
  .object({
    name: z.string(),
    state: z.enum(['live', 'stopped']),
    lag,
    error: z.string().nullable(),
    lease: z
      .object({ holder: z.string(), expires_at: utcTimestamp })
      .nullable()
      .describe('The instance that works, of several the one with the first partitions; null: none does now'),
    instances: z
      .array(z.object({ holder: z.string(), parts: z.int().nullable() }))
      .describe('The instances that work, and how many groups of partitions each has; null: the work is not divided'),
    failures: z
      .array(z.object({ subject: z.string(), error: z.string(), until: utcTimestamp }))
      .describe('Parts of the work that fail now and are tried again'),
  })
  .meta({ id: 'BackgroundProcess' });

export const errorGroup = z
  .object({
    kind: z.string(),
    source: z.string(),
    message: z.string().describe('With … for each number'),
    count: z.int(),
    unresolved: z.int(),
    bots: z.int(),
    last: utcTimestamp,
  })
  .meta({ id: 'BotErrorGroup' });

/** For a client in TypeScript, such as the console: a change of an answer then breaks its type check. */
export type VersionAnswer = z.infer<typeof version>;
export type JobAnswer = z.infer<typeof job>;
export type LetterAnswer = z.infer<typeof letter>;
export type ProcessAnswer = z.infer<typeof backgroundProcess>;
export type GroupAnswer = z.infer<typeof errorGroup>;
