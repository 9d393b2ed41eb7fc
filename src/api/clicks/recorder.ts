import type { Logger } from 'pino';
import { appendClicks } from '../../commands/broadcast/append-clicks.ts';
import type { CommandContext } from '../../commands/decide-and-append.ts';
import type { Click } from '../../domain/broadcast/clicks.ts';
import { LogUnavailableError, OutcomeUnknownError } from '../../log/port.ts';
import { pause } from '../../util/pause.ts';

/** `repeated`: the recipient has clicked the link too often; `dropped`: the log did not take it, or too many wait. */
export const CLICK_RESULTS = ['recorded', 'repeated', 'dropped'] as const;
export type ClickResult = (typeof CLICK_RESULTS)[number];

/** Records clicks in the log, later and together (decisions.md#clicks-counted). */
export interface ClickRecorder {
  /** Never waits. @param bot public key */
  record(bot: string, click: Omit<Click, 'at'>): void;
  /** Records clicks that wait, within 2 s; clicks that are left are dropped. */
  close(): Promise<void>;
}

export interface ClickRecorderOptions {
  readonly context: Pick<CommandContext, 'log' | 'sources'>;
  readonly logger: Logger;
  readonly count: (result: ClickResult, clicks: number) => void;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsed?: () => number;
}

const FLUSH_MS = 250;
const AGAIN_MS = 1000;
const CLOSE_MS = 2000;
/** Some 100 bytes each. */
const MOST_WAITING = 10_000;
const MOST_OF_COMMIT = 1000;
/** Clicks of one recipient on one link that are recorded, by period. */
const MOST_OF_LINK = 10;
const PERIOD_MS = 60 * 60 * 1000;
/** Pairs of recipient and link that are counted, some 15 MB. With more, counting begins again. */
const MOST_LINKS = 100_000;

export function createClickRecorder({
  context,
  logger,
  count,
  elapsed = () => performance.now(),
}: ClickRecorderOptions): ClickRecorder {
  const { sources } = context;
  const waiting = new Map<string, Click[]>();
  const closing = new AbortController();
  /** Clicks in `waiting`, and those that are being appended. */
  let unrecorded = 0;
  let flushing: Promise<void> | null = null;
  const ofLink = new Map<string, number>();
  let periodBegan = Number.NEGATIVE_INFINITY;

  function isRepeated({ broadcast_id, launch, place, link }: Omit<Click, 'at'>): boolean {
    const now = elapsed();
    if (now - periodBegan >= PERIOD_MS || ofLink.size >= MOST_LINKS) {
      ofLink.clear();
      periodBegan = now;
    }
    const key = [broadcast_id, launch, place, link].join();
    const clicks = (ofLink.get(key) ?? 0) + 1;
    ofLink.set(key, clicks);
    return clicks > MOST_OF_LINK;
  }

  async function flush(): Promise<void> {
    await pause(FLUSH_MS, closing.signal);
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      const [bot, clicks] = next;
      const items = clicks.splice(0, MOST_OF_COMMIT);
      if (clicks.length === 0) waiting.delete(bot);
      count((await appended(bot, items)) ? 'recorded' : 'dropped', items.length);
      unrecorded -= items.length;
    }
  }

  async function appended(bot: string, items: Click[]): Promise<boolean> {
    const id = sources.uuid();
    for (const begun = elapsed(); ; ) {
      try {
        await appendClicks(context, bot, id, items);
        return true;
      } catch (error) {
        const isPassing = error instanceof LogUnavailableError || error instanceof OutcomeUnknownError;
        const isLate = closing.signal.aborted && elapsed() - begun > CLOSE_MS;
        logger.warn(
          { err: error, bot, clicks: items.length },
          `failed to record clicks; ${isPassing ? 'retrying' : 'dropping them'}`,
        );
        if (!isPassing || isLate) return false;
        // The same id again: the log stores the commit once.
        await (closing.signal.aborted ? pause(FLUSH_MS) : pause(AGAIN_MS, closing.signal));
      }
    }
  }

  function flushLater(): void {
    if (waiting.size === 0) return;
    flushing ??= flush().finally(() => {
      flushing = null;
      flushLater();
    });
  }

  return {
    record(bot, click) {
      if (isRepeated(click)) return count('repeated', 1);
      if (unrecorded >= MOST_WAITING || closing.signal.aborted) return count('dropped', 1);
      const clicks = waiting.get(bot) ?? [];
      clicks.push({ ...click, at: sources.now() });
      waiting.set(bot, clicks);
      unrecorded++;
      flushLater();
    },
    async close() {
      closing.abort();
      const late = pause(CLOSE_MS);
      while (flushing !== null) {
        const ended = await Promise.race([flushing.then(() => true), late.then(() => false)]);
        if (!ended) break;
      }
    },
  };
}
