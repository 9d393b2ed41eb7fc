import type { Logger } from 'pino';
import type { z } from 'zod';
import type { MigratedSchema } from '../database/migrate.ts';
import type { EventLog } from './port.ts';

/** A host and a TCP port. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * One engine of the log: its name, its configuration and how to open it. `engines.ts` lists them. The object stands in
 * the engine's folder (`engine.ts`) and loads the engine's client when a log is opened, not before.
 */
export interface Engine<Variables extends z.core.$ZodLooseShape = z.core.$ZodLooseShape> {
  /** Its name in EVENT_LOG. */
  readonly name: string;
  readonly config: EngineConfig<Variables>;
  /** The schema that it has in the database: the log, or the index of the log. */
  tables(): Promise<MigratedSchema>;
  /** @throws LogUnavailableError, LogUnfitError */
  open(variables: Values<Variables>, options: OpenOptions): Promise<EventLog>;
}

interface EngineConfig<Variables extends z.core.$ZodLooseShape> {
  /** The engine's environment variables. `src/config.ts` reads them with all others. */
  readonly variables: Variables;
  /** The variable with the server's address. The engine cannot be chosen without it if it is one of `variables`. */
  readonly address: string;
  /** The variable that names the log on that server. */
  readonly log: string;
  /** The servers to reach. Empty: the log is in the database of the read models. */
  servers(variables: Values<Variables>): readonly Address[];
}

/** The parsed values of the variables. To zod's types a shape without keys is one of unknown keys, hence the condition. */
type Values<Variables extends z.core.$ZodLooseShape> = keyof Variables extends never
  ? object
  : Readonly<z.output<z.ZodObject<Variables>>>;

/** Options that every engine is opened with, besides its own variables. */
export interface OpenOptions {
  /** The database of the log or of its index. The schema `runtime` (leases) must exist. */
  readonly connectionString: string;
  /** Unique per instance of the service. */
  readonly holder: string;
  readonly logger: Logger;
  /** Categories of *any* streams. A reader of other categories reads only the index. */
  readonly anyCategories: readonly string[];
  /** The longest wait of an append, in milliseconds. Default 5,000. */
  readonly maxWaitMs?: number;
  /** Whether this instance may lead the index of a validated log. Default true. Exact appends need one leader. */
  readonly mayLead?: boolean;
  /** When it aborts, this instance stops leading the index: for a command that lowers its priority. */
  readonly leadUntil?: AbortSignal | undefined;
  /** Called with the number of commits of each group of appends that is sent at once. */
  readonly onGroup?: ((commits: number) => void) | undefined;
}

/** Returns the engine. Infers the types of its variables. */
export function defineEngine<Variables extends z.core.$ZodLooseShape>(engine: Engine<Variables>): Engine<Variables> {
  return engine;
}

/** Parses `host`, `host:port` and `[IPv6]:port`. */
export function addressOf(text: string, defaultPort: number): Address {
  const [, host = text, port] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(text) ?? [];
  return { host, port: Number(port ?? defaultPort) };
}
