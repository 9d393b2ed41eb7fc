import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CHROMIUM, logInWith, startBrowser } from '../../test/support/browser.ts';
import { serviceProcess } from '../../test/support/service-process.ts';

/**
 * `npm run screenshots`: takes the images of docs/console.md. Starts a service on a scratch database, sends it the demo's
 * history, and opens each page of the console's navigation in Chromium, light and dark. Needs a build and Chromium.
 */

const ROOT = join(import.meta.dirname, '../..');
const IMAGES = join(ROOT, 'docs/images');
const SIZE = { width: 1280, height: 800 };
/** All images together, in bytes. */
const MOST_BYTES = 2_000_000;

/** The state in which a page is shown, where its first state is empty: parameters of its address. */
const SHOWN: Readonly<Record<string, (api: Api) => Promise<Record<string, string>>>> = {
  broadcasts: async (api) => {
    const { items } = await api<{ items: { id: number }[] }>('/v1/broadcast/list');
    return items[0] === undefined ? {} : { id: String(items[0].id) };
  },
  referrals: async (api) => {
    const { referrers } = await api<{ referrers: { user_id: number }[] }>('/v1/referral/referrers?limit=1');
    return referrers[0] === undefined ? {} : { user: String(referrers[0].user_id) };
  },
};

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
    for (const each of [key, operatorKey])
      for (const dark of [false, true]) await shoot(service.address, each, api, dark);
  } finally {
    await service.kill('SIGTERM');
    await rm(dataDir, { recursive: true });
  }
  const sizes = await Promise.all((await readdir(IMAGES)).map(async (name) => (await stat(join(IMAGES, name))).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  process.stdout.write(`${sizes.length} images, ${Math.round(bytes / 1000)} kB\n`);
  if (bytes > MOST_BYTES) throw new Error(`the images have ${bytes} bytes, more than ${MOST_BYTES}`);
}

/** Takes an image of each page that the console's navigation names. */
async function shoot(address: string, key: string, api: Api, dark: boolean): Promise<void> {
  const browser = await startBrowser();
  try {
    const opened = await browser.open({ dark });
    const { page } = opened;
    await page.setViewportSize(SIZE);
    await logInWith(opened, address, key);
    const links = await page.locator('.side nav a').all();
    const paths = await Promise.all(links.map((each) => each.getAttribute('href')));
    for (const path of paths) {
      const url = new URL(path!, address);
      const name = url.pathname.split('/').at(-1)!;
      for (const [parameter, value] of Object.entries((await SHOWN[name]?.(api)) ?? {}))
        url.searchParams.set(parameter, value);
      await page.goto(url.href, { waitUntil: 'networkidle' });
      await page.getByText('Loading', { exact: false }).waitFor({ state: 'hidden' });
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
