import { InvalidArgumentError, Option } from 'commander';
import { parseIso8601 } from '../domain/intake/moment.ts';
import { type BotRow, findBot } from '../queries/catalog/bots.ts';
import type { CatalogSource } from '../queries/catalog/source.ts';
import { CliError } from './command.ts';

/** Readers of option values: each takes the text and throws what commander turns into one line. */

export function positiveInteger(text: string): number {
  return integerFrom(text, 1);
}

export function nonNegativeInteger(text: string): number {
  return integerFrom(text, 0);
}

function integerFrom(text: string, least: number): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new InvalidArgumentError(`It must be an integer from ${least}.`);
}

export function flag(text: string): boolean {
  if (text === 'true' || text === 'on') return true;
  if (text === 'false' || text === 'off') return false;
  throw new InvalidArgumentError('It must be true or false.');
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** An integer with s, m, h or d. @returns milliseconds */
export function duration(text: string): number {
  const match = /^(\d{1,9})([smhd])$/.exec(text);
  if (match === null) throw new InvalidArgumentError('It must be an integer with s, m, h or d.');
  return Number(match[1]) * UNITS[match[2]!]!;
}

/** `YYYY-MM-DD` (to that day's end, UTC) or RFC 3339. @returns milliseconds since 1970 UTC */
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
 * The same, or `YYYY-MM-DD HH:MM:SS` in UTC, as dates are answered, as the last millisecond that it includes: without
 * fractions, the whole second.
 */
export function endOf(text: string): number {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const end = isDay ? dayEnd(text) : momentOf(/^[\d-]{10} [\d:]{8}$/.test(text) ? `${text.replace(' ', 'T')}Z` : text);
  if (end === null) throw new InvalidArgumentError('It must be YYYY-MM-DD, YYYY-MM-DD HH:MM:SS (UTC) or RFC 3339.');
  if (isDay) return end - 1;
  return /:\d\d:\d\d\.\d/.test(text) ? end : end + 999;
}

/** The number of a status. @param names what each is called, by its number */
export function status(names: readonly string[]): (text: string) => number {
  return (text) => {
    const value = names.findIndex((_, number) => String(number) === text);
    if (value >= 0) return value;
    throw new InvalidArgumentError(`It must be one of ${listed(names)}.`);
  };
}

/** `0 created, 1 processing` */
export function listed(names: readonly string[]): string {
  return names.map((name, number) => `${number} ${name}`).join(', ');
}

/** Refuses a second value where one is meant: the last one would win unnoticed. */
export function once(text: string, previous: string | undefined): string {
  if (previous !== undefined) throw new InvalidArgumentError('It is given twice.');
  return text;
}

/** The bot that a command is about, by public key. */
export function botOption(): Option {
  return new Option('--bot <public key>', 'the bot').argParser(once).makeOptionMandatory();
}

/** Bots that a command is about, one `--bot` each. */
export function botsOption(): Option {
  return new Option('--bot <public key...>', 'the bots');
}

/** The bots of these public keys, each once, in order. @throws CliError for one that is not there */
export async function namedBots(catalog: CatalogSource, publicKeys: readonly string[]): Promise<BotRow[]> {
  const bots: BotRow[] = [];
  for (const publicKey of new Set(publicKeys)) {
    const bot = await findBot(catalog, publicKey);
    if (bot === null) throw new CliError(`there is no bot ${publicKey}`);
    bots.push(bot);
  }
  return bots;
}
