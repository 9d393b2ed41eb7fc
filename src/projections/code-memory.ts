import type { ClientBase } from 'pg';
import { numbers } from './by-key.ts';
import { copyInto, copyLine } from './copy.ts';
import type { ReadCommit } from './read-model.ts';

/**
 * Which start payloads are referral codes of a bot, at a place of its log: a visit by one that has no pair of UTM has no
 * source, either (decisions.md#start-payload). Codes that a visit alone made known are none.
 */
export const CODE_MEMORY_DDL = `
CREATE TABLE codes (
  bot_id int NOT NULL,
  code text COLLATE "C" NOT NULL,
  PRIMARY KEY (bot_id, code)
);
`;

/** The events that bring codes. */
export const CODE_EVENTS = ['referral_code_created', 'referral_code_owners_set', 'referral_marked'] as const;

/** Of the payloads that the batch names, those that are codes. */
export interface CodeMemory {
  readonly bot_id: number;
  readonly codes: Set<string>;
  readonly added: string[];
}

export function codeMemory(bot_id: number): CodeMemory {
  return { bot_id, codes: new Set(), added: [] };
}

type LedgerEvent = ReadCommit['events'][number];

/** Start payloads that the event names, as codes or by visits. */
export function payloadsIn(event: LedgerEvent): string[] {
  if (event.type !== 'updates_received') return codesIn(event);
  return event.data.items.flatMap(({ start_param }) => (start_param === undefined ? [] : [start_param]));
}

/** What a mark offers its referrer may come to nothing: then nobody is told of it, and nobody visits by it. */
function codesIn(event: LedgerEvent): string[] {
  switch (event.type) {
    case 'referral_code_created':
      return [event.data.code];
    case 'referral_code_owners_set':
      return event.data.elements.map(({ code }) => code);
    case 'referral_marked':
      return event.data.new_code === null ? [] : [event.data.new_code];
    default:
      return [];
  }
}

/** From here on they are codes. */
export function learnCodes({ codes, added }: CodeMemory, event: LedgerEvent): void {
  for (const code of codesIn(event)) {
    if (codes.has(code)) continue;
    codes.add(code);
    added.push(code);
  }
}

/** Fills in which of the payloads the table has. */
export async function loadCodes(
  tx: ClientBase,
  wanted: readonly { readonly memory: CodeMemory; readonly payloads: ReadonlySet<string> }[],
): Promise<void> {
  const asked = wanted.flatMap(({ memory, payloads }) => [...payloads].map((code) => ({ memory, code })));
  if (asked.length === 0) return;
  const { rows } = await tx.query<[number]>({
    name: 'code_memory.load',
    text: `SELECT u.i::int FROM unnest($1::int[], $2::text[]) WITH ORDINALITY AS u (bot_id, code, i)
             JOIN codes c ON c.bot_id = u.bot_id AND c.code = u.code`,
    values: [numbers(asked.map(({ memory }) => memory.bot_id)), asked.map(({ code }) => code)],
    rowMode: 'array',
  });
  for (const [i] of rows) asked[i - 1]!.memory.codes.add(asked[i - 1]!.code);
}

export async function saveCodes(tx: ClientBase, memories: readonly CodeMemory[]): Promise<void> {
  const lines = memories.flatMap(({ bot_id, added }) => added.map((code) => copyLine([bot_id, code])));
  await copyInto(tx, 'codes', 'bot_id, code', lines);
}
