import pg from 'pg';
import { type LoadResult, postLoad } from './load.ts';
import { peakResidentMb, residentMb } from './proc.ts';
import { median } from './quantile.ts';
import { fillEvents, packed, printShape, shapeOfData } from './report-events.ts';
import { bodyOf, lastDays, questionsOf } from './report-questions.ts';
import { BENCH_USERS, startBenchService } from './service.ts';

/**
 * Measures whether heavy reports of one owner starve intake: the latency of single events at a steady rate, alternating
 * between rounds without reports and rounds with REPORTS reports over all events at any time. One more report is refused.
 */
const EVENTS = Number(process.env['EVENTS'] ?? 1_000_000);
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const SECONDS = Number(process.env['SECONDS'] ?? 10);
const RATE = Number(process.env['RATE'] ?? 200);
const REPORTS = 8;
const CONNECTIONS = 20;

const service = await startBenchService({ REPORT_CONCURRENCY: String(REPORTS), REPORT_TIMEOUT_MS: '60000' });
const client = new pg.Client({ connectionString: service.databaseUrl });
await client.connect();
const period = lastDays();
const shape = shapeOfData();
const questions = questionsOf(shape).map(({ report }) => JSON.stringify(bodyOf(report, period)));
const bodies = BENCH_USERS.slice(0, 10).map((user_id) =>
  JSON.stringify({ event: 'event_1', user_id, value_num: 1999 }),
);
const quiet: LoadResult[] = [];
const busy: LoadResult[] = [];
const counts = new Map<number, number>();
try {
  await fillEvents(service, { events: EVENTS, users: EVENTS / 20, period, shape });
  await packed(service, client);
  await printShape(client, shape);
  const idle = await residentMb(service.process.pid!);
  const load = { ...service, bodies, seconds: SECONDS, connections: CONNECTIONS, rate: RATE };
  await postLoad({ ...load, seconds: 2 });
  for (let round = 1; round <= ROUNDS; round++) {
    quiet.push(await postLoad(load));
    const stop = new AbortController();
    // One more than the key may run at once, so that some are refused.
    const asking = Array.from({ length: REPORTS + 1 }, (_, index) => askAll(index, stop.signal));
    busy.push(await postLoad(load));
    stop.abort();
    await Promise.all(asking);
    console.log(`round ${round}: quiet ${summary(quiet.at(-1)!)}, with reports ${summary(busy.at(-1)!)}`);
  }
  console.log(
    `\n${RATE} single events/s during ${REPORTS} reports at once over ${EVENTS} events, medians of ${ROUNDS} rounds`,
  );
  console.log(`quiet: p50 ${middle(quiet, 'p50')} ms, p99 ${middle(quiet, 'p99')} ms`);
  console.log(`with reports: p50 ${middle(busy, 'p50')} ms, p99 ${middle(busy, 'p99')} ms`);
  const reports = (counts.get(200) ?? 0) / (ROUNDS * SECONDS);
  const others = [...counts].filter(([status]) => status !== 200);
  console.log(
    `reports answered: ${reports.toFixed(1)}/s; refused: ${others.map((each) => each.join(' × ')).join(', ')}`,
  );
  const peak = await peakResidentMb(service.process.pid!);
  console.log(`resident: ${idle.toFixed(0)} MB before the reports, ${peak.toFixed(0)} MB at most`);
} finally {
  await client.end();
  await service.stop();
}

function summary({ p50, p99, requestsPerSecond }: LoadResult): string {
  return `${requestsPerSecond.toFixed(0)}/s, p50 ${p50} ms, p99 ${p99} ms`;
}

function middle(results: readonly LoadResult[], key: 'p50' | 'p99'): number {
  return median(results.map((result) => result[key]));
}

/** Runs one report after another until the signal. @throws if an answer has neither rows nor the status 429 */
async function askAll(first: number, signal: AbortSignal): Promise<void> {
  const headers = { 'content-type': 'application/json', 'api-key': service.apiKey };
  for (let at = first; !signal.aborted; at++) {
    const body = questions[at % questions.length]!;
    const response = await fetch(`${service.address}/v1/reports/run`, { method: 'POST', headers, body });
    const text = await response.text();
    if (![200, 429].includes(response.status)) throw new Error(`reports/run answered ${response.status}: ${text}`);
    counts.set(response.status, (counts.get(response.status) ?? 0) + 1);
    if (response.status === 429) await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
