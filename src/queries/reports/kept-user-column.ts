import { parse } from 'lossless-json';
import type { FieldValue } from '../../domain/condition/predicate.ts';
import { combinationKey } from '../../domain/reports/breakdown.ts';
import type { ReportField } from '../../domain/reports/fields.ts';

/** A field of all users of a bot, as a report's snapshot has it. */
export interface UserColumn {
  /** By the user's index among the bot's users. */
  readonly codes: Uint32Array;
  /** By code. A value may have no user. */
  readonly values: readonly FieldValue[];
  /** Numbers the values as answers show them, and gives the number of each user's: see `Combinations`. */
  numbered(): { readonly numbers: Uint32Array; readonly values: readonly (readonly FieldValue[])[] };
}

/** Users that `users` has before `events` does. More than these are not worth looking up for each report. */
const MOST_PENDING = 1000;
/** Values that no user has any more, beside one for each user. */
const MOST_UNUSED = 4096;

/** A column as of a number of changes. A later state shares the lists of values, to which values are only added. */
export class KeptUserColumn implements UserColumn {
  readonly upto: number;
  readonly codes: Uint32Array;
  /** The first is null: no value. */
  readonly values: FieldValue[] = [null];
  /** Users that have no index yet. */
  readonly pending = new Set<number>();
  readonly #type: ReportField['type'];
  readonly #known: Known;

  /** @param users how many the bot has */
  constructor(type: ReportField['type'], upto: number, users: number, former?: KeptUserColumn) {
    this.#type = type;
    this.upto = upto;
    this.codes = new Uint32Array(users);
    this.#known = former === undefined ? newKnown() : former.#known;
    if (former === undefined) return;
    this.values = former.values;
    this.codes.set(former.codes.subarray(0, users));
    for (const user of former.pending) this.pending.add(user);
  }

  copy(upto: number, users: number): KeptUserColumn {
    return new KeptUserColumn(this.#type, upto, users, this);
  }

  /** Whether it is better to read all users again. */
  get isWorn(): boolean {
    return this.pending.size > MOST_PENDING || this.values.length > this.codes.length + MOST_UNUSED;
  }

  /** The approximate size. A text of Latin letters takes one byte a letter. */
  get bytes(): number {
    return this.codes.byteLength + this.#known.letters + this.values.length * VALUE_BYTES;
  }

  addPending(userId: number): void {
    this.pending.add(userId);
  }

  set(user: number, userId: number, text: string | null): void {
    this.pending.delete(userId);
    this.codes[user] = text === null ? 0 : this.#codeOf(text);
  }

  #codeOf(text: string): number {
    const { codes } = this.#known;
    let code = codes.get(text);
    if (code === undefined) {
      code = this.values.push(fieldValue(this.#type, text)) - 1;
      codes.set(text, code);
      this.#known.letters += text.length;
    }
    return code;
  }

  numbered(): ReturnType<UserColumn['numbered']> {
    const { shown, numbers, numberOf } = this.#known;
    for (let code = numberOf.length; code < this.values.length; code++) {
      const value = [shownValue(this.#type, this.values[code]!)];
      const key = combinationKey(value);
      const number = numbers.get(key) ?? shown.push(value) - 1;
      numbers.set(key, number);
      numberOf.push(number);
    }
    return { values: shown, numbers: this.codes.map((code) => numberOf[code]!) };
  }
}

/** The values of a column and of its later states. */
interface Known {
  /** Codes by the text of the database. */
  readonly codes: Map<string, number>;
  /** Of all texts. */
  letters: number;
  /** Numbers by the key of a shown value: values that look alike are one. */
  readonly numbers: Map<string, number>;
  /** By number. */
  readonly shown: (readonly FieldValue[])[];
  /** By code, up to the last one that was asked for. */
  readonly numberOf: number[];
}

function newKnown(): Known {
  return { codes: new Map(), letters: 0, numbers: new Map(), shown: [], numberOf: [] };
}

/** Bytes of a value beside its letters: it is in two arrays and in two maps, once with its letters as a key. */
const VALUE_BYTES = 240;

/** The value of a field from its text in the database. */
export function fieldValue(type: ReportField['type'], text: string): FieldValue {
  switch (type) {
    case 'boolean':
      return text === 'true';
    case 'date':
      return Number(text);
    case 'dynamic':
      return parse(text) as FieldValue;
    default:
      return text;
  }
}

/** A date has whole seconds in answers. */
function shownValue(type: ReportField['type'], value: FieldValue): FieldValue {
  return type === 'date' && value !== null ? Math.floor(Number(value) / 1000) * 1000 : value;
}
