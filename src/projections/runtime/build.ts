import type { Pool } from 'pg';
import type { Cursor, EventLog } from '../../log/port.ts';
import { pause } from '../../util/pause.ts';
import type { Part } from './apply.ts';
import { saveSpeed } from './build-control.ts';
import { BuildPace } from './build-pace.ts';
import { BuildRate } from './build-rate.ts';
import { itemsOf } from './read-commits.ts';
import type { Version } from './versions.ts';

const MEASURE_EVERY_MS = 2000;

export interface BuildOptions {
  readonly pool: Pool;
  readonly log: Pick<EventLog, 'lag'>;
  /** Aborts when the builder must stop. */
  readonly signal: AbortSignal;
}

/** The builder's view of a build: keeps it to its limit, and measures it. */
export class Build {
  readonly #version: Version;
  readonly #options: BuildOptions;
  readonly #pace: BuildPace;
  readonly #rate = new BuildRate();
  #events = 0;
  #measuredAt = Number.NEGATIVE_INFINITY;

  constructor(version: Version, options: BuildOptions) {
    const { signal } = options;
    const now = (): number => performance.now();
    this.#version = version;
    this.#options = options;
    this.#pace = new BuildPace(version.maxRate, { now, pause: (ms) => pause(ms, signal), signal });
  }

  /** The most events that a part should have. */
  readonly partEvents = (): number => this.#pace.partEvents;

  /** Takes over the limit that an operator has set. */
  limit(maxRate: number | null): void {
    this.#pace.limit = maxRate;
  }

  /** Waits after a transaction as long as the limit demands. */
  async after(parts: readonly Part[]): Promise<void> {
    let events = 0;
    for (const { commits } of parts) for (const commit of commits) events += itemsOf(commit);
    this.#events += events;
    await this.#pace.after(events);
  }

  /** Records how fast the build goes, if the last record is old enough. */
  async measure(applied: Cursor): Promise<void> {
    const atMs = performance.now();
    if (atMs - this.#measuredAt < MEASURE_EVERY_MS) return;
    this.#measuredAt = atMs;
    const { pool, log } = this.#options;
    const { commits } = await log.lag(applied);
    await saveSpeed(pool, this.#version, this.#rate.note({ atMs, events: this.#events, commitsLeft: commits }));
  }
}
