import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CutList } from './body-scan.ts';
import { JsonSyntaxError, parseJson } from './exact-json.ts';

const BEGIN = Buffer.from('[');
const END = Buffer.from(']');

/**
 * Parses a body as parseJson does, but its long lists in pieces, with a tick of the event loop between them.
 * @throws JsonSyntaxError
 */
export async function parseInPieces(bytes: Buffer, lists: readonly CutList[]): Promise<unknown> {
  if (lists.length === 0) return parseJson(bytes);
  const whole: unknown[][] = [];
  for (const list of lists) whole.push(await parseList(bytes, list));
  const values = new Set(Object.values(parseRest(bytes, lists, []) ?? {}));
  const standIns: string[] = [];
  for (let n = 0; standIns.length < lists.length; n++) if (!values.has(`list ${n}`)) standIns.push(`list ${n}`);
  const body = parseRest(bytes, lists, standIns);
  if (typeof body === 'string') return whole[0];
  for (const [key, value] of Object.entries(body!)) {
    const index = standIns.indexOf(value as string);
    if (index !== -1) body![key] = whole[index];
  }
  return body;
}

/** Parses the body with a text, or null, in the place of each long list. @throws JsonSyntaxError */
function parseRest(
  bytes: Buffer,
  lists: readonly CutList[],
  standIns: readonly string[],
): Record<string, unknown> | string | null {
  const rest: Buffer[] = [];
  let done = 0;
  for (const [index, { begin, end }] of lists.entries()) {
    rest.push(bytes.subarray(done, begin), Buffer.from(JSON.stringify(standIns[index] ?? null)));
    done = end + 1;
  }
  return parseJson(Buffer.concat([...rest, bytes.subarray(done)])) as Record<string, unknown> | string | null;
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
