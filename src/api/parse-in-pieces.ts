import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CutList } from './body-scan.ts';
import { JsonSyntaxError, parseJson } from './json.ts';

const BEGIN = Buffer.from('[');
const END = Buffer.from(']');
/** Stands for a list while the rest of the body is parsed. Random, so that no client can send it. */
const STAND_IN = randomUUID();

/**
 * Parses a body as parseJson does, but its long lists in pieces, with a turn of the event loop between them.
 * @throws JsonSyntaxError
 */
export async function parseInPieces(bytes: Buffer, lists: readonly CutList[]): Promise<unknown> {
  if (lists.length === 0) return parseJson(bytes);
  const rest: Buffer[] = [];
  const parsed = new Map<string, unknown[]>();
  let done = 0;
  for (const [index, list] of lists.entries()) {
    const standIn = `${STAND_IN} ${index}`;
    rest.push(bytes.subarray(done, list.begin), Buffer.from(JSON.stringify(standIn)));
    parsed.set(standIn, await parseList(bytes, list));
    done = list.end + 1;
  }
  rest.push(bytes.subarray(done));
  const body = parseJson(Buffer.concat(rest));
  if (typeof body === 'string') return parsed.get(body);
  for (const [key, value] of Object.entries(body as Record<string, unknown>)) {
    const list = typeof value === 'string' ? parsed.get(value) : undefined;
    if (list !== undefined) (body as Record<string, unknown>)[key] = list;
  }
  return body;
}

/** Each piece but the first lacks the list's opening, each but the last its end. @throws JsonSyntaxError */
async function parseList(bytes: Buffer, { begin, cuts, end }: CutList): Promise<unknown[]> {
  if (bytes[end] !== END[0]) throw new JsonSyntaxError('Body is not valid JSON');
  const list: unknown[] = [];
  const borders = [begin, ...cuts, end];
  for (let i = 1; i < borders.length; i++) {
    if (i > 1) await nextTurn();
    const piece = bytes.subarray(borders[i - 1]! + 1, borders[i]);
    const parsed = parseJson(Buffer.concat([BEGIN, piece, END])) as unknown[];
    // Between two commas there must be a value.
    if (parsed.length === 0) throw new JsonSyntaxError('Body is not valid JSON');
    for (const element of parsed) list.push(element);
  }
  return list;
}
