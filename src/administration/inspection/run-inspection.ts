import { stringify } from 'lossless-json';
import type { Cursor } from '../../log/port.ts';
import { loadReadModel, loadReadModels } from '../../projections/load-read-model.ts';
import type { LongWorkContext } from '../administration-context.ts';
import { diffVersions, type VersionDiff } from '../diff/version-diff.ts';
import { makePlan } from '../upgrade/make-plan.ts';
import { modelOf } from '../version-work.ts';
import type { InspectionEnd, InspectionRequest } from './inspection-store.ts';

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
    const models = await loadReadModels();
    return { result: await makePlan({ pool, log, signal, progress, migrations: [], models }), cut: [] };
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

/** The most characters of a comparison, as JSON. */
const MAX_RESULT = 1_000_000;
/** So many samples of each list are kept if all are too large. */
const LEVELS = [5, 2];

/** Cuts samples of a comparison until it fits. */
export function fitting(
  diff: VersionDiff,
  most = MAX_RESULT,
): { readonly result: VersionDiff; readonly cut: readonly string[] } {
  const fits = (each: VersionDiff): boolean => stringify(each)!.length <= most;
  if (fits(diff)) return { result: diff, cut: [] };
  const cutTo = (level: number): VersionDiff => ({
    ...diff,
    tables: diff.tables.map((table) => ({ ...table, samples: table.samples.slice(0, level) })),
    answers: diff.answers.map((each) => ({
      ...each,
      samples: each.samples.slice(0, level),
      slower: each.slower.slice(0, level),
    })),
  });
  const level = LEVELS.find((each) => fits(cutTo(each))) ?? 0;
  const note = `samples: the result is larger than ${most} characters with more than ${level} in each list`;
  return { result: cutTo(level), cut: [note] };
}
