import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { parse } from 'lossless-json';
import { readImportedUser } from '../../domain/catalog/imported-user.ts';
import type { ImportedUser } from '../../domain/intake/events.ts';
import { isJsonObject } from '../../domain/json.ts';
import { csvRecords } from '../csv.ts';
import { CliError } from '../errors.ts';
import { linesIn, wholeLines } from '../whole-lines.ts';

/** A line of a file of users: a user, or what is wrong with it. */
type Line = { readonly line: number } & ({ readonly user: ImportedUser } | { readonly problem: string });

/** An error names this many bad lines and counts the others. */
const MAX_NAMED = 5;

/** Reads a file of users (CSV, or NDJSON if it begins with a brace) to its end. @throws CliError naming the bad lines */
export async function checkUserFile(file: string): Promise<void> {
  const told: string[] = [];
  let bad = 0;
  for await (const line of linesOf(file)) {
    if (!('problem' in line)) continue;
    bad++;
    if (told.length < MAX_NAMED) told.push(`line ${line.line}: ${line.problem}`);
  }
  if (bad === 0) return;
  const more = bad > told.length ? `; and ${bad - told.length} more bad lines` : '';
  throw new CliError(`${file}: ${told.join('; ')}${more}; nothing was imported`);
}

/** The users of a file that was checked before. */
export async function* usersOf(file: string): AsyncGenerator<ImportedUser> {
  for await (const line of linesOf(file)) {
    if ('problem' in line) throw new CliError(`${file} was changed while it was imported, at line ${line.line}`);
    yield line.user;
  }
}

async function* linesOf(file: string): AsyncGenerator<Line> {
  if (await isNdjson(file)) yield* ndjsonLines(file);
  else for await (const { line, cells } of csvRecords(file, ['user_id'])) yield { line, ...read(cells, 'text') };
}

async function isNdjson(file: string): Promise<boolean> {
  for await (const chunk of createReadStream(file, { encoding: 'utf8' })) {
    const start = (chunk as string).replace(/^\uFEFF/, '').trimStart();
    if (start !== '') return start.startsWith('{');
  }
  return false;
}

async function* ndjsonLines(file: string): AsyncGenerator<Line> {
  for await (const { line, bytes } of wholeLines(file)) {
    for (const [index, each] of linesIn(bytes).entries()) {
      const text = each
        .toString('utf8')
        .replace(/^\uFEFF/, '')
        .trim();
      if (text === '') continue;
      yield { line: line + index, ...(isUtf8(each) ? readJson(text) : { problem: 'not UTF-8' }) };
    }
  }
}

function readJson(text: string): { user: ImportedUser } | { problem: string } {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { problem: `not JSON: ${error.message}` };
  }
  return isJsonObject(value) ? read(Object.entries(value), 'json') : { problem: 'not a JSON object' };
}

function read(
  columns: Iterable<readonly [string, unknown]>,
  form: 'text' | 'json',
): { user: ImportedUser } | { problem: string } {
  const result = readImportedUser(columns, form);
  return 'user_id' in result ? { user: result } : { problem: result.map(({ message }) => message).join(', ') };
}
