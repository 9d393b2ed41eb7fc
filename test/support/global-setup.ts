import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** A server on which tests may create databases. */
    databaseUrl: string;
  }
}

export default async function setup(project: TestProject): Promise<void> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given === undefined) throw new Error('TEST_DATABASE_URL is not set');
  project.provide('databaseUrl', given);
}
