import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import type { FastifyInstance } from 'fastify';

const SLOT_MS = 4000;
/** The p99 of fewer answers is the time of one of them. */
const LEAST_ANSWERS = 100;
/** The weight of the last slot in the quiet p99. */
const WEIGHT = 0.2;
const LONGEST_US = 3_600_000_000;

/** The p99 of an instance's answers, in milliseconds. */
export interface AnswerTimes {
  readonly p99: number;
  /** While nothing was being built. */
  readonly quietP99: number;
}

export interface AnswerTimesOptions {
  /** Whether any read model is being built. */
  readonly isAnyBuilt: () => Promise<boolean>;
  readonly save: (times: AnswerTimes) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/**
 * Measures the answers to clients, and saves their p99 while a read model is built. It works only after requests: an idle service
 * has no timer.
 */
export function measureAnswerTimes(app: FastifyInstance, { isAnyBuilt, save, onError }: AnswerTimesOptions): void {
  const slot: RecordableHistogram = createHistogram({ lowest: 1, highest: LONGEST_US, figures: 2 });
  let timer: NodeJS.Timeout | null = null;
  let quietP99: number | null = null;

  async function endSlot(): Promise<void> {
    timer = null;
    const { count } = slot;
    const p99 = slot.percentile(99) / 1000;
    slot.reset();
    if (count < LEAST_ANSWERS) return;
    if (!(await isAnyBuilt())) quietP99 = quietP99 === null ? p99 : quietP99 * (1 - WEIGHT) + p99 * WEIGHT;
    else if (quietP99 !== null) await save({ p99, quietP99 });
  }

  app.addHook('onResponse', (request, reply, done) => {
    // An export takes as long as its client reads.
    const url = request.routeOptions.url ?? '';
    if (url.startsWith('/v1/') && !url.startsWith('/v1/export/')) {
      slot.record(Math.max(1, Math.round(reply.elapsedTime * 1000)));
      timer ??= setTimeout(() => void endSlot().catch(onError), SLOT_MS).unref();
    }
    done();
  });
  app.addHook('onClose', (_app, done) => {
    if (timer !== null) clearTimeout(timer);
    done();
  });
}
