const [LINE_END, RETURN, BLANK, TAB] = [0x0a, 0x0d, 0x20, 0x09];
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Whether a text of JSON has its values over several lines, or in one list, and not each on its own line. */
export function isJsonDocument(beginning: Buffer): boolean {
  return /^\uFEFF?\s*(?:\[|\{[\t ]*\r?\n)/.test(beginning.toString('utf8'));
}

/**
 * Puts each element of a JSON list, or each of the JSON objects that follow each other, on a separate line, whatever
 * its size. White space within an element becomes one blank: without it the broken `1 2` would become 12.
 */
export async function* onePerLine(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  /** The depth of the values: 1 in a list. */
  let base: number | undefined;
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  let last = LINE_END;

  for await (const chunk of bytes) {
    const out = Buffer.allocUnsafe(2 * chunk.length);
    let length = 0;
    const put = (byte: number): void => {
      last = byte;
      out[length++] = byte;
    };
    for (const byte of chunk) {
      if (isText) {
        put(byte);
        isText = isEscaped || byte !== QUOTE;
        isEscaped = !isEscaped && byte === BACKSLASH;
        continue;
      }
      const isSpace = byte === LINE_END || byte === RETURN || byte === BLANK || byte === TAB;
      if (isSpace) {
        if (last !== LINE_END && last !== BLANK) put(BLANK);
        continue;
      }
      if (base === undefined && byte > 0x7f) continue; // a byte order mark
      base ??= byte === OPEN_LIST ? 1 : 0;
      if (byte === QUOTE) isText = true;
      if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth--;
      const isBetween = depth < base || (depth === base && byte === COMMA);
      if (!isBetween) put(byte);
      else if (last !== LINE_END) put(LINE_END);
      if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
      if (byte === CLOSE_OBJECT && depth === base) put(LINE_END);
    }
    if (length > 0) yield out.subarray(0, length);
  }
}
