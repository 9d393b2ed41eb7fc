import { ApiError } from './errors.ts';
import { MAX_DEPTH } from './json.ts';

/** Objects, arrays and fields of one body. A thousand updates may have 500 each. */
export const MAX_NODES = 500_000;
/** Objects, arrays and fields that are parsed at once: of one element of a list, or of a body that is no list. Some 10 ms. */
export const MAX_NODES_AT_ONCE = 20_000;
/** Commas of one body, which bound its plain values. */
export const MAX_COMMAS = 1_000_000;

/** Nodes and bytes after which a list is cut at its next element. */
const PIECE_NODES = 5000;
const PIECE_COMMAS = 20_000;
const PIECE_BYTES = 256 << 10;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const ARRAY = 0x5b;
/** `[` and `{`, `]` and `}` differ in the bit 0x20 alone. */
const OPENING = 0x7b;
const CLOSING = 0x7d;

/** Counts values and levels of a body byte by byte as it arrives, so that a costly body is refused before it is parsed. */
export interface BodyScan {
  /** Counts a chunk. Returns the reason to refuse the body; null: none yet. */
  push(chunk: Uint8Array): ApiError | null;
  /** Positions of the commas at which a list is cut, so that each piece is parsed alone. */
  readonly cuts: readonly number[];
}

export function createBodyScan(): BodyScan {
  const cuts: number[] = [];
  let [inString, isEscaped, isList, isBegun] = [false, false, false, false];
  let [depth, nodes, commas, position] = [0, 0, 0, 0];
  let element = { nodes: 0 };
  let piece = { nodes: 0, commas: 0, position: 0 };

  /** An element of a list has ended at a comma. */
  function endElement(): void {
    element = { nodes };
    const isFull =
      nodes - piece.nodes >= PIECE_NODES ||
      commas - piece.commas >= PIECE_COMMAS ||
      position - piece.position >= PIECE_BYTES;
    if (!isFull) return;
    cuts.push(position);
    piece = { nodes, commas, position };
  }

  function take(byte: number): ApiError | null {
    if (byte === QUOTE) inString = true;
    else if (byte === COMMA) {
      if (++commas > MAX_COMMAS) return tooMany(MAX_COMMAS, 'values');
      if (isList && depth === 1) endElement();
    } else if (byte === COLON || (byte | 0x20) === OPENING) {
      if (++nodes > MAX_NODES) return tooMany(MAX_NODES, 'objects, arrays and fields');
      if (nodes - element.nodes > MAX_NODES_AT_ONCE)
        return tooMany(MAX_NODES_AT_ONCE, 'objects, arrays and fields in one element');
      if (byte === COLON) return null;
      if (!isBegun) isList = byte === ARRAY;
      isBegun = true;
      if (++depth > MAX_DEPTH) return new ApiError(400, `the body is nested deeper than ${MAX_DEPTH} levels`);
    } else if ((byte | 0x20) === CLOSING) depth--;
    return null;
  }

  return {
    cuts,
    push(chunk) {
      for (const byte of chunk) {
        if (isEscaped) isEscaped = false;
        else if (inString) {
          if (byte === BACKSLASH) isEscaped = true;
          else if (byte === QUOTE) inString = false;
        } else {
          const problem = take(byte);
          if (problem !== null) return problem;
        }
        position++;
      }
      return null;
    },
  };
}

function tooMany(limit: number, things: string): ApiError {
  return new ApiError(413, `the body has more than ${limit} ${things}`);
}
