import type { Logger } from 'pino';
import { adminRoutes } from '../api/administration/routes.ts';
import type { AppOptions } from '../api/app.ts';
import { MAX_TEST_SENDS } from '../api/broadcast/test-turns.ts';
import { createFindLaunch } from '../api/clicks/find-launch.ts';
import type { ClickRecorder } from '../api/clicks/recorder.ts';
import type { OneTimeKeys } from '../api/console/one-time-keys.ts';
import { sessionStore } from '../api/console/session-store.ts';
import { createCaughtUpFind } from '../api/find-caught-up.ts';
import type { KeyUses } from '../api/key-uses.ts';
import type { AskedNotes } from '../api/reports/note-asked.ts';
import type { AnyRoute } from '../api/route.ts';
import { apiRoutes } from '../api/routes.ts';
import { createChangeWait } from '../api/wait-for-change.ts';
import { createEventTypeDirectory } from '../commands/intake/event-type-directory.ts';
import { type Config, servesAdmin } from '../config.ts';
import { FRESH_MS } from '../database/fresh-cache.ts';
import { type BotApi, createBotApi } from '../platform/bot-api.ts';
import type { Manifest } from '../projections/read-model.ts';
import { createReader, type Reader } from '../projections/reader.ts';
import { isAnyBuilt, saveAnswerTimes } from '../projections/runtime/back-off-reasons.ts';
import { schemaCatchesUp } from '../projections/runtime/wait-for-read-models.ts';
import { createAuthenticator } from '../queries/catalog/authenticator.ts';
import { createOperatorAuthenticator } from '../queries/operations/operator-list.ts';
import { pause } from '../util/pause.ts';
import { systemSources } from '../util/system-sources.ts';
import type { Foundation } from './compose.ts';
import { pacedLog } from './intake-pace.ts';
import { proofSource } from './proof-source.ts';
import type { ReportThreads } from './report-threads.ts';
import type { RequestPools } from './request-pools.ts';

/** How long a test send waits for the platform's answer (decisions.md#test-send). */
const TEST_ANSWER_MS = 10_000;
/** A request looks up the key and the bot, one after the other. Both together may take MAX_WAIT_MS. */
const LOOKUPS = 2;

export interface ServiceApiOptions {
  readonly config: Config;
  readonly logger: Logger;
  readonly foundation: Foundation;
  readonly manifests: readonly Manifest[];
  readonly pools: RequestPools;
  /** The calls of test sends. */
  readonly botApi: BotApi;
  readonly reports: ReportThreads;
  readonly clicks: ClickRecorder;
  readonly uses: KeyUses;
  readonly asked: AskedNotes;
  readonly links: OneTimeKeys;
  readonly catalogReady: () => boolean;
}

/** The platform as test sends call it. */
export function testSendBotApi(config: Config): BotApi {
  const root = config.TELEGRAM_API_ROOT;
  return createBotApi({ root, connections: MAX_TEST_SENDS, answerTimeoutMs: TEST_ANSWER_MS });
}

/** Composes the role `api`: access, routes, links that count clicks, and the console's sessions. */
export function serviceApi(options: ServiceApiOptions): NonNullable<AppOptions['api']> {
  const { config, logger, foundation, manifests, pools, clicks, uses, links, catalogReady } = options;
  const { lookups } = pools;
  const { log } = foundation;
  const sources = systemSources;
  const maxWaitMs = config.MAX_WAIT_MS / LOOKUPS;
  const db = createReader(lookups, manifests, maxWaitMs);
  const keyTables = { catalog: () => db.at('catalog'), isCaughtUp: schemaCatchesUp(log, lookups), maxWaitMs };
  const authenticator = createAuthenticator({ ...keyTables, sources });
  const operators = servesAdmin(config) ? createOperatorAuthenticator(keyTables) : undefined;
  return {
    access: {
      authenticator,
      ...(operators && { operators }),
      catalogReady,
      ratePerKey: config.RATE_LIMIT_PER_KEY,
      failuresPerMinute: config.AUTH_FAILURES_PER_MINUTE,
      noteUse: uses.note,
    },
    routes: routesOf(options, db),
    context: { log, sources },
    answerTimes: {
      isAnyBuilt: () => isAnyBuilt(lookups),
      save: (times) => saveAnswerTimes(lookups, foundation.instance, times),
      onError: (err) => logger.warn({ err }, 'failed to record how long answers take'),
    },
    corsOrigins: config.CORS_ORIGINS,
    ...(config.PROOF === 'on' && { proofs: lookups }),
    clicks: {
      recorder: clicks,
      findLaunch: createFindLaunch({ log, db }),
    },
    console: {
      authenticator,
      ...(operators && { operators }),
      store: sessionStore(lookups),
      oneTimeKeys: links,
      db,
      sources,
    },
  };
}

function routesOf(options: ServiceApiOptions, db: Reader): AnyRoute[] {
  const { config, foundation, manifests, pools, botApi, reports, asked } = options;
  const { lookups, counts, exports } = pools;
  const { log, pool } = foundation;
  const sources = systemSources;
  const routes = apiRoutes({
    config,
    db,
    counts,
    exports,
    botApi,
    runReport: reports.run,
    findCellUsers: reports.findUsers,
    noteAsked: asked.note,
    log: pacedLog(log, lookups, manifests, config.MAX_WAIT_MS),
    sources,
    directory: createEventTypeDirectory({ log, sources }),
    proofs: proofSource(config, log, lookups),
  });
  if (!servesAdmin(config)) return routes;
  const admin = adminRoutes({
    context: { log, sources, pool, manifests, waitForSwitch: () => pause(2 * FRESH_MS) },
    db,
    waitForCatalog: createChangeWait(lookups, 'catalog'),
    findCaughtUp: createCaughtUpFind({ pool: lookups, log, model: 'catalog', maxWaitMs: config.MAX_WAIT_MS }),
  });
  return [...routes, ...admin];
}
