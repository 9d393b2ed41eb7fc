import type pg from 'pg';
import type { Manifest } from '../../projections/read-model.ts';
import type { LongWorkContext } from '../administration-context.ts';
import { accountAnswers } from './account-answers.ts';
import type { AnswersDiff } from './answer-tally.ts';
import { broadcastAnswers } from './broadcast-answers.ts';
import { type AnswerOptions, type ComparedVersions, NotAnsweringError, pinnedReader } from './pinned-reader.ts';
import { reportAnswers } from './report-answers.ts';

/** Compares the answers of each kind that are made from a read model. A read model without an entry has none. */
const KINDS: Readonly<Record<string, (options: AnswerOptions) => Promise<AnswersDiff[]>>> = {
  events: reportAnswers,
  users: reportAnswers,
  referral: reportAnswers,
  accounts: accountAnswers,
  broadcasts: broadcastAnswers,
  recipients: broadcastAnswers,
};

export interface ComparedAnswers {
  readonly answers: readonly AnswersDiff[];
  /** The answers that were not compared, and why. */
  readonly answers_left_out: readonly string[];
}

/**
 * Asks two versions of a read model the same questions (decisions.md#diff-answers).
 * @param tx a transaction with one snapshot, in which both versions are at the same position
 */
export async function compareAnswers(
  { pool, manifests, sources, signal, progress }: LongWorkContext,
  model: Manifest,
  versions: ComparedVersions,
  tx: pg.PoolClient,
): Promise<ComparedAnswers> {
  const compare = KINDS[model.name];
  if (compare === undefined) return { answers: [], answers_left_out: [] };
  const reader = await pinnedReader(tx, manifests, model, versions);
  const answers_left_out = [...reader.late].map((bot) => `bot ${bot} is quarantined in one of the versions`);
  const shown = (unit: string, done: number, total: number | null): void =>
    progress({ what: `comparing answers of ${model.name}`, done, total, unit });
  const elapsed = (): number => performance.now();
  try {
    const leaveOut = (why: string): void => void answers_left_out.push(why);
    const answers = await compare({ reader, pool, now: sources.now(), elapsed, signal, shown, leaveOut });
    return { answers, answers_left_out };
  } catch (error) {
    if (!(error instanceof NotAnsweringError)) throw error;
    return { answers: [], answers_left_out: [...answers_left_out, error.message] };
  }
}
