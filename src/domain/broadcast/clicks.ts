import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { eventType } from '../event-type.ts';

/** Events of clicks, on `clicks-<bot>` (decisions.md#clicks). */

const int = z.number().int();

const click = z.object({
  broadcast_id: int.positive(),
  launch: int.positive(),
  /** The recipient: its place in the frozen audience. */
  place: int.nonnegative(),
  /** The number of the link among all links of the launch. */
  link: int.nonnegative(),
  /** Milliseconds since 1970 UTC. */
  at: int,
});
export type Click = z.infer<typeof click>;

export const linksClicked = eventType('links_clicked', 1, z.object({ items: z.array(click).min(1) }));

/** Tokens in the links of broadcasts (decisions.md#click-token): four numbers and a code over them, as base64url. */

/** A link of a recipient. */
interface ClickedLink {
  readonly broadcastId: number;
  readonly launch: number;
  /** The recipient: its place in the frozen audience, from 0. */
  readonly place: number;
  /** The number of the link among all links of the launch, from 0. */
  readonly link: number;
}

/** Bytes of a key. */
export const CLICK_KEY_BYTES = 32;
const CODE_BYTES = 12;
/** The longest varint of a safe integer. */
const NUMBER_BYTES = 8;
const MOST_CHARACTERS = Math.ceil(((4 * NUMBER_BYTES + CODE_BYTES) * 4) / 3);

export function clickToken(key: Uint8Array, link: ClickedLink): string {
  const numbers = bytesOf(link);
  return Buffer.concat([numbers, codeOf(key, numbers)]).toString('base64url');
}

interface ReadToken {
  readonly link: ClickedLink;
  isSignedWith(key: Uint8Array): boolean;
}

/** Null: it is no token. It is valid only if `isSignedWith` the key of its launch. */
export function readClickToken(text: string): ReadToken | null {
  if (text.length > MOST_CHARACTERS || !/^[\w-]+$/.test(text)) return null;
  const bytes = Buffer.from(text, 'base64url');
  // Other spellings of the same bytes are no tokens.
  if (bytes.length <= CODE_BYTES || bytes.toString('base64url') !== text) return null;
  const numbers = bytes.subarray(0, -CODE_BYTES);
  const code = bytes.subarray(-CODE_BYTES);
  const [broadcastId, launch, place, link, ...more] = numbersOf(numbers);
  if (broadcastId === undefined || launch === undefined || place === undefined || link === undefined) return null;
  const read = { broadcastId, launch, place, link };
  if (more.length > 0 || !bytesOf(read).equals(numbers)) return null;
  return { link: read, isSignedWith: (key) => timingSafeEqual(code, codeOf(key, numbers)) };
}

function codeOf(key: Uint8Array, numbers: Uint8Array): Buffer {
  return createHmac('sha256', key).update(numbers).digest().subarray(0, CODE_BYTES);
}

/** Each number in groups of 7 bits, the lowest first; the last group of a number has no high bit. */
function bytesOf({ broadcastId, launch, place, link }: ClickedLink): Buffer {
  const bytes: number[] = [];
  for (const number of [broadcastId, launch, place, link]) {
    let rest = number;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80);
    bytes.push(rest);
  }
  return Buffer.from(bytes);
}

function numbersOf(bytes: Uint8Array): number[] {
  const numbers: number[] = [];
  let number = 0;
  let factor = 1;
  for (const byte of bytes) {
    number += (byte % 0x80) * factor;
    factor *= 0x80;
    if (!Number.isSafeInteger(number)) return [];
    if (byte >= 0x80) continue;
    numbers.push(number);
    number = 0;
    factor = 1;
  }
  return factor === 1 ? numbers : [];
}
