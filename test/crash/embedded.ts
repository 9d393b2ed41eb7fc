import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { expect } from 'vitest';
import { ANY_CATEGORIES } from '../../src/domain/streams.ts';
import { openPostgresLog } from '../../src/log/postgres/postgres-log.ts';
import { lastCheckpoint } from '../../src/queries/proof/last-checkpoint.ts';
import { serverOf, temporaryDataDir } from '../support/embedded-postgres.ts';
import { serviceProcess } from '../support/service-process.ts';
import { crashRounds, drawn } from './rounds.ts';

/** Kills a service, its embedded PostgreSQL, or both at once. */
export async function crashEmbedded(rounds: number): Promise<void> {
  const folder = await temporaryDataDir();
  const env = { DATA_DIR: folder.path, PROOF: 'on', CHECKPOINT_SECONDS: '1' };
  const service = await serviceProcess(env);
  let pool: pg.Pool | null = null;
  let log: Awaited<ReturnType<typeof openPostgresLog>> | null = null;
  try {
    await service.start();
    await service.ready();
    const apiKey = (await readFile(join(folder.path, 'demo.key'), 'utf8')).trim();
    const { port, password } = JSON.parse(await readFile(join(folder.path, 'postgres.json'), 'utf8'));
    const connectionString = `postgres://botledger:${password}@127.0.0.1:${port}/botledger`;
    pool = new pg.Pool({ connectionString });
    pool.on('error', () => {}); // the test kills the server
    log = await openPostgresLog({ connectionString, anyCategories: ANY_CATEGORIES });
    const killServer = async (): Promise<void> => {
      const server = await serverOf(folder.path);
      if (server !== undefined) process.kill(server.pid, 'SIGKILL');
    };
    await crashRounds(
      {
        address: service.address,
        apiKey,
        pool,
        log,
        output: service.output,
        victims: {
          service: async () => {
            await service.kill('SIGKILL');
            await service.start();
          },
          postgres: killServer,
          both: async () => {
            await killServer();
            await service.kill('SIGKILL', 'group');
            await service.start();
          },
        },
      },
      drawn(['service', 'postgres', 'both'], rounds),
    );
    // Every checkpoint that was signed between the kills is of the log as it is now.
    const audited = await promisify(execFile)(process.execPath, ['bin/botledger.js', 'audit', 'verify', '--json'], {
      env: { ...process.env, ...env },
    });
    expect(await lastCheckpoint(pool)).not.toBeNull();
    expect(JSON.parse(audited.stdout)).toEqual([]);
  } finally {
    await log?.close();
    await pool?.end();
    await service.kill('SIGTERM');
    await folder.remove();
  }
}
