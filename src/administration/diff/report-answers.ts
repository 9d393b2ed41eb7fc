import { parse } from 'lossless-json';
import { isDatabaseDown, StatementTimeoutError } from '../../database/database-errors.ts';
import type { ReadTables } from '../../database/tables.ts';
import { parseReport } from '../../domain/reports/parse-report.ts';
import { storedConditions } from '../../domain/saved-segments/stored-conditions.ts';
import { type BotRow, findBots } from '../../queries/catalog/bots.ts';
import type { ReportAnswer } from '../../queries/reports/answer.ts';
import { askedReports } from '../../queries/reports/asked-reports.ts';
import { createChunkCache } from '../../queries/reports/chunk-cache.ts';
import type { ReportTables } from '../../queries/reports/field-sql.ts';
import { type ReportRequest, reportRunner } from '../../queries/reports/run-report.ts';
import { allSavedReports } from '../../queries/reports/saved-reports.ts';
import { findSavedSegments } from '../../queries/saved-segments/saved-segments.ts';
import { exactNumber } from '../../util/exact-number.ts';
import { type AnswersDiff, answerTally, type Question } from './answer-tally.ts';
import type { AnswerOptions } from './pinned-reader.ts';

/** So many of the reports that were asked for are a sample. */
const SAMPLE = 100;
/** Longer than REPORT_TIMEOUT_MS of most installations: the command leaves processor time to the service. */
const TIMEOUT_MS = 60_000;
/** Memory for columns of each version, as a report thread has it. */
const CACHE_BYTES = 2 ** 27;

/** A report as it is stored. */
interface AskedQuestion {
  readonly question: Question;
  /** Public key. */
  readonly bot: string;
  /** JSON text. */
  readonly config: string;
}

/** An answer without the fields that depend on the time of the question, or why there is none. */
type Outcome = { readonly refused: string } | (Omit<ReportAnswer, 'meta'> & Partial<ReportAnswer['meta']>);

/** Compares the saved reports, and a sample of the reports that clients asked for. */
export async function reportAnswers(options: AnswerOptions): Promise<AnswersDiff[]> {
  const { reader, now, elapsed, signal, shown, leaveOut } = options;
  const { tx, late } = reader;
  const { before: own } = await reader.at('catalog', 'reports');
  const source = { pool: tx, ...own };
  const saved = (await allSavedReports(source)).map(
    ({ uuid, public_key: bot, name, report_config: config }): AskedQuestion => ({
      ...{ question: { bot, uuid, name }, bot, config },
    }),
  );
  const asked = (await askedReports(tx, now, SAMPLE)).map(({ bot, config, asked, kind }): AskedQuestion => {
    return { question: { bot, kind, report_config: config, asked }, bot, config };
  });
  const run = await bothRunners(options);
  const results: AnswersDiff[] = [];
  for (const [kind, questions] of [['saved_reports', saved] as const, ['asked_reports', asked] as const]) {
    const tally = answerTally(kind, elapsed);
    for (const [done, each] of questions.entries()) {
      signal.throwIfAborted();
      shown('reports', done, questions.length);
      const request = late.has(each.bot) ? null : await requestOf(source, now, each);
      if (request === null) continue;
      const answers = await tally.ask(each.question, run.before(request), run.after(request));
      const { before, after } = answers;
      if (before !== null && after !== null) tally.count(each.question, answers);
      else leaveOut(`${nameOf(each)} took more than 60 s on ${lateOnes(before === null, after === null)}`);
    }
    results.push(tally.result);
  }
  return results;
}

type TabledRequest = Omit<ReportRequest, 'tables'>;

/** Runs reports on each of the two versions. Each has its own cache, so that neither finds what the other has read. */
async function bothRunners({ reader, pool }: AnswerOptions) {
  const { before, after } = await reader.at('events', 'users', 'referral');
  const runner = (tables: ReportTables) => {
    const run = reportRunner(pool, createChunkCache(CACHE_BYTES), reader.settings);
    return (request: TabledRequest) => () => outcomeOf(run({ ...request, tables }));
  };
  return { before: runner(before), after: runner(after) };
}

/** Null: the API refuses it before it reads a compared version, or its bot is unknown. */
async function requestOf(
  source: ReadTables<'catalog' | 'reports'>,
  now: number,
  asked: AskedQuestion,
): Promise<TabledRequest | null> {
  const bot: BotRow | undefined = (await findBots(source, [asked.bot])).get(asked.bot);
  if (bot === undefined) return null;
  const parsed = parseReport(parse(asked.config, undefined, exactNumber), bot.timezone);
  if (!parsed.ok) return null;
  const ids = [...new Set(parsed.savedSegments.map(({ id }) => id))];
  const segments = await findSavedSegments(source, asked.bot, ids);
  if (segments.size < ids.length) return null;
  return {
    botId: bot.bot_id,
    parsed,
    savedSegments: new Map([...segments].map(([id, of]) => [id, storedConditions(of.conditions, bot.timezone)])),
    limit: Number.MAX_SAFE_INTEGER,
    now,
    lagMs: 0,
    timeoutMs: TIMEOUT_MS,
  };
}

const nameOf = ({ bot, question: { name, kind } }: AskedQuestion): string =>
  name === undefined ? `an asked report (${kind}) of bot ${bot}` : `the saved report ${name} of bot ${bot}`;

function lateOnes(from: boolean, to: boolean): string {
  if (from && to) return 'both versions';
  return from ? 'the version of --from' : 'the version of --to';
}

/** @returns null: it took too long, which by another time may not be so */
async function outcomeOf(run: Promise<ReportAnswer>): Promise<Outcome | null> {
  try {
    const { columns, rows, meta } = await run;
    const { rows_total, rows_matching, warnings } = meta;
    return { columns, rows, rows_total, ...(rows_matching !== undefined && { rows_matching }), warnings };
  } catch (error) {
    if (isDatabaseDown(error)) throw error;
    if (error instanceof StatementTimeoutError) return null;
    return { refused: (error as Error).message };
  }
}
