import type { z } from 'zod';
import { type Problem, under } from '../problem.ts';
import { isJsonObject, type JsonObject, property, safeInteger } from '../storable-json.ts';
import type { broadcastVariant, MessageType } from './broadcast-events.ts';
import { parseMessage } from './message.ts';
import { BUCKETS } from './variant-of.ts';

/** A message that a share of the recipients gets (decisions.md#variants). */
export type Variant = z.infer<typeof broadcastVariant>;

const VARIANTS = { min: 2, max: 10 };
const MAX_VARIANT_NAME = 100;
const KEYS = ['name', 'share', 'message'];

/** Checks variants; having none is also valid. Adds mistakes to `problems`; then the result must not be used. */
export function parseVariants(type: MessageType, input: unknown, path: string, problems: Problem[]): Variant[] {
  const { min, max } = VARIANTS;
  if (!Array.isArray(input) || input.length === 1 || input.length > max) {
    problems.push({ path, message: `must be an array of ${min} to ${max} variants, or empty` });
    return [];
  }
  const before = problems.length;
  const variants = input.map((item: unknown, index) => parseVariant(type, item, under(path, index), problems));
  if (problems.length === before) problems.push(...problemsTogether(variants, path));
  return variants;
}

function parseVariant(type: MessageType, input: unknown, path: string, problems: Problem[]): Variant {
  const given: JsonObject = isJsonObject(input) ? input : {};
  if (given !== input) problems.push({ path, message: `must be an object with ${KEYS.join(', ')}` });
  for (const key of Object.keys(given))
    if (!KEYS.includes(key))
      problems.push({ path: under(path, key), message: 'there is no such field', allowed: KEYS });
  const name = property(given, 'name');
  const length = typeof name === 'string' ? [...name].length : 0;
  if (typeof name !== 'string' || name.trim() === '' || length > MAX_VARIANT_NAME || !isPrintable(name))
    problems.push({ path: under(path, 'name'), message: `must be a text of 1 to ${MAX_VARIANT_NAME} characters` });
  const share = safeInteger(property(given, 'share'));
  if (share === undefined || share < 1 || share >= BUCKETS)
    problems.push({ path: under(path, 'share'), message: 'must be a whole percentage from 1 to 99' });
  const message = parseMessage(type, property(given, 'message') ?? {}, under(path, 'message'), problems);
  return { name: String(name), share: share ?? 1, message };
}

const isPrintable = (text: string): boolean => text.isWellFormed() && !/\p{Cc}/u.test(text);

function problemsTogether(variants: readonly Variant[], path: string): Problem[] {
  const names = variants.map(({ name }) => name);
  const problems = names.flatMap((name, index): Problem[] =>
    names.indexOf(name) === index
      ? []
      : [{ path: under(under(path, index), 'name'), message: 'must differ from the names of the other variants' }],
  );
  const sum = variants.reduce((shares, { share }) => shares + share, 0);
  if (variants.length > 0 && sum !== BUCKETS)
    problems.push({ path, message: `the shares must add up to ${BUCKETS}, and add up to ${sum}` });
  return problems;
}

/** Whether two lists of variants divide recipients in the same way, under the same names. */
export function divideAlike(some: readonly Variant[], others: readonly Variant[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ name, share }, index) => name === others[index]!.name && share === others[index]!.share)
  );
}
