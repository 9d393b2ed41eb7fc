import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CHROMIUM, logInWith, startBrowser } from '../../test/support/browser.ts';
import { serviceProcess } from '../../test/support/service-process.ts';

/**
 * `npm run screenshots`: takes the images of docs/console.md. Starts a service on a scratch database, sends it the demo's
 * history, and opens each page that docs/console.md shows in Chromium, light and dark. Needs a build and Chromium.
 */

const ROOT = join(import.meta.dirname, '../..');
const IMAGES = join(ROOT, 'docs/images');
const SIZE = { width: 1280, height: 720 };
/** All images together, in bytes. */
const MOST_BYTES = 2_000_000;

/** The pages that docs/console.md shows, by the names of their images: the path of each below `/console`. */
const PAGES: Readonly<Record<string, (api: Api) => Promise<string>>> = {
  dashboard: async () => 'dashboard',
  reports: async (api) => {
    const { items } = await api<{ items: { event_id: number; name: string }[] }>('/v1/reports/events');
    const metrics = TREND.flatMap((name) =>
      items.filter((event) => event.name === name).map(({ event_id }) => ({ event: event_id, name, agr: 'total' })),
    );
    const report = { period: '30d', compare: true, chart: 'line', metrics };
    return `reports/new?${new URLSearchParams({ report: JSON.stringify(report) })}`;
  },
  broadcasts: async (api) => {
    const { items } = await api<{ items: { id: number }[] }>('/v1/broadcast/list');
    return `broadcasts/${items[0]!.id}/edit`;
  },
  referrals: async (api) => {
    const { referrers } = await api<{ referrers: { user_id: number }[] }>('/v1/referral/referrers?limit=1');
    return `referrals?user=${referrers[0]!.user_id}`;
  },
  settings: async () => 'settings/bot',
};
const PAGES_OF_OPERATOR: typeof PAGES = { operations: async () => 'operations' };
/** Events of the demo. */
const TREND = ['catalog_opened', 'cart_filled', 'order_paid'];

type Api = <T>(path: string) => Promise<T>;

async function run(): Promise<void> {
  if (CHROMIUM === undefined) throw new Error('Chromium is missing: install it, or set CHROMIUM');
  const dataDir = await mkdtemp(join(tmpdir(), 'botledger-screenshots-'));
  const service = await serviceProcess({ DATA_DIR: dataDir });
  try {
    await service.start();
    await service.ready();
    const env = { ...process.env, DATA_DIR: dataDir, BASE_URL: service.address };
    await promisify(execFile)('npm', ['run', 'demo', '--', '--events', '20000'], { cwd: ROOT, env });
    const key = (await readFile(join(dataDir, 'demo.key'), 'utf8')).trim();
    await mkdir(IMAGES, { recursive: true });
    for (const name of await readdir(IMAGES)) if (name.startsWith('console-')) await rm(join(IMAGES, name));
    const api: Api = async <T>(path: string) => {
      const answer = await fetch(service.address + path, { headers: { 'api-key': key } });
      return ((await answer.json()) as { data: T }).data;
    };
    const issue = ['bin/botledger.js', 'operator', 'issue', '--name', 'On call', '--can', 'act', '--json'];
    const issued = await promisify(execFile)(process.execPath, issue, { cwd: ROOT, env });
    const operatorKey: string = JSON.parse(issued.stdout).operator_key;
    for (const dark of [false, true]) {
      await shoot(service.address, key, PAGES, api, dark);
      await shoot(service.address, operatorKey, PAGES_OF_OPERATOR, api, dark);
    }
  } finally {
    await service.kill('SIGTERM');
    await rm(dataDir, { recursive: true });
  }
  const sizes = await Promise.all((await readdir(IMAGES)).map(async (name) => (await stat(join(IMAGES, name))).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  process.stdout.write(`${sizes.length} images, ${Math.round(bytes / 1000)} kB\n`);
  if (bytes > MOST_BYTES) throw new Error(`the images have ${bytes} bytes, more than ${MOST_BYTES}`);
}

/** Takes an image of each page, when it has all that it asks for. */
async function shoot(address: string, key: string, pages: typeof PAGES, api: Api, dark: boolean): Promise<void> {
  const browser = await startBrowser();
  try {
    const opened = await browser.open({ dark });
    const { page } = opened;
    await page.setViewportSize(SIZE);
    await logInWith(opened, address, key);
    for (const [name, path] of Object.entries(pages)) {
      await page.goto(`${address}/console/${await path(api)}`, { waitUntil: 'networkidle' });
      await page.locator('h1').first().waitFor();
      await page.waitForFunction(`document.querySelector('[aria-busy="true"]') === null`);
      await page.screenshot({
        path: join(IMAGES, `console-${name}-${dark ? 'dark' : 'light'}.png`),
        animations: 'disabled',
      });
    }
  } finally {
    await browser.close();
  }
}

await run();
