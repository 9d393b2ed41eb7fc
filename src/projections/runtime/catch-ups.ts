import type { Logger } from 'pino';
import { type GrowingPause, growingPause } from '../../util/growing-pause.ts';
import { pause } from '../../util/pause.ts';
import { type CatchUpOptions, catchUpBot } from './catch-up.ts';

/** The pauses before attempts: 1, 2, 4, 8, 16 and 32 s. Then the bot waits for an operator or the next start. */
const FIRST_MS = 1000;
const MOST_MS = 60_000;
const ATTEMPTS = 6;

export interface CatchUpsOptions extends CatchUpOptions {
  readonly logger: Logger;
  /** Called after commits may have been applied. */
  readonly onApplied: () => void;
  /** Called with an error that is not of a commit: the projector begins again. */
  readonly onFailed: (error: unknown) => void;
}

interface Due {
  readonly atMs: number;
  /** Attempts. */
  readonly left: number;
  readonly pausing: GrowingPause;
}

/** Lets the quarantined bots of one follower catch up, one after the other, each with growing pauses. */
export class CatchUps {
  readonly #options: CatchUpsOptions;
  readonly #due = new Map<string, Due>();
  #changed = new AbortController();
  #running: Promise<void> | null = null;

  constructor(options: CatchUpsOptions) {
    this.#options = options;
  }

  /** Plans new attempts for the bots. @param atOnce the reason may be gone; else the first attempt is after a pause */
  plan(bots: Iterable<string>, atOnce: boolean): void {
    for (const bot of bots) {
      const pausing = growingPause(FIRST_MS, MOST_MS);
      const atMs = performance.now() + (atOnce ? 0 : pausing.failed());
      this.#due.set(bot, { atMs, left: ATTEMPTS, pausing });
    }
    this.#changed.abort();
    if (this.#due.size > 0) this.#running ??= this.#run();
  }

  /** Resolves when no attempt runs. The signal must have aborted. */
  async ended(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal, onFailed } = this.#options;
    try {
      while (!signal.aborted && this.#due.size > 0) {
        const [bot, due] = [...this.#due].reduce((one, other) => (other[1].atMs < one[1].atMs ? other : one));
        const waitMs = due.atMs - performance.now();
        if (waitMs <= 0) await this.#attempt(bot, due);
        else {
          if (this.#changed.signal.aborted) this.#changed = new AbortController();
          await pause(waitMs, signal, this.#changed.signal);
        }
      }
    } catch (error) {
      onFailed(error);
    } finally {
      this.#running = null;
    }
  }

  async #attempt(bot: string, due: Due): Promise<void> {
    const { target, logger, onApplied } = this.#options;
    const result = await catchUpBot(this.#options, bot);
    onApplied();
    const fields = { projection: target.schema, bot };
    if (result === 'caught up') logger.info(fields, 'a quarantined bot has caught up');
    if (result === 'interrupted' || this.#due.get(bot) !== due) return;
    const left = due.left - 1;
    if (result === 'bad' && left > 0) {
      this.#due.set(bot, { ...due, left, atMs: performance.now() + due.pausing.failed() });
      return;
    }
    this.#due.delete(bot);
    if (result === 'bad') logger.error(fields, 'a bot stays quarantined until an operator retries, or the next start');
  }
}
