/**
 * Packs ascending chat ids: base64 of the distances between neighbours. A distance is in groups of seven bits, the
 * lowest first; the top bit of a byte is set if another follows. Distances of negative ids begin below the least safe
 * integer. Distances of positive ids begin at 0, and the distance 0 announces them. So a double holds every distance
 * exactly.
 */

const BELOW_ALL = Number.MIN_SAFE_INTEGER - 1;

/** @param chats safe integers but 0, each greater than the one before it */
export function packChats(chats: readonly number[]): string {
  const bytes: number[] = [];
  let before = BELOW_ALL;
  for (const chat of chats) {
    if (before < 0 && chat > 0) {
      bytes.push(0);
      before = 0;
    }
    if (!Number.isSafeInteger(chat) || chat <= before || chat === 0)
      throw new RangeError(`chat ${chat} cannot follow ${before}`);
    let rest = chat - before;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
    bytes.push(rest);
    before = chat;
  }
  return Buffer.from(bytes).toString('base64');
}

/** @throws RangeError the text is not of {@link packChats} */
export function unpackChats(packed: string): number[] {
  const chats: number[] = [];
  let before = BELOW_ALL;
  let distance = 0;
  let scale = 1;
  for (const byte of Buffer.from(packed, 'base64')) {
    distance += (byte & 0x7f) * scale;
    scale *= 0x80;
    if (byte >= 0x80) continue;
    before = distance === 0 ? 0 : before + distance;
    if (!Number.isSafeInteger(before)) throw new RangeError('no packed chats');
    if (distance > 0) chats.push(before);
    distance = 0;
    scale = 1;
  }
  if (scale > 1) throw new RangeError('no packed chats: the last one is cut off');
  return chats;
}
