import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Result } from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** Chromium that CHROMIUM names, else where Debian and Ubuntu put it. */
export const CHROMIUM = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => path !== undefined && existsSync(path),
);

if (CHROMIUM === undefined)
  console.warn('Chromium is missing: the tests of the console are skipped. apt-get install chromium, or set CHROMIUM');

/** Names that would run as script, or break out of where they stand, if anything took them for more than text. */
export const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '<script>alert(1)</script>',
  '"><svg onload=alert(1)>',
  "';alert(1)//",
  'javascript:alert(1)',
  '{{constructor.constructor("alert(1)")()}}',
  '\u202eevil',
];

export interface ConsolePage {
  readonly page: Page;
  /** The browser's complaints since the page was opened: script errors, failed loads, violations of the policy. */
  readonly complaints: readonly string[];
}

export interface PageOptions {
  readonly dark?: boolean;
  readonly width?: number;
}

export interface TestBrowser {
  /** A page of a separate browser, without cookies. */
  open(options?: PageOptions): Promise<ConsolePage>;
  close(): Promise<void>;
}

export async function startBrowser(): Promise<TestBrowser> {
  const browser: Browser = await chromium.launch({
    executablePath: CHROMIUM!,
    // Chromium refuses its sandbox to root only.
    chromiumSandbox: process.getuid?.() !== 0,
  });
  return {
    async open({ dark = false, width = 1280 } = {}) {
      const context: BrowserContext = await browser.newContext({
        viewport: { width, height: 900 },
        colorScheme: dark ? 'dark' : 'light',
        locale: 'en-US',
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      const page = await context.newPage();
      page.setDefaultTimeout(120_000);
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
      page.on('dialog', (dialog) => {
        complaints.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      page.on('console', (message) => {
        // Before a log-in the answer to "who is logged in" is 401. Chromium reports that as a failed load.
        const expected = message.location().url.endsWith('/console/session');
        if (['error', 'warning'].includes(message.type()) && !expected) complaints.push(message.text());
      });
      return { page, complaints };
    },
    close: () => browser.close(),
  };
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Colors in transition have another contrast. Endless animations, such as a spinner, are not awaited. */
const STILL = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime)).map(({ finished }) => finished))`;

/** Runs axe on the page as it is. @returns its findings, each as `rule: where` */
export async function axeFindings(page: Page): Promise<string[]> {
  // The page's policy forbids scripts of text; the debugger's protocol is outside of it.
  const session = await page.context().newCDPSession(page);
  const { result } = await session.send('Runtime.evaluate', {
    expression: `${AXE}; ${STILL}.then(() => axe.run()).then(({ violations }) => violations)`,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  const violations = result.value as readonly Result[];
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

/** Logs in by hand at the console of a service. */
export async function logInWith(
  { page }: Pick<ConsolePage, 'page'>,
  serviceAddress: string,
  apiKey: string,
): Promise<void> {
  await page.goto(`${serviceAddress}/console`);
  await giveKey(page, apiKey);
}

/** Logs in by hand on a page that asks for a key. */
export async function giveKey(page: Page, apiKey: string): Promise<void> {
  await page.getByLabel('API key').fill(apiKey);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.locator('.app').waitFor();
}

/** Keeps a screenshot of the whole page, if SHOTS names a folder. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['SHOTS'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

/** A UTC time of an answer as the console shows it in a zone: to the second. */
export function shownInstant(utc: string, timeZone = 'UTC'): string {
  return shown(new Date(utc.length > 19 ? utc : `${utc.replace(' ', 'T')}Z`), timeZone, { second: '2-digit' });
}

/** A local time of an answer as the console shows it. */
export function shownDate(local: string): string {
  return shown(new Date(`${local.slice(0, 19).replace(' ', 'T')}Z`), 'UTC', {});
}

/** Such as `Nov 14, 09:05`; of another year with the year. */
function shown(at: Date, timeZone: string, more: Intl.DateTimeFormatOptions): string {
  const year = (of: Date): string => of.toLocaleDateString('en-US', { timeZone, year: 'numeric' });
  return at.toLocaleString('en-US', {
    ...{ timeZone, month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...more },
    ...(year(at) === year(new Date()) ? {} : { year: 'numeric' }),
  });
}
