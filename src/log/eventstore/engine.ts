import { z } from 'zod';
import { defineEngine } from '../engine.ts';
import { parseEventStoreUrl } from './eventstore-url.ts';

/** The log on an EventStoreDB stream. */
export const eventStore = defineEngine({
  name: 'eventstoredb',
  config: {
    variables: {
      EVENTSTORE_URL: z
        // Unlike a URL, a connection string may name several hosts.
        .string()
        .regex(/^(esdb|kurrentdb|kdb)(\+discover)?:\/\/./, { error: 'must be like esdb://host:port?tls=false' })
        .optional()
        .describe(
          'esdb://host:port?tls=false, or any other connection string of EventStoreDB’s clients; needed with EVENT_LOG=eventstoredb',
        ),
      EVENTSTORE_STREAM: z.string().min(1).default('botledger').describe('The stream that is the log'),
    },
    address: 'EVENTSTORE_URL',
    log: 'EVENTSTORE_STREAM',
    servers: ({ EVENTSTORE_URL = '' }) => parseEventStoreUrl(EVENTSTORE_URL).servers,
  },
  async tables() {
    const { SCHEMA: schema, migrations } = await import('./migrations.ts');
    return { schema, migrations };
  },
  async open({ EVENTSTORE_URL: url = '', EVENTSTORE_STREAM: stream }, options) {
    const { openEventStoreLog } = await import('./eventstore-log.ts');
    return openEventStoreLog({ ...options, url, stream });
  },
});
