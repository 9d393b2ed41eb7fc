import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { pino } from 'pino';
import { readConfig } from '../../src/config.ts';
import { migrateRuntimeSchema } from '../../src/database/runtime-schema.ts';
import { CATEGORIES, isOfCheckpoints } from '../../src/domain/streams.ts';
import type { CommitDigest, EventLog } from '../../src/log/port.ts';
import { migrateProcessesSchema } from '../../src/processes/process-states.ts';
import { proof } from '../../src/processes/proof/proof-process.ts';
import { witnesses } from '../../src/processes/proof/witness-process.ts';
import { runProcesses } from '../../src/processes/run-processes.ts';
import { type CheckpointKeys, newCheckpointKeys, parseCheckpointKeys } from '../../src/proof/checkpoint-keys.ts';
import { lastCheckpoint, type StoredCheckpoint } from '../../src/queries/proof/last-checkpoint.ts';
import { migrateProofSchema } from '../../src/queries/proof/proof-schema.ts';
import { pause } from '../../src/util/pause.ts';
import { systemSources } from '../../src/util/system-sources.ts';
import type { TestDatabase } from './database.ts';

export interface ProofFollower {
  readonly keys: CheckpointKeys;
  readonly keyFile: string;
  /** Runs the process on a log until the returned function is called. */
  start(log: EventLog, env?: Readonly<Record<string, string>>): () => Promise<void>;
  /** Waits for a checkpoint over all that is in the log now, besides checkpoints. */
  checkpointOver(log: EventLog): Promise<StoredCheckpoint>;
  /** The errors that the process has ended with. */
  readonly errors: string[];
  close(): Promise<void>;
}

/** The process that keeps the trees, on a test's database, with new keys. */
export async function proofFollower({ pool }: Pick<TestDatabase, 'pool'>): Promise<ProofFollower> {
  await migrateRuntimeSchema(pool);
  await migrateProcessesSchema(pool);
  await migrateProofSchema(pool);
  const folder = await mkdtemp(join(tmpdir(), 'proof-'));
  const keyFile = join(folder, 'checkpoint-key');
  const text = newCheckpointKeys('ledger.test/log', systemSources.randomBytes);
  await writeFile(keyFile, text);
  const stops: (() => Promise<void>)[] = [];
  const errors: string[] = [];
  return {
    keys: parseCheckpointKeys(text) as CheckpointKeys,
    keyFile,
    errors,
    start(log, env = {}) {
      const stopping = new AbortController();
      const config = readConfig({ PROOF: 'on', CHECKPOINT_KEY: keyFile, CHECKPOINT_SECONDS: '1', ...env });
      const logger = pino({
        level: 'warn',
        hooks: {
          logMethod([fields]: unknown[]) {
            errors.push((fields as { err: Error }).err.message);
          },
        },
      });
      const instance = systemSources.uuid();
      const context = { log, pool, instance, logger, config, sources: systemSources };
      const processes = config.WITNESS_POLICY === undefined ? [proof] : [proof, witnesses];
      const running = runProcesses(context, processes, stopping.signal);
      const stop = async (): Promise<void> => {
        stopping.abort();
        await running;
      };
      stops.push(stop);
      return stop;
    },
    checkpointOver: (log) => checkpointOver(pool, log),
    async close() {
      for (const stop of stops) await stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** Waits for a checkpoint over all that is in the log now, besides checkpoints: those may stay unsigned. */
export async function checkpointOver(pool: Pool, log: EventLog): Promise<StoredCheckpoint> {
  const sizes = (await readDigests(log)).map(
    (digests) => digests.findLastIndex(({ stream }) => !isOfCheckpoints(stream)) + 1,
  );
  for (;;) {
    const last = await lastCheckpoint(pool);
    if (last !== null && sizes.every((size, tree) => last.entry.trees[tree]!.size >= size)) return last;
    await pause(20);
  }
}

/** All digests of the log, by partition. */
export async function readDigests(log: EventLog): Promise<CommitDigest[][]> {
  const found: CommitDigest[][] = Array.from({ length: log.partitions }, () => []);
  const ends = new Map(await log.endCursor());
  const stop = new AbortController();
  for await (const { partition, commits, last } of log.digests({
    categories: CATEGORIES,
    after: new Map(),
    signal: stop.signal,
  })) {
    found[partition]!.push(...commits);
    if (last >= (ends.get(partition) ?? '')) ends.delete(partition);
    if (ends.size === 0) break;
  }
  stop.abort();
  return found;
}
