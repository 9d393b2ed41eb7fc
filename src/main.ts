import { pino } from 'pino';
import { ConfigError, readConfig } from './config.ts';
import { EmbeddedPostgresError } from './database/embedded/error.ts';
import { NewerDatabaseError } from './database/migrate.ts';
import { createLifecycle } from './lifecycle.ts';
import { startService } from './service.ts';
import { stopOnSignal } from './shutdown.ts';

/** The service's process: configuration from the environment, signals, exit codes. */

/** Errors whose message says all that the operator needs. */
function isExpected(error: unknown): error is Error {
  return error instanceof ConfigError || error instanceof EmbeddedPostgresError || error instanceof NewerDatabaseError;
}

const lifecycle = createLifecycle();
try {
  const config = readConfig(process.env);
  const logger = pino({ level: config.LOG_LEVEL });
  stopOnSignal(
    () => {
      logger.info('stopping');
      return lifecycle.stop();
    },
    (error) => logger.error({ err: error }, 'stopped with problems'),
  );
  await startService({
    config,
    logger,
    lifecycle,
    invite: (invitation, address) => process.stdout.write(invitation.text(address, process.stdout.isTTY === true)),
  });
} catch (error) {
  process.stderr.write(`botledger: ${isExpected(error) ? error.message : String((error as Error).stack ?? error)}\n`);
  await lifecycle.stop().catch((problem: unknown) => process.stderr.write(`botledger: ${String(problem)}\n`));
  process.exit(1);
}
