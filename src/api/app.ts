import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import type { CommandContext } from '../commands/decide-and-append.ts';
import type { Db } from '../queries/proof/stored-trees.ts';
import { AccessControl, type AccessControlOptions } from './access.ts';
import { type AnswerTimesOptions, measureAnswerTimes } from './answer-times.ts';
import { answerFrameworkError, handleErrors, refuseOtherMethods } from './api-errors.ts';
import { takeRawBodies } from './body.ts';
import { type ClickOptions, serveClicks } from './clicks/redirect.ts';
import { servePages } from './console/pages.ts';
import { type SessionOptions, serveSession, sessionAccess } from './console/session.ts';
import type { CorsOrigins } from './cors.ts';
import { closeInOrder } from './front.ts';
import { serveGuide } from './guide.ts';
import { rememberCommands } from './idempotency.ts';
import { describeApi } from './openapi.ts';
import { type OperationsOptions, serveOperations } from './operations.ts';
import { serveTiles } from './proof/serve-tiles.ts';
import { serveVerifyPage } from './proof/verify-page.ts';
import { answerRequestIds, requestIds } from './request-id.ts';
import { serveRoot } from './root.ts';
import { type AnyRoute, registerRoutes } from './route.ts';
import { traceRequests } from './trace-requests.ts';

export interface AppOptions {
  readonly logger: Logger;
  /** How many proxies stand in front, or their addresses and CIDRs. */
  readonly trustProxy: number | string[] | false;
  readonly operations: OperationsOptions;
  /** The dependencies of the role `api`; null for the other roles. */
  readonly api: {
    readonly access: AccessControlOptions;
    readonly routes: readonly AnyRoute[];
    readonly context: CommandContext;
    /** Where the times of answers are saved for builders. Absent: they are not measured. */
    readonly answerTimes?: AnswerTimesOptions;
    /** The console's sessions. Absent: the console is not served. */
    readonly console?: SessionOptions;
    /** Origins whose pages may call the intake methods; default none. */
    readonly corsOrigins?: CorsOrigins;
    /** Links of broadcasts that count clicks. Absent: they are not served. */
    readonly clicks?: ClickOptions;
    /** The database with the trees of hashes. Absent: none are kept. */
    readonly proofs?: Db;
  } | null;
}

/** The HTTP app of an instance. front.ts listens for it. */
export async function buildApp({ logger, trustProxy, operations, api }: AppOptions): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: logger as FastifyBaseLogger,
    trustProxy: typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : trustProxy,
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    genReqId: requestIds(),
    frameworkErrors: answerFrameworkError,
    // Fastify's own 503 has another form; closeInOrder answers in ours.
    return503OnClosing: false,
  });
  app.decorateRequest('principal', null);
  app.decorateRequest('operator', null);
  app.decorateRequest('access', null);
  app.decorateRequest('parsedBody', null);
  takeRawBodies(app);
  handleErrors(app);
  closeInOrder(app);
  answerRequestIds(app);
  traceRequests(app);
  logRequests(app, logger);
  const refuseMissingMethods = refuseOtherMethods(app);
  serveOperations(app, operations);
  if (api !== null) {
    let hasPages = false;
    if (api.answerTimes !== undefined) measureAnswerTimes(app, api.answerTimes);
    rememberCommands(app, api.context);
    await describeApi(app);
    serveGuide(app);
    const sessions = api.console === undefined ? {} : { sessions: sessionAccess(api.console) };
    const control = new AccessControl({ ...api.access, ...sessions });
    registerRoutes(app, control, api.routes, api.corsOrigins);
    if (api.clicks !== undefined) serveClicks(app, api.clicks);
    if (api.proofs !== undefined) {
      serveTiles(app, api.proofs);
      serveVerifyPage(app);
    }
    if (api.console !== undefined) {
      serveSession(app, control, { ...api.console, hasProofs: api.proofs !== undefined });
      hasPages = await servePages(app);
    }
    serveRoot(app, hasPages);
  }
  refuseMissingMethods();
  return app;
}

/** Logs one line a request, with its id. The query is left out, since it may hold a key. */
function logRequests(app: FastifyInstance, logger: Logger): void {
  app.addHook('onResponse', (request, reply, done) => {
    const level = reply.statusCode >= 500 && reply.statusCode !== 503 ? 'error' : 'debug';
    if (!logger.isLevelEnabled(level)) return done();
    request.log[level](
      {
        method: request.method,
        path: request.url.split('?', 1)[0],
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        key: request.principal?.keyId ?? request.operator?.operatorId,
      },
      'request',
    );
    done();
  });
}
