import type { TestProject } from 'vitest/node';
import { EmbeddedPostgresError } from '../../src/database/embedded/error.ts';
import { startTestServer, type TestServer } from './test-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A server on which tests may create databases. */
    databaseUrl: string;
  }
}

/** The server of TEST_DATABASE_URL, else an embedded one, else a container. The tests' role need not be a superuser. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['TEST_DATABASE_URL'];
  const server = given === undefined ? await startServer() : { url: given, stop: async () => {} };
  project.provide('databaseUrl', server.url);
  return server.stop;
}

async function startServer(): Promise<TestServer> {
  try {
    return await startTestServer();
  } catch (error) {
    if (!(error instanceof EmbeddedPostgresError)) throw error;
    console.warn(`no embedded PostgreSQL for the tests (${error.message}), trying a container`);
  }
  try {
    const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
    const container = await new PostgreSqlContainer('postgres:18-alpine').start();
    return { url: container.getConnectionUri(), stop: async () => void (await container.stop()) };
  } catch (cause) {
    throw new Error('the tests need PostgreSQL: set TEST_DATABASE_URL, or make the embedded one or Docker work', {
      cause,
    });
  }
}
