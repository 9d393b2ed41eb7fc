import type { Logger } from 'pino';
import { loadReadModel } from '../projections/load-read-model.ts';
import type { Manifest, ReadModel } from '../projections/read-model.ts';
import type { ProjectorOptions, SharedByProjectors } from '../projections/runtime/projector-options.ts';
import { isFollowed, knownVersions } from '../projections/runtime/versions.ts';
import { pause } from '../util/pause.ts';
import type { Foundation } from './compose.ts';

/** How often a command looks whether the service still projects a read model. */
const LOOK_MS = 500;

/** The projectors of a command: each waits, and projects while no service does. */
export class StandByProjectors {
  private readonly stopping = new AbortController();
  private readonly yielding = new AbortController();
  private readonly ends = AbortSignal.any([this.stopping.signal, this.yielding.signal]);
  /** By name of the read model. */
  private readonly projecting = new Map<string, Promise<void>>();
  private shared: SharedByProjectors | undefined;

  constructor(
    private readonly foundation: Foundation,
    private readonly logger: Logger,
    /** For tests: the read models instead of all. */
    private readonly changed?: readonly ReadModel[],
  ) {}

  /** Aborts when the command stops. */
  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  async optionsOf({ name }: Manifest): Promise<ProjectorOptions> {
    const { shareAmongProjectors } = await import('../projections/runtime/projector.ts');
    this.shared ??= shareAmongProjectors(this.foundation.pool, this.foundation.instance, this.logger);
    return {
      model: this.changed?.find((each) => each.name === name) ?? (await loadReadModel(name)),
      log: this.foundation.log,
      ...this.shared,
      logger: this.logger,
      onBadEvent: 'stop',
      standBy: true,
      signal: this.stopping.signal,
    };
  }

  /** Starts the projector of a read model, unless it runs or the projectors have ended. */
  begin(model: Manifest): void {
    if (this.ends.aborted || this.projecting.has(model.name)) return;
    this.projecting.set(model.name, this.standBy(model));
  }

  /** Leaves all read models to the service. */
  async yieldToService(): Promise<void> {
    this.yielding.abort();
    await Promise.all(this.projecting.values());
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.projecting.values());
  }

  /** Loads the code of projectors (a third of a command's code) only if no service projects the read model. */
  private async standBy(model: Manifest): Promise<void> {
    while (await this.isProjected(model)) await pause(LOOK_MS, this.ends);
    if (this.ends.aborted) return;
    const { runProjector } = await import('../projections/runtime/projector.ts');
    await runProjector({ ...(await this.optionsOf(model)), signal: this.ends }, true);
  }

  private async isProjected(model: Manifest): Promise<boolean> {
    const { pool, instance } = this.foundation;
    try {
      for (const { name, version } of await knownVersions(pool, model))
        if (!this.ends.aborted && (await isFollowed(pool, name, version, instance))) return true;
    } catch (error) {
      this.logger.warn({ err: error, projection: model.name }, 'failed to look whether a service projects; projecting');
    }
    return false;
  }
}
