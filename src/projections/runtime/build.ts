import type { Pool } from 'pg';
import type { Cursor, EventLog } from '../../log/port.ts';
import { pause } from '../../util/pause.ts';
import { BackOff } from './back-off.ts';
import { hasReasonToBackOff } from './back-off-reasons.ts';
import { saveMeasured } from './build-control.ts';
import { BuildPace } from './build-pace.ts';
import { BuildRate } from './build-rate.ts';
import { itemsOf } from './read-commits.ts';
import type { Version } from './versions.ts';
import type { Part } from './writer.ts';

const MEASURE_EVERY_MS = 2000;

/** The numbers of the units that a builder has (sections.ts), and how many there are. */
export interface UnitsOfBuilder {
  readonly own: ReadonlySet<number>;
  readonly all: number;
}

export interface BuildOptions {
  readonly pool: Pool;
  readonly log: Pick<EventLog, 'lag'>;
  /** Aborts when the builder must stop. */
  readonly signal: AbortSignal;
  /** Absent: it builds the whole version. */
  readonly units?: UnitsOfBuilder | undefined;
}

/** The builder's view of a build: keeps it to its limit, or without a limit backs off under load, and measures it. */
export class Build {
  readonly #version: Version;
  readonly #options: BuildOptions;
  readonly #pace: BuildPace;
  readonly #backOff = new BackOff();
  readonly #rate = new BuildRate();
  #events = 0;
  #pausedUntil = performance.now();
  #measuredAt = Number.NEGATIVE_INFINITY;

  constructor(version: Version, options: BuildOptions) {
    const { signal } = options;
    const now = (): number => performance.now();
    this.#version = version;
    this.#options = options;
    this.#pace = new BuildPace(this.#ownLimit(version.maxRate), { now, pause: (ms) => pause(ms, signal), signal });
  }

  /** The most events that a part should have. */
  readonly partEvents = (): number => Math.min(this.#pace.partEvents, this.#backOff.partEvents);

  /** Takes over the limit that an operator has set. */
  limit(maxRate: number | null): void {
    this.#pace.limit = this.#ownLimit(maxRate);
    if (maxRate !== null) this.#backOff.end();
  }

  /** Its units' share of the limit. */
  #ownLimit(maxRate: number | null): number | null {
    const { units } = this.#options;
    return maxRate === null || units === undefined ? maxRate : (maxRate * units.own.size) / units.all;
  }

  /** Waits after a transaction as long as the limit or the load demands. */
  async after(parts: readonly Part[]): Promise<void> {
    let events = 0;
    for (const { commits } of parts) for (const commit of commits) events += itemsOf(commit);
    this.#events += events;
    const pauseMs = this.#backOff.pauseAfter(performance.now() - this.#pausedUntil);
    await this.#pace.after(events);
    if (this.#backOff.isActive) await pause(pauseMs, this.#options.signal);
    this.#pausedUntil = performance.now();
  }

  /** Records how fast the build goes, if the last record is old enough. */
  async measure(applied: Cursor): Promise<void> {
    const atMs = performance.now();
    if (atMs - this.#measuredAt < MEASURE_EVERY_MS) return;
    this.#measuredAt = atMs;
    const { pool, log } = this.#options;
    const hasReason = this.#pace.limit === null && (await hasReasonToBackOff(pool, log, this.#version));
    // An operator who has set a limit, maybe in the meantime, has decided how fast the build goes.
    if (this.#pace.limit === null) this.#backOff.note(hasReason);
    else this.#backOff.end();
    const { commits } = await log.lag(applied);
    const speed = this.#rate.note({ atMs, events: this.#events, commitsLeft: commits });
    const units = [...(this.#options.units?.own ?? [])];
    await saveMeasured(pool, this.#version, units, {
      eventsPerSecond: speed?.eventsPerSecond ?? null,
      secondsLeft: speed?.secondsLeft ?? null,
      backsOff: this.#backOff.isActive,
    });
  }
}
