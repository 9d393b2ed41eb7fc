import { pino } from 'pino';
import type { Change, ContextRunner } from './cli/context.ts';
import { CliError, SettleTimeoutError } from './cli/errors.ts';
import { openFoundation, readModels } from './compose.ts';
import { readConfig } from './config.ts';
import { createLifecycle } from './lifecycle.ts';
import { laneOf } from './log/port.ts';
import { pause } from './pause.ts';
import { catalogReadModel } from './projections/catalog/read-model.ts';
import { schemaOf } from './projections/read-model.ts';
import { runProjector } from './projections/runtime/projector.ts';
import { waitUntilProjected } from './projections/runtime/wait.ts';
import { FRESH_MS } from './queries/catalog/fresh-cache.ts';
import type { CatalogSource } from './queries/catalog/source.ts';
import { systemSources } from './system-sources.ts';

/** decisions.md 7: a command waits so long for every running instance, then gives up with exit code 3. */
const WAIT_SECONDS = 10;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Opens what a command of the CLI works with, for as long as it takes. It projects too: beside a running service it finds
 * the leases taken and waits, without one it does the work itself.
 */
export const cliContext =
  (env: Environment): ContextRunner =>
  async (work) => {
    // Quiet unless asked: a command says what is wrong in one line.
    const config = readConfig({ LOG_LEVEL: 'silent', ...env });
    const logger = pino({ level: config.LOG_LEVEL }, pino.destination({ dest: 2, sync: true }));
    const lifecycle = createLifecycle();
    try {
      const { pool, log, instance } = await openFoundation(config, 'command', logger, lifecycle);
      const stopping = new AbortController();
      const projectors = readModels.map((model) =>
        runProjector({ model, log, pool, holder: instance, logger, signal: stopping.signal }),
      );
      lifecycle.started('projectors', async () => {
        stopping.abort();
        await Promise.all(projectors);
      });

      const settle = async ({ category, position, replaces }: Change): Promise<void> => {
        if (position === undefined) return;
        const cursor = new Map([[laneOf(position), position]]);
        const readers = readModels.filter((model) => model.categories.includes(category));
        const settled = await Promise.all(
          readers.map((model) => waitUntilProjected(pool, model, cursor, WAIT_SECONDS * 1000)),
        );
        if (settled.includes(false)) throw new SettleTimeoutError(WAIT_SECONDS);
        if (replaces === true) await pause(FRESH_MS);
      };
      const catalog = async (): Promise<CatalogSource> => {
        if (await waitUntilProjected(pool, catalogReadModel, await log.head(), WAIT_SECONDS * 1000))
          return { pool, schema: schemaOf(catalogReadModel) };
        throw new CliError(`the catalog has not caught up with the log within ${WAIT_SECONDS} s`);
      };
      return await work({ log, sources: systemSources, pool, catalog, settle });
    } finally {
      await lifecycle.stop();
    }
  };
