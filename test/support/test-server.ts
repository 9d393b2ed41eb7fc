import { openEmbeddedPostgres } from '../../src/database/embedded/open-embedded-postgres.ts';
import { temporaryDataDir } from './embedded-postgres.ts';

/** A PostgreSQL server for tests. */
export interface TestServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** An embedded server that a power cut may destroy. @throws EmbeddedPostgresError if it does not work here */
export async function startTestServer(): Promise<TestServer> {
  const folder = await temporaryDataDir();
  try {
    const log = { info: () => {}, warn: console.warn };
    const postgres = await openEmbeddedPostgres({ dataDir: folder.path, role: 'service', log, durable: false });
    return {
      url: postgres.url,
      async stop() {
        await postgres.close();
        await folder.remove();
      },
    };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}
