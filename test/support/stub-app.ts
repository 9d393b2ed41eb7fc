import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { type AppOptions, buildApp } from '../../src/api/app.ts';
import { systemSources } from '../../src/util/system-sources.ts';
import { memoryLog } from './memory-log.ts';

type Api = NonNullable<AppOptions['api']>;

export interface StubApp extends Pick<Partial<Api>, 'routes' | 'corsOrigins'> {
  /** Default: no key is valid, and there is no bot. */
  readonly authenticator?: Api['access']['authenticator'];
}

/** Operations that always succeed and show nothing. */
export const stubOperations: AppOptions['operations'] = {
  ready: async () => {},
  database: async () => {},
  projections: async () => [],
  horizon: async () => null,
  state: async () => ({
    versions: [],
    logCommits: 0,
    schemaBytes: new Map(),
    processFailures: new Map(),
    audit: null,
    quorum: null,
    broadcasts: { sending: 0, cap: 0 },
  }),
  now: () => 0,
  dataDir: null,
  threads: async () => [],
};

/** The HTTP app of an api without a database, with these routes. */
export function stubApp({ authenticator, routes = [], corsOrigins = [] }: StubApp): Promise<FastifyInstance> {
  return buildApp({
    logger: pino({ level: 'silent' }),
    trustProxy: false,
    operations: stubOperations,
    api: {
      access: {
        authenticator: authenticator ?? {
          authenticate: async () => null,
          authenticateHash: async () => null,
          resource: async () => 'unknown',
          webhookBot: async () => null,
        },
        catalogReady: () => true,
        ratePerKey: 0,
        failuresPerMinute: 0,
      },
      routes,
      context: { log: memoryLog(), sources: systemSources },
      corsOrigins,
    },
  });
}
