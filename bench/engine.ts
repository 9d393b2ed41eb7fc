import { randomUUID } from 'node:crypto';
import { startEventStore } from '../test/support/eventstore-server.ts';
import { startKafkaBroker } from '../test/support/kafka-broker.ts';

/** An engine of the log for a service of {@link startBenchService}. */
export interface BenchEngine {
  readonly name: string;
  /** The environment of a service with a new log of this engine. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Starts the engine. null if this machine has none of it. */
export async function startEngine(name: string): Promise<BenchEngine | null> {
  const log = `bench.${randomUUID()}`;
  if (name === 'postgres') return { name, env: {}, stop: async () => {} };
  if (name === 'kafka') {
    const broker = await startKafkaBroker();
    return broker && { name, env: broker.env(log), stop: () => broker.stop() };
  }
  const server = await startEventStore();
  return { name: `eventstoredb (${server.kind})`, env: server.env(log), stop: () => server.stop() };
}
