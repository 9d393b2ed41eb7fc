import { Column } from './column.ts';
import { mixed, RowTable } from './row-table.ts';

/** Names the event of a reward: by its commit and its index there. */
export interface EventName {
  readonly commit_id: string;
  readonly index: number;
}

/** Names a pair of rule and event, which earns once. */
export function earningKey(ruleId: number, { commit_id, index }: EventName): string {
  return `${ruleId}:${commit_id}:${index}`;
}

/** The stored form of a set of pairs. */
export interface StoredEarned {
  /** {@link WORDS} numbers a pair. */
  readonly words: Uint32Array;
  /** Keys of pairs that do not fit there. */
  readonly others: readonly string[];
}

/** The four words of the commit's UUID, the index and the rule. */
const WORDS = 6;
const UUID_WORDS = 4;
const MOST = 2 ** 32;

/** The pairs of rule and event that have earned a reward or were refused one: 24 bytes each. */
export class Earned {
  readonly #words: Column<Uint32Array>;
  readonly #others: Set<string>;
  readonly #table = new RowTable((row) => this.#hashOf(row));
  readonly #asked = new Uint32Array(WORDS);

  constructor({ words, others }: StoredEarned = { words: new Uint32Array(0), others: [] }) {
    this.#words = new Column(words);
    this.#others = new Set(others);
  }

  get size(): number {
    return this.#words.length / WORDS + this.#others.size;
  }

  /** Adds a pair that the account has not decided on. */
  add(ruleId: number, event: EventName): void {
    if (!this.#ask(ruleId, event)) {
      this.#others.add(earningKey(ruleId, event));
      return;
    }
    const row = this.#words.length / WORDS;
    for (const word of this.#asked) this.#words.push(word);
    this.#table.add(row);
  }

  has(ruleId: number, event: EventName): boolean {
    if (!this.#ask(ruleId, event)) return this.#others.has(earningKey(ruleId, event));
    const [words, asked] = [this.#words, this.#asked];
    const isAsked = (row: number): boolean => {
      for (let word = 0; word < WORDS; word++) if (words.at(row * WORDS + word) !== asked[word]) return false;
      return true;
    };
    const hash = asked.reduce(mixed, 0);
    return this.#table.find(words.length / WORDS, hash, isAsked) !== undefined;
  }

  /** Its stored form. The words are valid until the next change. */
  stored(): { readonly words: Uint8Array; readonly others: readonly string[] } {
    return { words: this.#words.bytes(), others: [...this.#others] };
  }

  #hashOf(row: number): number {
    let hash = 0;
    for (let at = row * WORDS; at < (row + 1) * WORDS; at++) hash = mixed(hash, this.#words.at(at));
    return hash;
  }

  /** Puts the words of a pair into `#asked`. @returns whether it has such words */
  #ask(ruleId: number, { commit_id, index }: EventName): boolean {
    const asked = this.#asked;
    if (!(ruleId < MOST && index < MOST) || !CANONICAL.test(commit_id)) return false;
    asked[0] = Number.parseInt(commit_id.slice(0, 8), 16);
    asked[1] = Number.parseInt(commit_id.slice(9, 13) + commit_id.slice(14, 18), 16);
    asked[2] = Number.parseInt(commit_id.slice(19, 23) + commit_id.slice(24, 28), 16);
    asked[3] = Number.parseInt(commit_id.slice(28), 16);
    asked[UUID_WORDS] = index;
    asked[UUID_WORDS + 1] = ruleId;
    return true;
  }
}

/** A UUID as text that its words give back. */
const CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
