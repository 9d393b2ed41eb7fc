import { type EventName, earningKey, hasHash, hashOf } from './earned.ts';
import type { AccountEvent, AccountState, Accrual, ClosedBlock } from './state.ts';

/**
 * A name that a decision looks for in closed blocks. Closings do not have every old accrual and pair of rule and event, so the
 * command layer reads the blocks that may have the name from the log, and then the decision is made.
 */
export interface Lookup {
  readonly name: string;
  /** The closed blocks that may have it. Mostly none or one. */
  readonly blocks: readonly ClosedBlock[];
}

/** The entry of a block under a name: an accrual, a compensation, or a pair that was decided on. */
export type Fact = Accrual | 'compensation' | 'decided';

/** The memory of one decision: what it looks for, and the entries that were read for it. Closed blocks never change. */
export class Recalled {
  /** By block and name; null: the block has none. */
  readonly facts = new Map<string, Fact | null>();
  /** By name, with the last block that was searched. */
  readonly lookups = new Map<string, Lookup & { readonly last: ClosedBlock }>();
}

/** The entries of a closed block, by name. */
export type BlockContents = ReadonlyMap<string, Fact>;

const pairName = (ruleId: number, event: EventName): string => `earned ${earningKey(ruleId, event)}`;
const accrualName = (id: number): string => `accrual ${id}`;
const factKey = ({ last }: ClosedBlock, name: string): string => `${last.revision} ${name}`;

/** Looks for a pair of rule and event. A block that has its hash need not have the pair. */
export function pairLookup(
  { closed, closedPairs }: AccountState,
  { lookups }: Recalled,
  ruleId: number,
  event: EventName,
): Lookup {
  const name = pairName(ruleId, event);
  const last = closed.at(-1);
  if (last === undefined) return { name, blocks: [] };
  const known = lookups.get(name);
  if (known?.last === last) return known;
  const hash = hashOf(earningKey(ruleId, event));
  const blocks = closedPairs.has(hash) ? closed.filter(({ earned }) => hasHash(earned, hash)) : [];
  const lookup = { name, blocks, last };
  lookups.set(name, lookup);
  return lookup;
}

export function accrualLookup({ closed, open }: AccountState, id: number): Lookup {
  const name = accrualName(id);
  if (open.accruals.has(id)) return { name, blocks: [] };
  return { name, blocks: closed.filter(({ ids }) => ids !== null && ids[0] <= id && id <= ids[1]) };
}

/** The blocks that were not read for this name. */
export function notRecalled(recalled: Recalled, { name, blocks }: Lookup): ClosedBlock[] {
  return blocks.filter((block) => !recalled.facts.has(factKey(block, name)));
}

/** Keeps the entry of a block under a name. */
export function recall(recalled: Recalled, name: string, block: ClosedBlock, contents: BlockContents): void {
  recalled.facts.set(factKey(block, name), contents.get(name) ?? null);
}

function found(recalled: Recalled, { name, blocks }: Lookup): Fact | undefined {
  for (const block of blocks) {
    const fact = recalled.facts.get(factKey(block, name));
    if (fact !== undefined && fact !== null) return fact;
  }
  return undefined;
}

/** Whether the account has decided on a pair of rule and event. */
export function hasDecided(state: AccountState, recalled: Recalled, ruleId: number, event: EventName): boolean {
  if (state.open.earned.has(earningKey(ruleId, event))) return true;
  const lookup = pairLookup(state, recalled, ruleId, event);
  // A block that was not read may have the pair. The pair does not earn then.
  return found(recalled, lookup) !== undefined || notRecalled(recalled, lookup).length > 0;
}

/** The accrual with this id; undefined: there is none. */
export function accrualOf(state: AccountState, recalled: Recalled, id: number): Accrual | 'compensation' | undefined {
  const open = state.open.accruals.get(id);
  if (open !== undefined) return open.compensates === null ? open : 'compensation';
  const fact = found(recalled, accrualLookup(state, id));
  return fact === 'decided' ? undefined : fact;
}

/** The entries of a closed block. @param events all events of its commits */
export function contentsOf({ count }: ClosedBlock, events: Iterable<AccountEvent>): BlockContents {
  const contents = new Map<string, Fact>();
  let number = count;
  for (const { type, data } of events)
    if (type === 'reward_accrued') {
      const { amount, unit_id, available_at } = data;
      contents.set(pairName(data.rule_id, data.event), 'decided');
      contents.set(accrualName(data.accrual_id), {
        amount,
        unit_id,
        available_at,
        compensates: null,
        number: ++number,
      });
    } else if (type === 'reward_refused') contents.set(pairName(data.rule_id, data.event), 'decided');
    else if (type === 'accrual_reversed' && data.compensation_id !== null) {
      number++;
      contents.set(accrualName(data.compensation_id), 'compensation');
    }
  return contents;
}
