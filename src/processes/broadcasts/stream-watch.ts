import type { Logger } from 'pino';
import type { EventLog } from '../../log/port.ts';

/** Knows of streams whether they have grown, by asking the log for all of them at once. */
export interface StreamWatch {
  watch(stream: string): WatchedStream;
}

export interface WatchedStream {
  /** Whether there may be something in the stream that was not there when this was last asked; at first there may. */
  hasGrown(): boolean;
  end(): void;
}

/** How long it may take until it is known. */
const LOOK_MS = 200;

interface Watched {
  /** Undefined: not known yet. */
  revision: number | undefined;
  grown: boolean;
}

export function createStreamWatch(log: Pick<EventLog, 'streamHeads'>, logger: Logger, lookMs = LOOK_MS): StreamWatch {
  const streams = new Map<string, Set<Watched>>();
  let timer: NodeJS.Timeout | null = null;

  async function look(): Promise<void> {
    const asked = [...streams].map(([stream, watched]) => [stream, [...watched]] as const);
    try {
      const ends = await log.streamHeads(asked.map(([stream]) => stream));
      for (const [stream, all] of asked)
        for (const watched of all) {
          const revision = ends.get(stream)?.revision ?? 0;
          if (revision !== watched.revision) watched.grown = true;
          watched.revision = revision;
        }
    } catch (error) {
      // Whoever wants to know reads the stream, and is told what is wrong.
      logger.debug({ err: error }, 'it could not be asked whether streams have grown');
      for (const [, all] of asked) for (const watched of all) watched.grown = true;
    }
  }

  function lookLater(): void {
    if (timer !== null || streams.size === 0) return;
    timer = setTimeout(() => {
      void look().then(() => {
        timer = null;
        lookLater();
      });
    }, lookMs);
  }

  return {
    watch(stream) {
      const watched: Watched = { revision: undefined, grown: true };
      streams.set(stream, (streams.get(stream) ?? new Set()).add(watched));
      lookLater();
      return {
        hasGrown() {
          const { grown } = watched;
          watched.grown = false;
          return grown;
        },
        end() {
          const all = streams.get(stream);
          all?.delete(watched);
          if (all?.size === 0) streams.delete(stream);
        },
      };
    },
  };
}
