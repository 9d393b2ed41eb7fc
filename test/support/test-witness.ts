import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningWitness, startWitness } from '../../src/administration/proof/witness-server.ts';
import type { CheckpointKeys } from '../../src/proof/checkpoint-keys.ts';
import { parseSigner, parseVerifier, privateKeyText } from '../../src/proof/signed-note.ts';
import { systemSources } from '../../src/util/system-sources.ts';

export interface TestWitness {
  readonly verifierKey: string;
  /** Its line in a policy. */
  readonly policyLine: string;
  /** The lines that it wrote for a person. */
  readonly lines: readonly string[];
  /** Stops answering. */
  kill(): Promise<void>;
  /** Answers again at the same address, with what it had seen. */
  start(): Promise<void>;
  /** Stops it and deletes what it had seen. */
  stop(): Promise<void>;
}

/** A witness of the log with these keys, in this OS process. */
export async function startTestWitness(
  name: string,
  { signers }: Pick<CheckpointKeys, 'signers'>,
): Promise<TestWitness> {
  const folder = await mkdtemp(join(tmpdir(), 'witness-'));
  const signer = parseSigner(privateKeyText(`${name}.test/w`, systemSources.randomBytes(32), 'witness'), 'witness')!;
  const lines: string[] = [];
  const options = {
    signer,
    folder,
    logs: signers.map(({ verifierKey }) => parseVerifier(verifierKey)!),
    host: '127.0.0.1',
    now: systemSources.now,
    notice: (line: string) => void lines.push(line),
  };
  let running: RunningWitness | null = await startWitness({ ...options, port: 0 });
  const { address } = running;
  const kill = async (): Promise<void> => {
    await running?.stop();
    running = null;
  };
  return {
    verifierKey: signer.verifierKey,
    policyLine: `witness ${name} ${signer.verifierKey} ${address}`,
    lines,
    kill,
    async start() {
      running ??= await startWitness({ ...options, port: Number(new URL(address).port) });
    },
    async stop() {
      await kill();
      await rm(folder, { recursive: true });
    },
  };
}
