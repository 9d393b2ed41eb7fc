import type { LedgerEvent } from '../../src/domain/ledger-events.ts';
import { random } from '../random.ts';

/** The events of the report set `wide`, with a unit on 30 %, of which two of three are foreign, and 5 % late by up to 7 days. */
export interface Workload {
  /** From `from` to before `to`, in milliseconds since 1970 UTC. */
  readonly from: number;
  readonly to: number;
  readonly events: number;
  readonly users: number;
  readonly late: number;
  /** Commits before the users: their streams and events. */
  readonly prologue: readonly (readonly [stream: string, event: LedgerEvent])[];
}

export const DAY_MS = 86_400_000;
const WORDS = 'red blue large small winter summer cotton linen gift sale new classic light warm daily travel'.split(
  ' ',
);

const next = random(7);
const texts = new Map<number, string>();

function textOf(number: number): string {
  let text = texts.get(number);
  if (text === undefined) {
    const word = random(number);
    const words = 1 + Math.floor(40 * word() ** 4);
    text = [number, ...Array.from({ length: words }, () => WORDS[Math.floor(WORDS.length * word())])]
      .join(' ')
      .slice(0, 250);
    texts.set(number, text);
  }
  return text;
}

/** The event with this number, of all of them. */
export function customItem({ from, to, events, users, late }: Workload, number: number): object {
  const flat = users / 100;
  const at = from + Math.floor((number / events) * (to - from));
  return {
    event_id: 101 + Math.floor(20 * next() ** 1.5),
    user_id: 1 + Math.min(users - 1, Math.floor(flat * ((1 + users / flat) ** next() - 1))),
    date: next() < late ? Math.floor(at - next() * 7 * DAY_MS) : at,
    value: String((1 + Math.floor(10_000 * next())) / 100),
    ...(next() < 0.3 && { unit: ['USD', 'EUR', 'GBP'][Math.floor(3 * next())] }),
    ...(next() < 0.3 && { category: `c${Math.floor(300 * next() ** 2)}` }),
    ...(next() < 0.4 && { value_str: textOf(Math.floor((users / 10) * next() ** 2)) }),
  };
}

/** The visit by which a user appears. */
export function updateItem(user: number, from: number): object {
  const draw = random(user);
  const pick = (count: number) => Math.floor(count * draw());
  return {
    update_id: user,
    user_id: user,
    date: from - 9 * DAY_MS,
    makes_user: true,
    is_bot: false,
    is_premium: pick(10) === 0,
    chat_type: 'private',
    person: { first_name: `User ${user}`, language_code: ['en', 'de', 'fr', 'es', 'pt'][pick(5)] },
    event_id: 1,
    command: '/start',
    start_param: `source-s${pick(20)}_medium-m${pick(15)}_campaign-c${pick(20)}`,
  };
}
