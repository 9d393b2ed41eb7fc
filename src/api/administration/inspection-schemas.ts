import { z } from 'zod';
import { INSPECTION_KINDS } from '../../administration/inspection/inspection-store.ts';
import { utcTimestamp, uuid } from '../shapes.ts';
import { progress } from './schemas.ts';

export const inspectionKind = z.enum(INSPECTION_KINDS).meta({ id: 'InspectionKind' });

const texts = z.record(z.string(), z.string().nullable());
const sample = z
  .object({
    kind: z.enum(['only_from', 'only_to', 'changed']),
    key: texts.describe('The primary key'),
    before: texts.nullable().describe('The other columns, of a changed row only the changed ones; null: no such row'),
    after: texts.nullable(),
    position: z.string().nullable().describe('Of the commit that the row names'),
  })
  .meta({ id: 'DiffSample' });
const table = z
  .object({
    table: z.string(),
    rows_from: z.int(),
    rows_to: z.int(),
    only_from: z.int(),
    only_to: z.int(),
    changed: z.int(),
    columns: z.array(z.object({ column: z.string(), rows: z.int() })).describe('How many changed rows differ in each'),
    samples: z.array(sample),
  })
  .meta({ id: 'TableDiff' });
const question = z.record(z.string(), z.union([z.string(), z.number()]));
const answers = z
  .object({
    kind: z.enum(['saved_reports', 'asked_reports', 'balances', 'broadcasts']),
    compared: z.int(),
    differing: z.int(),
    samples: z.array(z.object({ question, before: z.unknown(), after: z.unknown() })),
    slower: z.array(z.object({ question, ms_before: z.number(), ms_after: z.number() })),
  })
  .meta({ id: 'AnswersDiff' });
export const versionDiff = z
  .object({
    name: z.string(),
    from: z.int(),
    to: z.int(),
    positions: z.array(z.string()).describe('Up to which both versions have applied the log'),
    equal: z.boolean().describe('Whether no compared row, column, table or answer differs'),
    layout: z.array(z.string()),
    tables: z.array(table),
    uncompared: z.array(z.object({ table: z.string(), reason: z.string() })),
    answers: z.array(answers),
    answers_left_out: z.array(z.string()).describe('Answers that were not compared, and why'),
  })
  .meta({ id: 'VersionDiff' });

const plannedReadModel = z
  .object({
    name: z.string(),
    from_shape: z.int().nullable(),
    to_shape: z.int(),
    is_built: z.boolean().describe('Whether a start builds it from the log'),
    serves_former: z.boolean().describe('Whether its former version answers until then, and is kept for a step back'),
    changes: z.array(z.string()).describe('How its tables differ from those that answer now'),
    commits: z.int().nullable(),
    seconds: z.number().nullable().describe('Foretold from a sample'),
    disk_bytes: z.number().nullable(),
  })
  .meta({ id: 'PlannedReadModel' });
const typeOfLog = z
  .object({
    category: z.string(),
    type: z.string(),
    v: z.int(),
    events: z.int(),
    tried: z.int().describe('How many of them were decoded'),
    unreadable: z
      .object({ position: z.string(), error: z.string() })
      .nullable()
      .describe('The first that this release cannot read'),
  })
  .meta({ id: 'EventTypeOfLog' });
export const upgradePlan = z
  .object({
    release: z.string(),
    migrations: z
      .array(z.object({ schema: z.string(), names: z.array(z.string()) }))
      .describe('A service that runs has none left'),
    read_models: z.array(plannedReadModel),
    events: z.object({ commits: z.int(), types: z.array(typeOfLog) }).nullable(),
    steps: z.array(z.string()),
  })
  .meta({ id: 'UpgradePlan' });

const fields = {
  inspection_id: uuid,
  kind: inspectionKind,
  projection: z.string().nullable(),
  from: z.int().nullable().describe('The version to switch from; null: a plan has none'),
  to: z.int().nullable().describe('The version to switch to'),
  answers: z.boolean().nullable(),
  operator_id: z.int(),
  operator: z.string().describe('Name of the operator'),
  requested_at: utcTimestamp,
  state: z.enum(['waiting', 'running', 'done', 'failed']).describe('waiting: no instance works on it now'),
  progress: progress.nullable(),
  error: z.string().nullable().describe('Why it failed, or why its result is gone'),
  finished_at: utcTimestamp.nullable(),
};
export const inspection = z.object(fields).meta({ id: 'Inspection' });
export const inspectionWithResult = z
  .object({
    ...fields,
    result: z
      .union([versionDiff, upgradePlan])
      .nullable()
      .describe('As `projection diff` and `upgrade plan` answer with --json'),
    cut: z.array(z.string()).describe('The parts of the result that were left out, and why'),
  })
  .meta({ id: 'InspectionWithResult' });

/** For a client in TypeScript, such as the console: a change of an answer then breaks its type check. */
export type InspectionAnswer = z.infer<typeof inspection>;
export type InspectedAnswer = z.infer<typeof inspectionWithResult>;
export type VersionDiffAnswer = z.infer<typeof versionDiff>;
export type UpgradePlanAnswer = z.infer<typeof upgradePlan>;
