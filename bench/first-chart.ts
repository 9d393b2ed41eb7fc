import pg from 'pg';
import { CHROMIUM, logInWith, startBrowser } from '../test/support/browser.ts';
import { ask } from './ask.ts';
import { median } from './quantile.ts';
import { fillEvents, packed } from './report-events.ts';
import { bodyOf, lastDays } from './report-questions.ts';
import { startBenchService } from './service.ts';

/**
 * The time to the first chart: from the navigation to the console's page Reports until its chart is drawn, over EVENTS events of
 * USERS users. Cold: the first report of a service that started just before, in a browser with empty caches. The floor is the same
 * report over HTTP.
 */
const EVENTS = Number(process.env['EVENTS'] ?? 1_000_000);
const USERS = Number(process.env['USERS'] ?? EVENTS / 20);
const RUNS = 5;
const DAY_MS = 86_400_000;

if (CHROMIUM === undefined) console.error('SKIPPED, nothing was measured: apt-get install chromium, or set CHROMIUM');
else await measure();

async function measure(): Promise<void> {
  const service = await startBenchService();
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  const browser = await startBrowser();
  try {
    await fillEvents(service, { events: EVENTS, users: USERS, period: lastDays(), shape: 'plain' });
    await packed(service, client);
    const [first] = await draw();
    const emptyBrowser: number[] = [];
    for (let run = 0; run < RUNS; run++) emptyBrowser.push((await draw())[0]!);
    const [, ...warm] = await draw(1 + RUNS);
    const floor: number[] = [];
    for (let run = 0; run < RUNS; run++) floor.push(await timed(() => ask(service, '/v1/reports/run', startReport())));
    const shown = (ms: number): string => `${ms.toFixed(0)} ms`;
    console.log(`${EVENTS} events of ${USERS} users, from the navigation to the drawn chart`);
    console.log(`cold, the first report of the service: ${shown(first!)}`);
    console.log(`a browser with empty caches, median of ${RUNS}: ${shown(median(emptyBrowser))}`);
    console.log(`warm, median of ${RUNS}: ${shown(median(warm))}`);
    console.log(`floor, the report over HTTP, warm, median of ${RUNS}: ${shown(median(floor))}`);
  } finally {
    await browser.close();
    await client.end();
    await service.stop();
  }

  /** Opens the page in a new browser so many times. @returns milliseconds of each */
  async function draw(times = 1): Promise<number[]> {
    const console = await browser.open();
    const { page } = console;
    // The page after the log-in is the dashboard, whose reports are not to fill the caches.
    await page.route('**/v1/reports/**', (route) => route.abort());
    await logInWith(console, service.address, service.apiKey);
    await page.unrouteAll();
    await (await page.context().newCDPSession(page)).send('Network.clearBrowserCache');
    const found: number[] = [];
    for (let run = 0; run < times; run++)
      found.push(
        await timed(async () => {
          await page.goto(`${service.address}/console/reports/new`, { waitUntil: 'commit' });
          await page.locator('.answer[aria-busy="false"] .chart canvas').waitFor();
        }),
      );
    await page.context().close();
    return found;
  }
}

/** The report with which the page begins: users of each of the last 30 days. */
function startReport(): object {
  const requests = [{ type: 'trend', event_id: null, event_name: 'all', agr: 'total_uniq_user_id' }];
  const to = (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS;
  return bodyOf({ type: 'trends', type_chart: 'line', requests, granularity: 'day' }, { from: to - 30 * DAY_MS, to });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
