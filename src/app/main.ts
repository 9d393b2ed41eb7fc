import { ConfigError, environment, readConfig } from '../config.ts';
import { EmbeddedPostgresError } from '../database/embedded/error.ts';
import { NewerDatabaseError } from '../database/migrate.ts';
import { createLifecycle } from '../util/lifecycle.ts';
import { createLogger } from './logger.ts';
import { misspeltVariables, misspeltWarning } from './misspelt-variables.ts';
import { startProcesses } from './processes.ts';
import { runProjectors } from './projectors.ts';
import { startReportThreads } from './report-threads.ts';
import { startService } from './service.ts';
import { listenStartError, StartError } from './start-error.ts';
import { startThread } from './start-thread.ts';
import { StartStoppedError } from './start-wait.ts';

/** The service's process: configuration from the environment, signals, exit codes. */

/** Signals within this time of the first are the same one: npm and the terminal each deliver a Ctrl-C. */
const SAME_SIGNAL_MS = 500;

/** Errors whose message says all that the operator needs. */
const EXPECTED = [ConfigError, EmbeddedPostgresError, NewerDatabaseError, StartError];

function isExpected(error: unknown): error is Error {
  return EXPECTED.some((kind) => error instanceof kind);
}

const lifecycle = createLifecycle();
const stopping = new AbortController();

async function start(): Promise<void> {
  const config = readConfig(process.env);
  const logger = await createLogger(config.LOG_LEVEL);
  for (const misspelt of misspeltVariables(Object.keys(process.env), Object.keys(environment.shape)))
    logger.warn(misspeltWarning(misspelt));
  const starting = startService({
    config,
    logger,
    lifecycle,
    signal: stopping.signal,
    // Beside an api the projectors get a thread of their own, which leads the log's index too, and so do the processes.
    mayLead: config.ROLE !== 'all',
    project: (foundation) =>
      config.ROLE === 'all'
        ? startThread('projector', { config: { ...config, DATABASE_URL: foundation.connectionString } }, logger)
        : runProjectors(foundation, config, logger),
    act: (foundation) =>
      config.ROLE === 'all'
        ? startThread('process', { config: { ...config, DATABASE_URL: foundation.connectionString } }, logger)
        : startProcesses(foundation, config, logger),
    report: ({ connectionString }) => startReportThreads(connectionString, config),
    invite: (invitation, address) => process.stdout.write(invitation.text(address, process.stdout.isTTY === true)),
  });
  stopOnSignal(
    async () => {
      logger.info('stopping');
      stopping.abort();
      // A start that is still under way first gets to where its parts can be stopped; why it failed, it says itself.
      await starting.catch(() => {});
      await lifecycle.stop((part) => logger.info(`stopping ${part}`));
      logger.info('stopped');
    },
    (error) => logger.error({ err: error }, 'stopped with problems'),
  );
  await starting.catch((error: unknown) => {
    throw listenStartError(error, config);
  });
}

try {
  await start();
} catch (error) {
  // The signal handler stops the parts that were started and ends the process.
  if (!(error instanceof StartStoppedError)) {
    process.stderr.write(`botledger: ${isExpected(error) ? error.message : String((error as Error).stack ?? error)}\n`);
    await lifecycle.stop().catch((problem: unknown) => process.stderr.write(`botledger: ${String(problem)}\n`));
    process.exit(1);
  }
}

/**
 * Runs `stop` at the first SIGTERM or SIGINT and exits when it is done; a second signal exits at once.
 * Exit codes: 0 when all stopped in order, 1 when something did not.
 */
function stopOnSignal(stop: () => Promise<void>, onProblem: (error: unknown) => void): void {
  let first: number | null = null;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (first !== null) {
      if (performance.now() - first > SAME_SIGNAL_MS) process.exit(signal === 'SIGINT' ? 130 : 143);
      return;
    }
    first = performance.now();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        onProblem(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
