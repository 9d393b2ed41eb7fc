import type { FastifyRequest } from 'fastify';
import type { CommandContext, CommandMeta } from '../../commands/decide-and-append.ts';
import { Rejection } from '../../domain/rejection.ts';
import type { Position, RecordedCommit } from '../../log/port.ts';
import type { Reader } from '../../projections/reader.ts';
import { principalOf } from '../access.ts';
import { underKey } from '../idempotency.ts';
import type { WaitForChange } from '../wait-for-change.ts';

/** Dependencies of the settings. */
export interface Settings {
  readonly context: CommandContext;
  readonly db: Reader;
  /** Waits for the catalog. */
  readonly waitForChange: WaitForChange;
}

/** The result of a command. */
export interface Done {
  readonly position: Position | undefined;
  readonly repeated: RecordedCommit | null;
}

export interface Change<D extends Done> {
  /** Names the command of an Idempotency-Key: the path below `/v1/`. */
  readonly route: string;
  /** Decides and appends. Its `meta` names the key that asks. A repeat appends nothing and returns the first result. */
  readonly work: (meta: CommandMeta) => Promise<D>;
  readonly dataOf: (done: D) => object;
  /**
   * The data of a repeat's answer, from the commit that it repeats. A secret is null: it was shown
   * (decisions.md#shown-once).
   */
  readonly repeatOf: (first: RecordedCommit) => object;
  /** The stream of a command that is not about the bot of the request, by the command's id. */
  readonly streamOf?: (commandId: string) => string;
}

/** Changes a setting, and answers when the read model shows it, or that it is late (decisions.md#owner-settings). */
export function change<D extends Done>(
  request: FastifyRequest,
  waitForChange: WaitForChange,
  { route, work, dataOf, repeatOf, streamOf }: Change<D>,
): Promise<object> {
  const { keyId } = principalOf(request);
  return underKey<D | Repeat, object>(
    request,
    route,
    async (command, first) =>
      first === null ? work({ keyId, command }).catch(named) : { position: first.position, repeated: first },
    async (done) => {
      const seen = await waitForChange(request, done.position);
      const data = isRepeat(done) ? repeatOf(done.repeated) : dataOf(done);
      return { ok: true, data, ...(seen ? {} : { lagging: true }) };
    },
    streamOf,
  );
}

interface Repeat extends Done {
  readonly repeated: RecordedCommit;
}

const isRepeat = (done: Done): done is Repeat => done.repeated !== null;

/** Fields of bodies by the paths of the domain, where they differ. */
const FIELDS: Readonly<Record<string, string>> = {
  bot: 'bots',
  expires: 'expires_at',
  key: 'key_id',
  overlap: 'overlap_seconds',
  rule: 'rule_id',
};

/** Makes a refusal of the domain point at the field of the body. @throws Rejection, or the error as it is */
function named(error: unknown): never {
  if (!(error instanceof Rejection)) throw error;
  const { code, path, message, allowed } = error;
  // A unit that is unknown was named by its id; one that is wrong, by its code.
  const unit = code === 'not_found' ? 'unit_id' : 'currency';
  throw new Rejection(code, path === 'unit' ? unit : (FIELDS[path] ?? path), message, allowed);
}

/** Access of the routes about one bot, and of those about the owner. */
export const OF_BOT = { resource: 'required', owner: true } as const;
export const OF_OWNER = { resource: 'optional', owner: true } as const;
