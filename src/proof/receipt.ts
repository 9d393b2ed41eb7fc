import type { Hash } from './merkle-tree.ts';

/**
 * A receipt of intake: the text of a signed note. It promises that the tree of the partition has the commit by a time. Its first
 * line tells it from a checkpoint, which begins with the name of the log.
 */
export interface Receipt {
  /** The name of the log. */
  readonly origin: string;
  /** Where the log has the commit. */
  readonly position: string;
  /** SHA-256 of the stored commit. */
  readonly commit: Hash;
  /** SHA-256 of the request's body. */
  readonly request: Hash;
  /** When the service signed it, in milliseconds since 1970 UTC. */
  readonly at: number;
  /** By then a checkpoint signs a tree with the commit, in milliseconds since 1970 UTC. */
  readonly dueAt: number;
}

const FIRST_LINE = 'botledger-receipt/v1';

export function receiptText({ origin, position, commit, request, at, dueAt }: Receipt): string {
  const lines = [
    FIRST_LINE,
    `log ${origin}`,
    `position ${position}`,
    `commit ${base64(commit)}`,
    `request ${base64(request)}`,
    `at ${at}`,
    `due ${dueAt}`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** Parses the text of a receipt; null: it is not exactly of that form. */
export function parseReceipt(text: string): Receipt | null {
  const value = (name: string): string => new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? '';
  const receipt = {
    origin: value('log'),
    position: value('position'),
    commit: Buffer.from(value('commit'), 'base64'),
    request: Buffer.from(value('request'), 'base64'),
    at: Number(value('at')),
    dueAt: Number(value('due')),
  };
  const isWhole =
    /^\d+:\S+$/.test(receipt.position) &&
    [receipt.commit, receipt.request].every(({ length }) => length === 32) &&
    [receipt.at, receipt.dueAt].every((ms) => Number.isSafeInteger(ms) && ms >= 0);
  return isWhole && receiptText(receipt) === text ? receipt : null;
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
