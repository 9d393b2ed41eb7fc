import { createRequire } from 'node:module';
import PDFDocument from 'pdfkit';
import qrcode from 'qrcode-generator';

/** For texts that are not ASCII. It has Latin, Cyrillic, Greek, Armenian, Georgian and Arabic letters. Readers of the file need no font. */
const FONT = createRequire(import.meta.url).resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf');

/** For ASCII, most of a statement: each reader of PDF has this font, so it is not embedded. */
const ASCII_FONT = 'Helvetica';

/** A4, turned; all measures are in points of 1/72 inch. */
const PAGE = { width: 842, height: 595 };
const MARGIN = 36;
const FOOTER_SIZE = 6;
const GREY = '#555555';
/** Longer texts are cut before they are measured. */
const MAX_LETTERS = 400;

export interface Cell {
  readonly text: string;
  /** From the left margin. */
  readonly x: number;
  readonly width: number;
  /** An amount: it stands to the right, and is never cut: a long one is written smaller. */
  readonly isAmount?: boolean;
}

interface LineStyle {
  readonly size: number;
  readonly isGrey?: boolean;
  /** Room below it that must be on the same page. */
  readonly keep?: number;
}

interface Attachment {
  readonly name: string;
  readonly type: string;
  /** A viewer shows it next to the name. */
  readonly description: string;
  /** Compressed by zlib. */
  readonly deflated: Uint8Array;
  readonly sizeBytes: number;
}

/** A document that is written line by line, and page by page leaves the memory. */
export interface Sheet {
  readonly width: number;
  /** Writes the cells on one line. A full page is followed by a new one, which begins with the heading. */
  line(cells: readonly Cell[], style: LineStyle): void;
  /** A line across the page. */
  rule(): void;
  gap(height: number): void;
  /** Sets what begins each further page. */
  heading(draw: (() => void) | null): void;
  /** Draws the code at the right margin, from the current line down. */
  code(text: string, size: number): void;
  attach(attachment: Attachment): void;
  /** The bytes that are complete. */
  taken(): Uint8Array | null;
  /** Ends the document. @returns the rest of its bytes */
  end(): AsyncIterable<Uint8Array>;
}

/** @param footer stands on each page before its number */
export function openSheet(title: string, footer: string, madeAt: number): Sheet {
  const date = new Date(madeAt);
  const doc = new PDFDocument({
    ...{ size: [PAGE.width, PAGE.height], margin: 0, autoFirstPage: false, font: FONT },
    // A cache of every word would grow with the document.
    fontLayoutCache: false,
    info: { Title: plain(title), Creator: 'Botledger', CreationDate: date, ModDate: date },
  });
  let [y, pages] = [0, 0];
  let heading: (() => void) | null = null;
  const turn = (): void => {
    doc.addPage();
    const text = plain(`${footer}, page ${++pages}`);
    write(doc, { text, x: 0, y: PAGE.height - MARGIN + 2 * FOOTER_SIZE, size: FOOTER_SIZE, isGrey: true });
    y = MARGIN;
    heading?.();
  };
  const needs = (height: number): void => {
    if (y + height > PAGE.height - MARGIN) turn();
  };
  turn();
  return {
    width: PAGE.width - 2 * MARGIN,
    line(cells, { size, isGrey = false, keep = 0 }) {
      const height = size * 1.4;
      needs(height + keep);
      for (const cell of cells) write(doc, { ...fitted(doc, cell, size), y: y + size, isGrey });
      y += height;
    },
    rule() {
      needs(4);
      doc
        .moveTo(MARGIN, y)
        .lineTo(PAGE.width - MARGIN, y)
        .lineWidth(0.5)
        .stroke(GREY);
      y += 3;
    },
    gap(height) {
      y += height;
    },
    heading(draw) {
      heading = draw;
    },
    code(text, size) {
      needs(size);
      drawCode(doc, text, { x: PAGE.width - MARGIN - size, y, size });
    },
    attach: (attachment) => attach(doc, attachment, date),
    taken: () => doc.read() as Buffer | null,
    end() {
      doc.end();
      return doc as AsyncIterable<Uint8Array>;
    },
  };
}

interface PlacedText {
  readonly text: string;
  /** From the left margin. */
  readonly x: number;
  /** Of the baseline. */
  readonly y: number;
  readonly size: number;
  readonly isGrey: boolean;
}

function write(doc: PDFKit.PDFDocument, { text, x, y, size, isGrey }: PlacedText): void {
  inFont(doc, text, size).fillColor(isGrey ? GREY : 'black');
  doc.text(text, MARGIN + x, y, { lineBreak: false, baseline: 'alphabetic' });
}

const inFont = (doc: PDFKit.PDFDocument, text: string, size: number): PDFKit.PDFDocument =>
  doc.font(/^[ -~]*$/.test(text) ? ASCII_FONT : FONT).fontSize(size);

const widthOf = (doc: PDFKit.PDFDocument, text: string, size: number): number =>
  inFont(doc, text, size).widthOfString(text);

/** Makes a text as wide as its cell at most: cuts it, or writes an amount smaller. */
function fitted(
  doc: PDFKit.PDFDocument,
  { text, x, width, isAmount = false }: Cell,
  size: number,
): Pick<PlacedText, 'text' | 'x' | 'size'> {
  if (isAmount) {
    const needed = widthOf(doc, text, size);
    return { text, x: x + Math.max(0, width - needed), size: Math.min(size, (size * width) / needed) };
  }
  const letters = [...plain(text)];
  if (letters.length <= MAX_LETTERS && widthOf(doc, plain(text), size) <= width) return { text: plain(text), x, size };
  let kept = letters.slice(0, MAX_LETTERS);
  for (;;) {
    const cut = `${kept.join('')}…`;
    const whole = widthOf(doc, cut, size);
    if (whole <= width) return { text: cut, x, size };
    kept = kept.slice(0, Math.min(kept.length - 1, Math.ceil((kept.length * width) / whole)));
  }
}

/** A text without letters that would move or hide others. */
const plain = (text: string): string => text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');

function drawCode(doc: PDFKit.PDFDocument, text: string, { x, y, size }: { x: number; y: number; size: number }): void {
  const code = qrcode(0, 'M');
  code.addData(text);
  code.make();
  const count = code.getModuleCount();
  const side = size / count;
  for (let row = 0; row < count; row++)
    for (let column = 0; column < count; column++)
      if (code.isDark(row, column)) doc.rect(x + column * side, y + row * side, side, side);
  doc.fill('black');
}

/** A file in the document, compressed already: the library would compress it in one go. */
function attach(
  doc: PDFKit.PDFDocument,
  { name, type, description, deflated, sizeBytes }: Attachment,
  date: Date,
): void {
  const content = doc.ref({
    ...{ Type: 'EmbeddedFile', Subtype: type.replace('/', '#2F'), Filter: 'FlateDecode' },
    Params: { CreationDate: date, ModDate: date, Size: sizeBytes },
  });
  content.end(deflated);
  const file = doc.ref({
    ...{ Type: 'Filespec', F: new String(name), UF: new String(name), Desc: new String(description) },
    ...{ EF: { F: content } },
  });
  file.end('');
  doc.addNamedEmbeddedFile(name, file);
}
