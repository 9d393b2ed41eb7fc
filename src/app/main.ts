import { ConfigError, environment, misspeltVariables, misspeltWarning, readConfig } from '../config.ts';
import { EmbeddedPostgresError } from '../database/embedded/error.ts';
import { NewerDatabaseError } from '../database/migrate.ts';
import { createLifecycle } from '../util/stop-in-order.ts';
import { isTracing, SEND_SPANS_MS, sendSpans } from '../util/tracing.ts';
import type { Foundation, Worker } from './compose.ts';
import type { ThreadKind } from './load-worker.ts';
import { loadWorker } from './load-worker.ts';
import { createLogger } from './logger.ts';
import { startReportThreads } from './report-threads.ts';
import { startService } from './service.ts';
import { listenStartError, StartError } from './start-failures.ts';
import { startThread } from './start-thread.ts';
import { StartStoppedError } from './start-wait.ts';

/** The OS process of the service: configuration from the environment, signals, exit codes. */

/** A signal so soon after the first one is a repeat of it: npm and the terminal each deliver a Ctrl-C. */
const SAME_SIGNAL_MS = 500;

/** Errors whose message suffices for the operator; others are written with their stack. */
const EXPECTED = [ConfigError, EmbeddedPostgresError, NewerDatabaseError, StartError];

function isExpected(error: unknown): error is Error {
  return EXPECTED.some((kind) => error instanceof kind);
}

const lifecycle = createLifecycle();
if (isTracing()) lifecycle.started('traces', () => sendSpans(SEND_SPANS_MS));
const stopping = new AbortController();

async function start(): Promise<void> {
  const config = readConfig(process.env);
  const logger = await createLogger(config.LOG_LEVEL);
  for (const misspelt of misspeltVariables(Object.keys(process.env), Object.keys(environment.shape)))
    logger.warn(misspeltWarning(misspelt));
  /**
   * With an api in the same OS process, projectors and processes get separate threads. That of the projectors also
   * leads the log's index.
   */
  const startWorker = async (kind: ThreadKind, foundation: Foundation): Promise<Worker> => {
    if (config.ROLE === 'all')
      return startThread({ kind, config: { ...config, DATABASE_URL: foundation.connectionString } }, logger);
    return (await loadWorker(kind))(foundation, config, logger);
  };
  const starting = startService({
    config,
    logger,
    lifecycle,
    signal: stopping.signal,
    mayLead: config.ROLE !== 'all',
    startProjectors: (foundation) => startWorker('projectors', foundation),
    startProcesses: (foundation) => startWorker('processes', foundation),
    startReports: ({ connectionString }) => startReportThreads(connectionString, config),
    showDemo: (demo, address, links) => {
      const logInToken = process.stdout.isTTY === true ? links.offer(demo.apiKey) : null;
      process.stdout.write(demo.text(address, logInToken));
    },
  });
  stopOnSignal(
    async () => {
      logger.info('stopping');
      stopping.abort();
      // Waits until a start under way has ended, so that all its parts can be stopped. Its error is reported below.
      await starting.catch(() => {});
      await lifecycle.stop((part) => logger.info(`stopping ${part}`));
      logger.info('stopped');
    },
    (error) => logger.error({ err: error }, 'failed to stop some parts'),
  );
  await starting.catch((error: unknown) => {
    throw listenStartError(error, config);
  });
}

try {
  await start();
} catch (error) {
  // After a StartStoppedError the signal handler stops the started parts and ends the OS process.
  if (!(error instanceof StartStoppedError)) {
    process.stderr.write(`botledger: ${isExpected(error) ? error.message : String((error as Error).stack ?? error)}\n`);
    await lifecycle.stop().catch((stopError: unknown) => process.stderr.write(`botledger: ${String(stopError)}\n`));
    process.exit(1);
  }
}

/**
 * Runs `stop` at the first SIGTERM or SIGINT and exits when it is done; a second signal exits at once.
 * Exit codes: 0 when all parts stopped, 1 when a part failed to stop.
 */
function stopOnSignal(stop: () => Promise<void>, onError: (error: unknown) => void): void {
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
        onError(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
