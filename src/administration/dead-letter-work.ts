import type pg from 'pg';
import type { CommandMeta } from '../commands/decide-and-append.ts';
import { decideDeadLetter } from '../commands/operations/operator-work.ts';
import { Rejection } from '../domain/rejection.ts';
import { schemaOf } from '../projections/read-model.ts';
import {
  askRetry,
  type DeadLetter,
  findDeadLetter,
  type LetterName,
  type LettersPage,
  type ListedLetter,
  letterId,
  listDeadLetters,
  type PlaceOfCommit,
  parseLetterId,
  placeOfLetter,
  removeDeadLetter,
  summarizeDeadLetters,
} from '../projections/runtime/dead-letters.ts';
import { followVersion } from '../projections/runtime/follow-log.ts';
import { hasApplied } from '../projections/runtime/sections.ts';
import { skipLetter } from '../projections/runtime/skip-letter.ts';
import { allVersions, clearError, findVersion, isFollowed } from '../projections/runtime/versions.ts';
import { pause } from '../util/pause.ts';
import type { AdministrationContext, LongWorkContext } from './administration-context.ts';
import { afterAppend } from './after-append.ts';

/** A commit that a version of a read model cannot apply. */
export interface LetterRow extends Omit<ListedLetter, 'commitId'> {
  readonly id: string;
  readonly projection: string;
  readonly version: number;
}

export interface LetterList {
  readonly items: readonly LetterRow[];
  /** Of all pages. */
  readonly total: number;
}

/** A page of the dead letters of all versions: by read model and version, oldest first. */
export async function listLetters(pool: pg.Pool, { limit, offset, ...page }: LettersPage): Promise<LetterList> {
  const items: LetterRow[] = [];
  let total = 0;
  for (const { name, version } of await allVersions(pool)) {
    const schema = schemaOf(name, version);
    const { count } = await summarizeDeadLetters(pool, schema);
    const before = Math.max(0, offset - total);
    total += count;
    const left = limit - items.length;
    if (left === 0 || before >= count) continue;
    for (const { commitId, ...letter } of await listDeadLetters(pool, schema, { ...page, limit: left, offset: before }))
      items.push({ id: letterId(schema, commitId), projection: name, version, ...letter });
  }
  return { items, total };
}

export interface LetterDecision {
  readonly id: string;
  /** Why the commit is skipped; null: it is applied again. */
  readonly skipFor: string | null;
  /** Projects the version itself while no service does; null: only a service does. */
  readonly projector: LongWorkContext['projector'] | null;
  /** How long to wait for the outcome of a retry. */
  readonly outcomeMs: number;
  readonly meta?: CommandMeta;
}

/**
 * Skips a dead letter, or applies it again. The log records the decision.
 * @returns whether it is in effect; false: the version has not come to the commit yet
 * @throws Rejection there is no such dead letter, or it was refused again; OutcomeUnknownError the log has the decision,
 * and whether it is in effect is not known
 */
export async function decideLetter(context: AdministrationContext, decision: LetterDecision): Promise<boolean> {
  const { pool } = context;
  const { id, skipFor, meta } = decision;
  const named = parseLetterId(id);
  const letter = named === null ? undefined : await find(pool, named);
  if (named === null || letter === undefined) throw new Rejection('not_found', 'id', `there is no dead letter ${id}`);
  const { name, version, commitId } = named;
  if (skipFor !== null) {
    await skip(context, named, skipFor, meta);
    return true;
  }
  // The letter goes away when it is decided on. Only a version that waits at it has not passed it.
  const waitsAt = letter.blocking ? await placeOfLetter(pool, schemaOf(name, version), commitId) : undefined;
  await decideDeadLetter(context, name, { commit_id: commitId, version, error: letter.error }, null, meta);
  return afterAppend(async () => {
    if (letter.blocking) await resumeVersion(pool, named);
    else await askRetry(pool, name, version, commitId);
    return waitForOutcome(context, decision, named, waitsAt);
  });
}

/**
 * Records the skip, and removes the dead letter from every version.
 * @throws Rejection the version has applied the commit
 */
async function skip(
  context: AdministrationContext,
  named: LetterName,
  reason: string,
  meta?: CommandMeta,
): Promise<void> {
  const { name, version, commitId } = named;
  let isDecided = false;
  const skipped = await skipLetter(context.pool, named, async ({ error }) => {
    await decideDeadLetter(context, name, { commit_id: commitId, version, error }, reason, meta);
    isDecided = true;
  }).catch((error: unknown) => {
    if (!isDecided) throw error;
    return afterAppend<never>(() => Promise.reject(error));
  });
  if (!skipped)
    throw new Rejection('conflict', 'id', `${schemaOf(name, version)} has applied the commit, or skips it already`);
}

/** Makes a version that waits at the commit resume and retry it. */
async function resumeVersion(pool: pg.Pool, { name, version, commitId }: LetterName): Promise<void> {
  await removeDeadLetter(pool, schemaOf(name, version), commitId);
  await clearError(pool, name, version);
}

async function find(pool: pg.Pool, { name, version, commitId }: LetterName): Promise<DeadLetter | undefined> {
  if ((await findVersion(pool, name, version)) === null) return undefined;
  return findDeadLetter(pool, schemaOf(name, version), commitId);
}

const POLL_MS = 100;

/**
 * Waits until the version has applied the commit or failed again.
 * @returns false if neither happened in time
 * @throws Rejection if the version failed again
 */
async function waitForOutcome(
  context: AdministrationContext,
  { projector, outcomeMs }: LetterDecision,
  named: LetterName,
  waitsAt: PlaceOfCommit | undefined,
): Promise<boolean> {
  const { pool } = context;
  const { name, version } = named;
  const model = context.manifests.find((each) => each.name === name);
  const stopping = new AbortController();
  const following =
    projector === null || model === undefined || (await isFollowed(pool, name, version))
      ? null
      : followVersion({ ...(await projector(model)), version, signal: stopping.signal });
  try {
    const deadline = performance.now() + outcomeMs;
    for (;;) {
      const letter = await find(pool, named);
      if (letter !== undefined && !letter.retry)
        throw new Rejection('conflict', 'id', `it was refused again: ${letter.error}`);
      const schema = schemaOf(name, version);
      if (letter === undefined && (waitsAt === undefined || (await hasApplied(pool, schema, waitsAt)))) return true;
      if (performance.now() > deadline) return false;
      await pause(POLL_MS);
    }
  } finally {
    stopping.abort();
    await following;
  }
}
