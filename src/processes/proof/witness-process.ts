import { askWitness } from '../../administration/proof/ask-witness.ts';
import { readCheckpointKeys, readWitnessPolicy } from '../../administration/proof/key-file.ts';
import { parseNote, signatureBy } from '../../proof/signed-note.ts';
import { tileTree } from '../../proof/tile-tree.ts';
import type { PolicyWitness } from '../../proof/witness-policy.ts';
import { lastCheckpoint, lastCosignedBy } from '../../queries/proof/last-checkpoint.ts';
import { OUTPUT_TREE, storedTiles } from '../../queries/proof/stored-trees.ts';
import { growingPause } from '../../util/growing-pause.ts';
import { pause } from '../../util/pause.ts';
import type { Process, ProcessContext } from '../process.ts';
import { createRest } from '../wait-for-work.ts';
import { CosignatureLog } from './cosignature-log.ts';

const LOOK_MS = 1000;
const FIRST_PAUSE_MS = 1000;
const MOST_PAUSE_MS = 5 * 60_000;
const NOTE_MS = 10_000;

/**
 * Asks the witnesses of the policy to cosign the last checkpoint (docs/proofs.md#witnesses). Each is asked by itself, so a
 * witness that does not answer delays no other. No writer, and no checkpoint, waits for it.
 */
export const witnesses: Process = {
  name: 'witnesses',
  instances: 'one',
  async run(context, signal) {
    const { WITNESS_POLICY, CHECKPOINT_KEY } = context.config;
    const policy = (await readWitnessPolicy(WITNESS_POLICY, await readCheckpointKeys(CHECKPOINT_KEY!)))!;
    const cosignatures = await CosignatureLog.open(context, policy);
    const ending = new AbortController();
    const until = AbortSignal.any([signal, ending.signal]);
    const running = policy.witnesses
      .filter(({ url }) => url !== null)
      .map((witness) =>
        keepAsking(context, witness, cosignatures, until).catch((error: unknown) => {
          ending.abort();
          throw error;
        }),
      );
    // A policy may name witnesses without addresses: they are asked by others.
    while (running.length === 0 && !signal.aborted) {
      context.note(await context.log.endCursor());
      await pause(NOTE_MS, signal);
    }
    await Promise.allSettled(running);
    await Promise.all(running);
  },
};

async function keepAsking(
  context: ProcessContext,
  witness: PolicyWitness,
  cosignatures: CosignatureLog,
  signal: AbortSignal,
): Promise<void> {
  const { log, note, logger, reportFailure } = context;
  const pauses = growingPause(FIRST_PAUSE_MS, MOST_PAUSE_MS);
  const subject = `witness ${witness.name}`;
  let askAgainAt: number | null = null;
  const rest = createRest(context, () => askAgainAt !== null && performance.now() >= askAgainAt);
  let lastEnd = '';
  while (!signal.aborted) {
    rest.begin();
    const end = await log.endCursor();
    const isDue = askAgainAt === null || performance.now() >= askAgainAt;
    const error = isDue ? await ask(context, witness, cosignatures, signal) : null;
    if (error !== null && !signal.aborted) {
      const againMs = pauses.failed();
      askAgainAt = performance.now() + againMs;
      logger.warn(
        { witness: witness.name, err: new Error(error) },
        `failed to get a cosignature; retrying in ${againMs / 1000} s`,
      );
      reportFailure(subject, { error, againMs });
    } else if (isDue) {
      if (askAgainAt !== null) reportFailure(subject, null);
      askAgainAt = null;
      pauses.succeeded();
    }
    note(end);
    // The process `proof` copies a checkpoint to the database shortly after the log has it, so the look is repeated once.
    const isSameEnd = lastEnd === [...end].join();
    lastEnd = [...end].join();
    await rest.rest(LOOK_MS, isSameEnd ? [end] : null, signal);
  }
}

/** @returns why the last checkpoint lacks the cosignature; null: it has it, or there is no checkpoint */
async function ask(
  { pool }: ProcessContext,
  witness: PolicyWitness,
  cosignatures: CosignatureLog,
  signal: AbortSignal,
): Promise<string | null> {
  const last = await lastCheckpoint(pool);
  if (last === null || signatureBy(parseNote(last.note)!, witness.verifier) !== undefined) return null;
  const { consistency } = tileTree(storedTiles(pool, OUTPUT_TREE));
  const asked = { size: last.size, note: last.note, consistency };
  const answer = await askWitness(witness, asked, await lastCosignedBy(pool, witness.verifier), signal);
  if (answer.type !== 'cosigned') return answer.error;
  await cosignatures.append(last.size, answer.cosignature);
  return null;
}
