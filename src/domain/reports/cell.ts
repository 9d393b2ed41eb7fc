import Big from 'big.js';
import { isLosslessNumber, type LosslessNumber } from 'lossless-json';
import { isoWithOffset } from '../local-time.ts';
import { type Problem, under } from '../problem.ts';
import { isJsonObject, type JsonObject, property, safeInteger } from '../storable-json.ts';
import { ATTEMPT_STATES, type AttemptState } from './funnel.ts';
import type { FunnelReport, Report, RetentionReport, Separator, TrendsReport } from './report.ts';

/** A number of a report's answer, whose users can be listed (decisions.md#report-cells). */
export type ReportCell = TrendsCell | FunnelCell | RetentionCell | { readonly type: 'list' };

export interface TrendsCell {
  readonly type: 'trends';
  /** The index of the request. */
  readonly series: number;
  /** The index of the bucket; null: the whole period. */
  readonly bucket: number | null;
  readonly line: LineName;
}

export interface FunnelCell {
  readonly type: 'funnels';
  /** From 1. */
  readonly step: number;
  readonly kind: AttemptState;
  readonly line: LineName;
}

export interface RetentionCell {
  readonly type: 'retention';
  /** The index of the cohort. */
  readonly cohort: number;
  /** The members who returned in this interval of the cohort, from 0; null: all members. */
  readonly interval: number | null;
  readonly line: LineName;
}

/** A line of a breakdown: {@link valueKey} of each separator's value, or the line of all others. Null: no breakdown. */
export type LineName = readonly string[] | 'other' | null;

/** A text that is the same for equal values of an answer; 1 and 1.0 are equal, 1 and "1" are not. */
export function valueKey(value: string | number | boolean | LosslessNumber | null): string {
  if (value === null) return 'null';
  if (typeof value === 'number' || isLosslessNumber(value)) return `number ${new Big(String(value)).toFixed()}`;
  return `${typeof value} ${value}`;
}

const ROOT = 'cell';

/** Checks which cell of a report is meant. Undefined: there is a problem. What only the data can tell is not checked. */
export function parseCell(input: unknown, report: Report, problems: Problem[]): ReportCell | undefined {
  const count = problems.length;
  // The users of a list are named by nothing.
  if (input === undefined && report.type === 'list') return { type: 'list' };
  if (!isJsonObject(input)) {
    const message = input === undefined ? 'cell is required' : 'expected an object';
    problems.push({ path: ROOT, message });
    return undefined;
  }
  const cell = PARSERS[report.type](input, report as never, problems);
  const known = report.type === 'list' ? [] : [...KEYS[report.type], 'breakdown', 'other'];
  for (const key of Object.keys(input))
    if (!known.includes(key))
      problems.push({ path: under(ROOT, key), message: 'not in a cell of this report', allowed: known });
  return problems.length > count ? undefined : cell;
}

const KEYS = {
  trends: ['series', 'bucket'],
  funnels: ['step', 'kind'],
  retention: ['cohort', 'interval'],
} as const;

const PARSERS = {
  trends: parseTrendsCell,
  funnels: parseFunnelCell,
  retention: parseRetentionCell,
  list: () => ({ type: 'list' }) as const,
} as const;

function parseTrendsCell(input: JsonObject, report: TrendsReport, problems: Problem[]): TrendsCell | undefined {
  const { axis, metrics, period, utm } = report;
  const series = parseIndex(input, 'series', { min: 0, max: metrics.length - 1 }, problems);
  const given = property(input, 'bucket');
  const starts = axis?.starts.slice(0, utm?.rows ?? axis.starts.length) ?? [];
  const bucket = given === undefined ? null : startOf(given, starts, period.timezone);
  if (bucket === undefined) {
    const message = axis === null ? 'a table has no buckets' : 'expected the date of a row of the report';
    problems.push({ path: under(ROOT, 'bucket'), message });
  }
  const line = parseLine(input, report.separators, problems);
  if (series === undefined || bucket === undefined || line === undefined) return undefined;
  return { type: 'trends', series, bucket, line };
}

function parseFunnelCell(input: JsonObject, report: FunnelReport, problems: Problem[]): FunnelCell | undefined {
  const step = parseIndex(input, 'step', { min: 1, max: report.steps.length }, problems);
  const given = property(input, 'kind');
  const kind = ATTEMPT_STATES.find((one) => one === given);
  if (kind === undefined) {
    const message = given === undefined ? 'kind is required' : 'unknown kind';
    problems.push({ path: under(ROOT, 'kind'), message, allowed: ATTEMPT_STATES });
  }
  const line = parseLine(input, report.separators, problems);
  if (step === undefined || kind === undefined || line === undefined) return undefined;
  return { type: 'funnels', step, kind, line };
}

function parseRetentionCell(
  input: JsonObject,
  report: RetentionReport,
  problems: Problem[],
): RetentionCell | undefined {
  const { starts, cohorts, intervals } = report.calendar;
  const cohort = startOf(property(input, 'cohort'), starts.slice(0, cohorts), report.period.timezone);
  if (cohort === undefined)
    problems.push({ path: under(ROOT, 'cohort'), message: 'expected the date of a cohort of the report' });
  const isWhole = property(input, 'interval') === undefined;
  const interval = isWhole ? null : parseIndex(input, 'interval', { min: 0, max: intervals - 1 }, problems);
  const line = parseLine(input, report.separators, problems);
  if (cohort === undefined || interval === undefined || line === undefined) return undefined;
  return { type: 'retention', cohort, interval, line };
}

function parseIndex(
  input: JsonObject,
  key: string,
  { min, max }: { readonly min: number; readonly max: number },
  problems: Problem[],
): number | undefined {
  const index = safeInteger(property(input, key));
  if (index !== undefined && index >= min && index <= max) return index;
  problems.push({ path: under(ROOT, key), message: `expected an integer, ${min} to ${max}` });
  return undefined;
}

/** The index of the start that an answer writes as `given`. */
function startOf(given: unknown, starts: readonly number[], timezone: string): number | undefined {
  if (typeof given !== 'string') return undefined;
  const index = starts.indexOf(Date.parse(given));
  return index >= 0 && isoWithOffset(starts[index]!, timezone) === given ? index : undefined;
}

function parseLine(input: JsonObject, separators: readonly Separator[], problems: Problem[]): LineName | undefined {
  const refuse = (path: string, message: string, allowed?: readonly string[]): undefined => {
    problems.push({ path, message, ...(allowed === undefined ? {} : { allowed }) });
  };
  const other = property(input, 'other') ?? false;
  const values = property(input, 'breakdown');
  const path = under(ROOT, 'breakdown');
  if (typeof other !== 'boolean') return refuse(under(ROOT, 'other'), 'expected true or false');
  if (separators.length === 0) {
    if (other) return refuse(under(ROOT, 'other'), 'the report has no breakdown');
    return values === undefined ? null : refuse(path, 'the report has no breakdown');
  }
  const names = separators.map(({ name }) => name);
  if (values === undefined && other) return 'other';
  if (values === undefined) return refuse(path, 'breakdown is required', names);
  if (!isJsonObject(values)) return refuse(path, 'expected an object with the values of a row', names);
  const unknown = Object.keys(values).find((key) => !names.includes(key));
  if (unknown !== undefined) return refuse(under(path, unknown), 'the report is not broken down by it', names);
  const keys: string[] = [];
  for (const name of names) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (!isScalar(value)) return refuse(under(path, name), `the value of ${name} is required: as in the row`);
    if (other && value !== null) return refuse(under(path, name), 'the line of all others has no values');
    keys.push(valueKey(value));
  }
  return other ? 'other' : keys;
}

function isScalar(value: unknown): value is string | number | boolean | LosslessNumber | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value) || isLosslessNumber(value);
}
