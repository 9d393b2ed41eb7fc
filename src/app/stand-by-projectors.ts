import type { Logger } from 'pino';
import { loadReadModel } from '../projections/load-read-model.ts';
import type { Manifest, ReadModel } from '../projections/read-model.ts';
import { runProjector, shareAmongProjectors } from '../projections/runtime/projector.ts';
import type { ProjectorOptions } from '../projections/runtime/projector-options.ts';
import type { Foundation } from './compose.ts';

/** The projectors of a command: each stands by, and projects while no service does. */
export class StandByProjectors {
  private readonly stopping = new AbortController();
  private readonly yielding = new AbortController();
  private readonly ends = AbortSignal.any([this.stopping.signal, this.yielding.signal]);
  /** By name of the read model. */
  private readonly projecting = new Map<string, Promise<void>>();
  private readonly shared: ReturnType<typeof shareAmongProjectors>;

  constructor(
    private readonly foundation: Foundation,
    private readonly logger: Logger,
    /** For tests: the read models instead of all. */
    private readonly changed?: readonly ReadModel[],
  ) {
    this.shared = shareAmongProjectors(foundation.pool, foundation.instance, logger);
  }

  /** Aborts when the command stops. */
  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  async optionsOf({ name }: Manifest): Promise<ProjectorOptions> {
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

  private async standBy(model: Manifest): Promise<void> {
    await runProjector({ ...(await this.optionsOf(model)), signal: this.ends }, true);
  }
}
