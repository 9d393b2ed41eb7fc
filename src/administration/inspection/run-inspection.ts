import { stringify } from 'lossless-json';
import type { Cursor } from '../../log/port.ts';
import { loadReadModel, loadReadModels } from '../../projections/load-read-model.ts';
import type { LongWorkContext } from '../administration-context.ts';
import { diffVersions, type VersionDiff } from '../diff/version-diff.ts';
import { makePlan } from '../upgrade/make-plan.ts';
import { modelOf } from '../version-work.ts';
import type { InspectionEnd, InspectionRequest, InspectionResult } from './inspection-store.ts';

/** How long a comparison looks for a moment in which both versions are at the same position. */
const WAIT_MS = 60_000;

/**
 * Does the work of an inspection. It changes nothing, so it is safe to repeat.
 * @param logEnd the end of the log when the inspection began. The compared tables have applied it, so that a user who was erased
 * before leaves no value in the result
 * @throws Rejection, NotComparableError
 */
export async function runInspection(
  context: LongWorkContext,
  { kind, projection, from, to, answers }: InspectionRequest,
  logEnd: Cursor,
): Promise<InspectionEnd> {
  if (kind === 'upgrade_plan') {
    const { pool, log, signal, progress } = context;
    // The start of this service has run its migrations.
    return fitting(
      await makePlan({ ...{ pool, log, signal, progress }, migrations: [], models: await loadReadModels() }),
    );
  }
  const model = modelOf(context, projection!);
  const request = { from: from!, to: to!, waitMs: WAIT_MS, answers: answers === true };
  // Reports of other read models show fields of users, too.
  if (request.answers) await context.at('users');
  const diff = await diffVersions(context, model, { ...request, passed: logEnd });
  if ((await loadReadModel(model.name)).personal !== true) return fitting(diff);
  const { result, cut } = fitting(withoutValues(diff));
  return { result, cut: ['values of rows: personal data or secrets may be among them', ...cut] };
}

const HIDDEN = 'not shown';

/** Hides the values of sample rows, as an operator sees no personal data and no secrets over HTTP. */
function withoutValues(diff: VersionDiff): VersionDiff {
  const hidden = (row: Readonly<Record<string, string | null>> | null) =>
    row && Object.fromEntries(Object.entries(row).map(([column, value]) => [column, value === null ? null : HIDDEN]));
  return {
    ...diff,
    tables: diff.tables.map((table) => ({
      ...table,
      samples: table.samples.map((sample) => ({
        ...sample,
        before: hidden(sample.before),
        after: hidden(sample.after),
      })),
    })),
  };
}

/** The most characters of a result, as JSON. */
const MAX_RESULT = 1_000_000;
/** Lists of a result whose elements are examples, and how many of each are kept if all are too large. */
const SAMPLES: ReadonlySet<string> = new Set(['samples', 'slower']);
const LEVELS = [5, 2];

/** Cuts samples until the result fits. */
export function fitting(
  result: InspectionResult,
  most = MAX_RESULT,
): { readonly result: InspectionResult; readonly cut: readonly string[] } {
  const fits = (each: object): boolean => stringify(each)!.length <= most;
  if (fits(result)) return { result, cut: [] };
  const cutTo = (level: number): InspectionResult =>
    Object.fromEntries(
      Object.entries(result).map(([key, value]) => [key, withSamples(value, level)]),
    ) as unknown as InspectionResult;
  const level = LEVELS.find((each) => fits(cutTo(each))) ?? 0;
  const note = `samples: the result is larger than ${most} characters with more than ${level} in each list`;
  return { result: cutTo(level), cut: [note] };
}

/** Cuts the samples of the objects in a list. */
function withSamples(value: unknown, most: number): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((element: unknown) => {
    if (typeof element !== 'object' || element === null) return element;
    const entries = Object.entries(element);
    return Object.fromEntries(
      entries.map(([key, list]) => [key, SAMPLES.has(key) ? (list as unknown[]).slice(0, most) : list]),
    );
  });
}
