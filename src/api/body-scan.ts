import { ApiError } from './api-errors.ts';
import { MAX_DEPTH } from './exact-json.ts';

/** The most objects, arrays and fields of one body: enough for a thousand updates with 500 each. */
export const MAX_NODES = 500_000;
/** The most objects, arrays and fields of one element of a list, or outside of long lists. Parsing takes about 10 ms. */
export const MAX_NODES_AT_ONCE = 20_000;
/** The most bytes of the same. Parsing them takes about 10 ms. */
export const MAX_BYTES_AT_ONCE = 1 << 20;
/** The most commas of one body. They limit the number of plain values. */
const MAX_COMMAS = 1_000_000;

/** The bytes, nodes and commas before a byte of the body, or between two bytes. */
interface Count {
  position: number;
  nodes: number;
  commas: number;
}

/** After a piece has reached one of these numbers, the scan cuts the list at the next element. */
const PIECE: Readonly<Count> = { position: 256 << 10, nodes: 5000, commas: 20_000 };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const ARRAY = 0x5b;
/** `[` and `{`, `]` and `}` differ only in the bit 0x20. */
const OPENING = 0x7b;
const CLOSING = 0x7d;

/** A long list that is the body or a field of the body. Positions are in bytes from the start of the body. */
export interface CutList {
  /** Position of its `[`. */
  readonly begin: number;
  /** Positions of the commas between its pieces. Each piece is parsed separately. */
  readonly cuts: readonly number[];
  /** Position of its `]`. */
  readonly end: number;
}

/** Counts values and levels of a body while its bytes arrive, to refuse a costly body before it is parsed. */
export class BodyScan {
  /** The long lists that have ended, in the body's order. */
  readonly lists: CutList[] = [];

  private isInString = false;
  private isEscaped = false;
  private depth = 0;
  /** Depth of the lists that may be cut: 1 if the body is a list, else 2. */
  private listDepth = 0;
  private list: { readonly begin: Count; readonly cuts: number[] } | null = null;

  private readonly total: Count = { position: 0, nodes: 0, commas: 0 };
  /** The counts where the present piece of the list begins. */
  private piece: Count = { ...this.total };
  /** The counts where the present element begins; outside of long lists: the sum of the ended long lists. */
  private unit: Count = { ...this.total };
  /** The sum of the ended long lists. The limits for the rest of the body do not include it. */
  private inLists: Count = { ...this.total };

  constructor(private readonly pieceSize = PIECE) {}

  /** Counts a chunk. @returns the reason to refuse the body; null: no reason yet */
  push(chunk: Uint8Array): ApiError | null {
    for (const byte of chunk) {
      if (this.isEscaped) this.isEscaped = false;
      else if (this.isInString) {
        if (byte === BACKSLASH) this.isEscaped = true;
        else if (byte === QUOTE) this.isInString = false;
      } else if (byte === QUOTE) this.isInString = true;
      else if (byte === COMMA || byte === COLON || (byte | 0x20) === OPENING || (byte | 0x20) === CLOSING) {
        const problem = this.problem() ?? this.count(byte);
        if (problem !== null) return problem;
      }
      this.total.position++;
    }
    return null;
  }

  private count(byte: number): ApiError | null {
    if (byte === COMMA) {
      this.total.commas++;
      if (this.list !== null && this.depth === this.listDepth) this.endElement(this.list.cuts);
    } else if ((byte | 0x20) === CLOSING) {
      if (this.list !== null && this.depth === this.listDepth) this.endList(this.list);
      this.depth--;
    } else {
      this.total.nodes++;
      if (byte !== COLON) return this.open(byte);
    }
    return null;
  }

  private open(byte: number): ApiError | null {
    if (this.listDepth === 0) this.listDepth = byte === ARRAY ? 1 : 2;
    if (++this.depth > MAX_DEPTH) return new ApiError(400, `the body is nested deeper than ${MAX_DEPTH} levels`);
    if (this.depth !== this.listDepth || byte !== ARRAY) return null;
    this.list = { begin: { ...this.total }, cuts: [] };
    this.piece = { ...this.total };
    this.unit = { ...this.total };
    return null;
  }

  private endElement(cuts: number[]): void {
    this.unit = { ...this.total };
    const { position, nodes, commas } = difference(this.total, this.piece);
    const { pieceSize } = this;
    if (position < pieceSize.position && nodes < pieceSize.nodes && commas < pieceSize.commas) return;
    cuts.push(this.total.position);
    this.piece = { ...this.total };
  }

  private endList({ begin, cuts }: { readonly begin: Count; readonly cuts: number[] }): void {
    if (cuts.length > 0) {
      this.lists.push({ begin: begin.position, cuts, end: this.total.position });
      const own = difference(this.total, begin);
      for (const key of ['position', 'nodes', 'commas'] as const) this.inLists[key] += own[key];
    }
    this.list = null;
    this.unit = { ...this.inLists };
  }

  private problem(): ApiError | null {
    const { nodes, commas, position } = this.total;
    if (commas > MAX_COMMAS) return tooMany(MAX_COMMAS, 'values');
    if (nodes > MAX_NODES) return tooMany(MAX_NODES, 'objects, arrays and fields');
    const where = this.list === null ? 'outside of its lists' : 'in one element';
    if (nodes - this.unit.nodes > MAX_NODES_AT_ONCE)
      return tooMany(MAX_NODES_AT_ONCE, `objects, arrays and fields ${where}`);
    if (position - this.unit.position > MAX_BYTES_AT_ONCE) return tooMany(MAX_BYTES_AT_ONCE, `bytes ${where}`);
    return null;
  }
}

const difference = (now: Count, then: Count): Count => ({
  position: now.position - then.position,
  nodes: now.nodes - then.nodes,
  commas: now.commas - then.commas,
});

function tooMany(limit: number, things: string): ApiError {
  return new ApiError(413, `the body has more than ${limit} ${things}`);
}
