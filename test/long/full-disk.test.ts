import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { pause } from '../../src/util/pause.ts';
import { eventually, serverOf, stopServerOf } from '../support/embedded-postgres.ts';
import { type ServiceProcess, serviceProcess } from '../support/service-process.ts';

// The test starts, kills and restarts a service and its server. That takes long on a busy machine.
vi.setConfig({ testTimeout: 300_000 });

/** The disk of the service is a separate file system. Requests fill it and the test then enlarges it. */
const disk = mountDisk('90m');
if (disk === null) console.warn('a full disk is not tested: the tests may not mount a tmpfs on this machine');

let service: ServiceProcess | null = null;
afterAll(async () => {
  await service?.kill('SIGKILL');
  if (disk === null) return;
  await stopServerOf(disk);
  execFileSync('umount', [disk]);
  rmdirSync(disk);
});

test.skipIf(disk === null)(
  'after a full disk is enlarged, the service becomes ready by itself and has all that it acknowledged',
  async () => {
    const dataDir = disk!;
    service = await serviceProcess({ DATA_DIR: dataDir });
    await service.start();
    await service.ready();
    const apiKey = (await readFile(join(dataDir, 'demo.key'), 'utf8')).trim();
    const user = {
      update_id: 1,
      message: {
        message_id: 1,
        date: 1_767_225_600,
        chat: { id: 7, type: 'private' },
        from: { id: 7, is_bot: false, first_name: 'A' },
      },
    };
    expect((await post('/v1/send-update', { update: user })).status).toBe(200);

    let acknowledged = 0;
    while (!/PostgreSQL is still down: .*no space (is )?left/i.test(service.output())) {
      const { status } = await post('/v1/send-event', batch());
      expect([200, 500, 503]).toContain(status);
      if (status === 200) acknowledged += BATCH;
      else await pause(100);
    }
    expect((await fetch(`${service.address}/ready`)).status).toBe(503);
    const metrics = await (await fetch(`${service.address}/metrics`)).text();
    expect(metrics).toContain('botledger_database_up 0');
    expect(metrics).toMatch(/^botledger_projection_lag_events\{projection="events",version="1"\} \d/m);

    const lines = (): number => service!.output().split('\n').length;
    const before = lines();
    for (let n = 0; n < 10; n++) {
      expect((await post('/v1/send-event', batch())).status).toBe(503);
      await pause(500);
    }
    expect(lines() - before).toBeLessThan(100);

    execFileSync('mount', ['-o', 'remount,size=2g', dataDir]);
    await service.ready();
    expect(service.output()).toContain('PostgreSQL is back');
    await eventually(async () => {
      const { count } = await countOf('filling');
      // Events with the answer `outcome unknown` may be in the log, too.
      expect(count).toBeGreaterThanOrEqual(acknowledged);
      expect(count % BATCH).toBe(0);
    }, 120_000);

    // The service still stops step by step.
    await service.kill('SIGTERM');
    expect(await service.ended()).toBe(0);
    expect(service.output()).toContain('stopping embedded PostgreSQL');
    expect(await serverOf(dataDir)).toBeUndefined();

    async function countOf(event: string): Promise<{ count: number }> {
      const response = await fetch(`${service!.address}/v1/reports/events`, { headers: { 'api-key': apiKey } });
      const { data } = (await response.json()) as { data: { items: { name: string; count: number }[] } };
      return data.items.find(({ name }) => name === event)!;
    }

    async function post(path: string, body: unknown) {
      const headers = { 'api-key': apiKey, 'content-type': 'application/json' };
      return fetch(service!.address + path, { method: 'POST', headers, body: JSON.stringify(body) });
    }
  },
);

const BATCH = 1000;
const filler = (): string => randomBytes(120).toString('hex');
const batch = (): object[] =>
  Array.from({ length: BATCH }, () => ({ event: 'filling', user_id: 7, value_str: filler(), category: filler() }));

/** Mounts a tmpfs; null if that is not allowed. It needs Linux and root, and a container may usually not mount. */
function mountDisk(size: string): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return null;
  const folder = mkdtempSync(join(tmpdir(), 'botledger-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=755`, 'tmpfs', folder], { stdio: 'pipe' });
    return folder;
  } catch {
    rmdirSync(folder);
    return null;
  }
}
