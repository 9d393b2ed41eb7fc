import type { RecordedCommit } from '../../log/port.ts';
import { keyOf } from '../../log/stream-name.ts';
import type { Target } from './apply.ts';
import type { BadCommitError } from './bad-commit.ts';
import { recordStop, remedyOf, skippedCommits } from './bad-events.ts';
import { loadCheckpoint } from './checkpoint.ts';
import type { ProjectorOptions } from './projector-options.ts';
import { loadQuarantines } from './quarantines.ts';
import { type Remedy, Writer } from './writer.ts';

interface WriterSettings {
  readonly partItems: (() => number) | undefined;
  /** Whether every bad commit stops the version now. */
  readonly isStrict: () => boolean;
  readonly onQuarantined: (bot: string) => void;
}

/** The writer of a follower: it continues from what the version has. */
export async function openWriter(
  { model, version, log, logger, onBadEvent }: ProjectorOptions & { readonly version: number },
  target: Target,
  partitions: ReadonlySet<number>,
  { partItems, isStrict, onQuarantined }: WriterSettings,
): Promise<Writer> {
  const { pool, schema: projection } = target;

  async function onBadCommit(commit: RecordedCommit, error: BadCommitError): Promise<Remedy> {
    const remedy = isStrict() ? 'stop' : remedyOf(model, onBadEvent, commit);
    if (remedy === 'stop') {
      await recordStop(target, version, commit, error);
      throw error;
    }
    const bot = keyOf(commit.stream);
    if (remedy === 'dead-letter') logger.error({ err: error, projection }, 'a bad event became a dead letter');
    else {
      logger.error({ err: error, projection, bot }, 'a bad event quarantined its bot; retrying');
      onQuarantined(bot);
    }
    return remedy;
  }

  const quarantined = [...(await loadQuarantines(pool, projection))];
  return new Writer({
    target,
    checkpoint: await loadCheckpoint(pool, projection),
    skipped: await skippedCommits(log, model.name),
    quarantined: new Map(quarantined.filter(([, { partition }]) => partitions.has(partition))),
    partItems,
    onBadCommit,
  });
}
