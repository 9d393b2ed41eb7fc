import { InvalidArgumentError, Option } from 'commander';
import type { Tables } from '../database/tables.ts';
import { timezoneProblem } from '../domain/catalog/checks.ts';
import { parseIso8601 } from '../domain/intake/moment.ts';
import { isPropertyName } from '../domain/intake/properties.ts';
import { type BotRow, findBot } from '../queries/catalog/bots.ts';
import { MOMENT_FORMAT } from '../queries/export/period.ts';
import { CliError } from './command.ts';

/** Parsers of option values. They throw InvalidArgumentError. Commander makes one line of it. */

export function positiveInteger(text: string): number {
  return integerFrom(text, 1);
}

/** Commander takes null from such a function for a missing value, so `none` stays text. */
export function positiveIntegerOrNone(text: string): number | 'none' {
  return text === 'none' ? text : integerFrom(text, 1, 'none or ');
}

export function nonNegativeInteger(text: string): number {
  return integerFrom(text, 0);
}

function integerFrom(text: string, least: number, or = ''): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new InvalidArgumentError(`It must be ${or}an integer from ${least}, below 2^53.`);
}

export function flag(text: string): boolean {
  if (text === 'true' || text === 'on') return true;
  if (text === 'false' || text === 'off') return false;
  throw new InvalidArgumentError('It must be true or false.');
}

/** @returns an IANA name of a time zone */
export function zone(text: string): string {
  if (timezoneProblem('', text) === undefined) return text;
  throw new InvalidArgumentError("It must be a time zone's IANA name, such as Europe/Berlin.");
}

/** Parses `old=new`, the names of a property. @param earlier names of the options before */
export function rename(text: string, earlier: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, string> {
  const at = text.lastIndexOf('=');
  const [from, to] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (from === '' || !isPropertyName(to))
    throw new InvalidArgumentError('It must be old=new, and new 1 to 64 of A-Z, a-z, 0-9, _, . and -, not taken.');
  if (earlier.has(from) || [...earlier.values()].includes(to))
    throw new InvalidArgumentError('A name stands in two of them.');
  return new Map([...earlier, [from, to]]);
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses an integer with s, m, h or d. @returns milliseconds */
export function duration(text: string): number {
  const match = /^(\d{1,9})([smhd])$/.exec(text);
  if (match === null) throw new InvalidArgumentError('It must be an integer with s, m, h or d.');
  return Number(match[1]) * UNITS[match[2]!]!;
}

/** Parses `YYYY-MM-DD` (to that day's end, UTC) or RFC 3339. @returns milliseconds since 1970 UTC */
export function date(text: string): number {
  const found = dayEnd(text) ?? momentOf(text);
  if (found !== null) return found;
  throw new InvalidArgumentError('It must be YYYY-MM-DD or RFC 3339.');
}

function dayEnd(text: string): number | null {
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? parseIso8601(`${text}T00:00Z`) : null;
  return day === null ? null : day + UNITS['d']!;
}

function momentOf(text: string): number | null {
  return /:\d\d(\.\d+)?([Zz]|[-+]\d\d:\d\d)$/.test(text) ? parseIso8601(text) : null;
}

/**
 * Parses a date like `date`, or `YYYY-MM-DD HH:MM:SS` in UTC, the format of dates in answers. A time without fractions
 * includes its whole second.
 * @returns the last millisecond that is included, since 1970 UTC
 */
export function endOf(text: string): number {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const end = isDay ? dayEnd(text) : momentOf(/^[\d-]{10} [\d:]{8}$/.test(text) ? `${text.replace(' ', 'T')}Z` : text);
  if (end === null) throw new InvalidArgumentError('It must be YYYY-MM-DD, YYYY-MM-DD HH:MM:SS (UTC) or RFC 3339.');
  if (isDay) return end - 1;
  return /:\d\d:\d\d\.\d/.test(text) ? end : end + 999;
}

/** Returns a parser of a bound of a period. @param parse null: the text is none */
export function periodBound(parse: (text: string) => number | null): (text: string) => number {
  return (text) => {
    const found = parse(text);
    if (found === null) throw new InvalidArgumentError(`It ${MOMENT_FORMAT}.`);
    return found;
  };
}

/** Returns a parser of the number of a status. @param names the names by their numbers */
export function status(names: readonly string[]): (text: string) => number {
  return (text) => {
    const value = names.findIndex((_, number) => String(number) === text);
    if (value >= 0) return value;
    throw new InvalidArgumentError(`It must be one of ${listed(names)}.`);
  };
}

/** Lists names with their numbers: `0 created, 1 processing`. */
export function listed(names: readonly string[]): string {
  return names.map((name, number) => `${number} ${name}`).join(', ');
}

/** Refuses a second value of an option. Commander would silently use the last one. */
export function once(text: string, previous: string | undefined): string {
  if (previous !== undefined) throw new InvalidArgumentError('It is given twice.');
  return text;
}

/** Makes the option `--bot`, the public key of the bot of a command. */
export function botOption(): Option {
  return new Option('--bot <public key>', 'the bot').argParser(once).makeOptionMandatory();
}

/** Makes the option `--bot` for a command about several bots. It can be repeated. */
export function botsOption(): Option {
  return new Option('--bot <public key...>', 'the bots');
}

/** Finds the bots of these public keys, each once, in order. @throws CliError for an unknown key */
export async function namedBots(catalog: Tables<'catalog'>, publicKeys: readonly string[]): Promise<BotRow[]> {
  const bots: BotRow[] = [];
  for (const publicKey of new Set(publicKeys)) {
    const bot = await findBot(catalog, publicKey);
    if (bot === null) throw new CliError(`there is no bot ${publicKey}`);
    bots.push(bot);
  }
  return bots;
}
