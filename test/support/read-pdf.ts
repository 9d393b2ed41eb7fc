import { inflateSync } from 'node:zlib';
import jsqr from 'jsqr';
import { getDocumentProxy } from 'unpdf';

export interface ReadPdf {
  readonly pages: number;
  /** The texts of each line, from left to right; lines from the top of the first page down. */
  readonly lines: readonly (readonly string[])[];
  readonly attachments: ReadonlyMap<string, Buffer>;
  readonly created: string;
}

/** Reads a PDF by another library than the one that writes it. */
export async function readPdf(bytes: Uint8Array): Promise<ReadPdf> {
  const pdf = await getDocumentProxy(Uint8Array.from(bytes));
  const lines: string[][] = [];
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const byHeight = new Map<number, { readonly x: number; readonly text: string }[]>();
    for (const item of items) {
      if (!('str' in item) || item.str.trim() === '') continue;
      const [x, y] = [item.transform[4] as number, item.transform[5] as number];
      const key = Math.round(y * 2) / 2;
      byHeight.set(key, [...(byHeight.get(key) ?? []), { x, text: item.str }]);
    }
    const sorted = [...byHeight].sort(([one], [other]) => other - one);
    lines.push(...sorted.map(([, texts]) => texts.sort((one, other) => one.x - other.x).map(({ text }) => text)));
  }
  const attached = ((await pdf.getAttachments()) ?? {}) as Record<string, { readonly content: Uint8Array }>;
  const { info } = await pdf.getMetadata();
  return {
    pages: pdf.numPages,
    lines,
    attachments: new Map(Object.entries(attached).map(([name, { content }]) => [name, Buffer.from(content)])),
    created: (info as { CreationDate: string }).CreationDate,
  };
}

/** Pixels of a module, and of the quiet zone around the code. */
const SCALE = 4;
const QUIET = 4 * SCALE;

/** Decodes the QR code of a PDF from the squares that its last page draws; null: no decoder can read it. */
export function readCode(bytes: Buffer): string | null {
  const squares = drawnSquares(bytes);
  if (squares.length === 0) return null;
  const side = squares[0]!.size;
  const [left, top] = [Math.min(...squares.map(({ x }) => x)), Math.min(...squares.map(({ y }) => y))];
  const count = 1 + Math.max(...squares.map(({ x }) => Math.round((x - left) / side)));
  const width = count * SCALE + 2 * QUIET;
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255);
  for (const { x, y } of squares) {
    const [column, row] = [Math.round((x - left) / side), Math.round((y - top) / side)];
    for (let i = 0; i < SCALE * SCALE; i++) {
      const at = (QUIET + row * SCALE + Math.floor(i / SCALE)) * width + QUIET + column * SCALE + (i % SCALE);
      pixels.fill(0, at * 4, at * 4 + 3);
    }
  }
  return jsqr.default(pixels, width, width)?.data ?? null;
}

/** The filled squares of the page that has most of them. */
function drawnSquares(bytes: Buffer): { readonly x: number; readonly y: number; readonly size: number }[] {
  const streams: string[] = [];
  for (let at = bytes.indexOf('stream\n'); at >= 0; at = bytes.indexOf('stream\n', at + 1)) {
    const end = bytes.indexOf('\nendstream', at);
    if (bytes.subarray(at - 3, at).toString() === 'end' || end < 0) continue;
    try {
      streams.push(inflateSync(bytes.subarray(at + 7, end)).toString('latin1'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code?.startsWith('Z_') !== true) throw error; // a stream of another kind
    }
  }
  const found = streams.map((text) =>
    [...text.matchAll(/^([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) re$/gm)].map(([, x, y, width]) => ({
      ...{ x: Number(x), y: Number(y), size: Number(width) },
    })),
  );
  return found.sort((one, other) => other.length - one.length)[0] ?? [];
}
