import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CheckpointKeys, newCheckpointKeys, parseCheckpointKeys } from '../../src/proof/checkpoint-keys.ts';
import { systemSources } from '../../src/util/system-sources.ts';
import type { TestEngine } from './engines.ts';
import { checkpointOver } from './proof-follower.ts';
import { startTestService, type TestService } from './service.ts';

export interface ProofService {
  readonly service: TestService;
  readonly keys: CheckpointKeys;
  readonly keyFile: string;
  /** A folder for files of the test. */
  readonly folder: string;
  /** Waits for a checkpoint over all that is in the log now, besides checkpoints. */
  signed(): Promise<void>;
  stop(): Promise<void>;
}

/** A service with PROOF=on and new keys, and a checkpoint each second. @param changesFor more of its environment @param engine of its log */
export async function startProofService(
  changesFor: (keys: CheckpointKeys) => Promise<Record<string, string>> = async () => ({}),
  engine?: TestEngine,
): Promise<ProofService> {
  const folder = await mkdtemp(join(tmpdir(), 'proof-'));
  const keyFile = join(folder, 'checkpoint-key');
  const text = newCheckpointKeys('ledger.test/log', systemSources.randomBytes);
  await writeFile(keyFile, text);
  const keys = parseCheckpointKeys(text) as CheckpointKeys;
  const changes = await changesFor(keys);
  const env = { PROOF: 'on', CHECKPOINT_KEY: keyFile, CHECKPOINT_SECONDS: '1', ...changes };
  const service = await startTestService(env, engine);
  return {
    service,
    keys,
    keyFile,
    folder,
    async signed() {
      await checkpointOver(service.database.pool, service.log);
    },
    async stop() {
      await service.stop();
      await rm(folder, { recursive: true });
    },
  };
}
