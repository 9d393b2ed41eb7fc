import {
  type DeadLetter,
  deadLetters,
  retryDeadLetter,
  skipDeadLetter,
} from '../../domain/operations/dead-letter-events.ts';
import { projectionStream } from '../../domain/streams.ts';
import { type CommandContext, type CommandMeta, decideAndAppend } from '../decide-and-append.ts';

/** Decides on a dead letter, a commit that a read model cannot apply: skip it for a reason, or (null) apply it again. */
export async function decideDeadLetter(
  context: CommandContext,
  readModel: string,
  letter: DeadLetter,
  skipFor: string | null,
  meta: CommandMeta = {},
): Promise<void> {
  await decideAndAppend(
    context,
    deadLetters,
    projectionStream(readModel),
    (state) => (skipFor === null ? retryDeadLetter(state, letter) : skipDeadLetter(state, letter, skipFor)),
    meta,
  );
}
