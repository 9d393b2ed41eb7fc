import type { Logger } from 'pino';
import { appendClicks } from '../../commands/broadcast/click-tracking.ts';
import type { CommandContext } from '../../commands/decide-and-append.ts';
import type { Click } from '../../domain/broadcast/clicks.ts';
import { isPassing } from '../../log/is-passing.ts';
import { pause } from '../../util/pause.ts';

/** `repeated`: the recipient has clicked the link too often; `dropped`: the log did not take it, or too many wait. */
export const CLICK_RESULTS = ['recorded', 'repeated', 'dropped'] as const;
export type ClickResult = (typeof CLICK_RESULTS)[number];

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
/** About 100 bytes each. */
const MOST_WAITING = 10_000;
const MOST_OF_COMMIT = 1000;
/** Clicks of one recipient on one link that are recorded, by period. */
const MOST_OF_LINK = 10;
const PERIOD_MS = 60 * 60 * 1000;
/** Pairs of recipient and link that are counted, about 15 MB. With more, counting begins again. */
const MOST_LINKS = 100_000;

/** Records clicks in the log, later and together (decisions.md#clicks-counted). */
export class ClickRecorder {
  private readonly waiting = new Map<string, Click[]>();
  private readonly closing = new AbortController();
  /** Clicks in `waiting`, and clicks that are being appended. */
  private unrecorded = 0;
  private flushing: Promise<void> | null = null;
  private readonly ofLink = new Map<string, number>();
  private periodBegan = Number.NEGATIVE_INFINITY;
  private readonly elapsed: () => number;

  constructor(private readonly options: ClickRecorderOptions) {
    this.elapsed = options.elapsed ?? (() => performance.now());
  }

  /** Never waits. @param bot public key */
  record(bot: string, click: Omit<Click, 'at'>): void {
    const { count, context } = this.options;
    if (this.isRepeated(click)) count('repeated', 1);
    else if (this.unrecorded >= MOST_WAITING || this.closing.signal.aborted) count('dropped', 1);
    else {
      const clicks = this.waiting.get(bot) ?? [];
      clicks.push({ ...click, at: context.sources.now() });
      this.waiting.set(bot, clicks);
      this.unrecorded++;
      this.flushLater();
    }
  }

  /** Records clicks that wait, within 2 s; clicks that are left are dropped. */
  async close(): Promise<void> {
    this.closing.abort();
    const late = pause(CLOSE_MS);
    while (this.flushing !== null) {
      const ended = await Promise.race([this.flushing.then(() => true), late.then(() => false)]);
      if (!ended) break;
    }
  }

  private isRepeated({ broadcast_id, launch, place, link }: Omit<Click, 'at'>): boolean {
    const now = this.elapsed();
    if (now - this.periodBegan >= PERIOD_MS || this.ofLink.size >= MOST_LINKS) {
      this.ofLink.clear();
      this.periodBegan = now;
    }
    const key = [broadcast_id, launch, place, link].join();
    const clicks = (this.ofLink.get(key) ?? 0) + 1;
    this.ofLink.set(key, clicks);
    return clicks > MOST_OF_LINK;
  }

  private flushLater(): void {
    if (this.waiting.size === 0) return;
    this.flushing ??= this.flush().finally(() => {
      this.flushing = null;
      this.flushLater();
    });
  }

  private async flush(): Promise<void> {
    await pause(FLUSH_MS, this.closing.signal);
    for (let [next] = this.waiting; next !== undefined; [next] = this.waiting) {
      const [bot, clicks] = next;
      const items = clicks.splice(0, MOST_OF_COMMIT);
      if (clicks.length === 0) this.waiting.delete(bot);
      this.options.count((await this.append(bot, items)) ? 'recorded' : 'dropped', items.length);
      this.unrecorded -= items.length;
    }
  }

  /** Returns whether the log has the clicks. */
  private async append(bot: string, items: Click[]): Promise<boolean> {
    const { context, logger } = this.options;
    const { signal } = this.closing;
    const id = context.sources.uuid();
    for (const begun = this.elapsed(); ; ) {
      try {
        await appendClicks(context, bot, id, items);
        return true;
      } catch (error) {
        const passes = isPassing(error);
        const isLate = signal.aborted && this.elapsed() - begun > CLOSE_MS;
        logger.warn(
          { err: error, bot, clicks: items.length },
          `failed to record clicks; ${passes ? 'retrying' : 'dropping them'}`,
        );
        if (!passes || isLate) return false;
        // The same id again: the log stores the commit once.
        await (signal.aborted ? pause(FLUSH_MS) : pause(AGAIN_MS, signal));
      }
    }
  }
}

export function createClickRecorder(options: ClickRecorderOptions): ClickRecorder {
  return new ClickRecorder(options);
}
