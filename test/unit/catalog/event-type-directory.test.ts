import { describe, expect, it } from 'vitest';
import { createEventTypeDirectory } from '../../../src/commands/intake/event-type-directory.ts';
import { findUnknownTargets, receiveCustomEvents, receiveTargetEvents } from '../../../src/commands/intake/receive.ts';
import { MAX_EVENT_NAMES } from '../../../src/domain/catalog/event-types.ts';
import type { EventLog } from '../../../src/log/port.ts';
import { memoryLog } from '../../support/memory-log.ts';
import { testSources } from '../../support/test-sources.ts';

const BOT = 'bOne';

function fixture() {
  const memory = memoryLog();
  const calls = { reads: 0, appends: 0 };
  const log: EventLog = {
    ...memory,
    read(...args) {
      calls.reads++;
      return memory.read(...args);
    },
    append(commit) {
      calls.appends++;
      return memory.append(commit);
    },
  };
  const directory = (seed: string) => createEventTypeDirectory({ log, sources: testSources(0, seed) });
  return { log, calls, directory };
}

describe('the event type directory', () => {
  it('registers new names in one append and knows them from then on', async () => {
    const { calls, directory } = fixture();
    const names = directory('a');
    expect(await names.resolve(BOT, ['buy', 'view', 'buy'])).toEqual(
      new Map([
        ['buy', 101],
        ['view', 102],
      ]),
    );
    const after = { ...calls };
    expect(after.appends).toBe(1);
    await names.resolve(BOT, ['view', 'buy']);
    expect(calls).toEqual(after);
  });

  it('keeps the names of bots apart', async () => {
    const names = fixture().directory('a');
    await names.resolve(BOT, ['x', 'y']);
    expect(await names.resolve('bTwo', ['y'])).toEqual(new Map([['y', 101]]));
  });

  it('learns what another instance registered, without registering it again', async () => {
    const { calls, directory } = fixture();
    const one = directory('a');
    const two = directory('b');
    await one.resolve(BOT, ['x']);
    expect(await two.resolve(BOT, ['x'])).toEqual(new Map([['x', 101]]));
    expect(calls.appends).toBe(1);
  });

  it('reads the log once for all goals of a request that it does not know', async () => {
    const { log, calls, directory } = fixture();
    const goals = directory('a');
    const find = findUnknownTargets(goals);
    const ids = Array.from({ length: 100 }, (_, index) => index + 10);
    expect(await find(BOT, ids)).toEqual(new Set(ids));
    expect(calls.reads).toBe(1);
    const receive = receiveTargetEvents({ log, sources: testSources(), directory: goals });
    const events = ids.map((target_id) => ({ target_id, user_id: 1 }));
    expect(await receive(BOT, events, {})).toEqual({ unknown: ids.map((_, index) => index) });
    expect(calls.reads).toBe(2);
  });

  it('agrees with another instance on every id, however they race', async () => {
    const { directory } = fixture();
    const instances = [directory('a'), directory('b'), directory('c')];
    const wished = Array.from({ length: 60 }, (_, index) => [`n${index % 7}`, `n${index % 11}`, `n${index}`]);
    const answers = await Promise.all(wished.map((names, index) => instances[index % 3]!.resolve(BOT, names)));
    const ids = new Map<string, number>();
    for (const [name, id] of answers.flatMap((answer) => [...answer])) {
      expect(ids.get(name) ?? id).toBe(id);
      ids.set(name, id);
    }
    expect([...ids.values()].sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, index) => 101 + index));
  });

  it('gathers names that come while an append runs', async () => {
    const { calls, directory } = fixture();
    const names = directory('a');
    await Promise.all(Array.from({ length: 500 }, (_, index) => names.resolve(BOT, [`n${index}`])));
    expect(calls.appends).toBeLessThanOrEqual(2);
  });

  it('refuses the request that goes beyond the limit, and only that one', async () => {
    const { directory } = fixture();
    const names = directory('a');
    await names.resolve(
      BOT,
      Array.from({ length: MAX_EVENT_NAMES - 2 }, (_, index) => `n${index}`),
    );
    const results = await Promise.allSettled(
      [['a'], ['b', 'c'], ['n7'], ['d']].map((list) => names.resolve(BOT, list)),
    );
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: { name: 'Rejection', code: 'limit', path: '1' } });
  });

  it('names the refused element of a request by its place there', async () => {
    const { log, directory } = fixture();
    const names = directory('a');
    await names.resolve(
      BOT,
      Array.from({ length: MAX_EVENT_NAMES - 1 }, (_, index) => `n${index}`),
    );
    const receive = receiveCustomEvents({ log, sources: testSources(), directory: names });
    const stamp = { keyId: 1 };
    const list = ['n3', 'fits', 'n3', 'fits', 'does not'].map((event) => ({ event, user_id: 7 }));
    await expect(receive(BOT, list, stamp)).rejects.toMatchObject({ code: 'limit', path: '4.event' });
    await names.resolve(BOT, ['the last']);
    await expect(receive(BOT, list[4]!, stamp)).rejects.toMatchObject({ code: 'limit', path: 'event' });
  });

  it('passes on errors of the log, and works again when the log does', async () => {
    const { log } = fixture();
    let down = true;
    const failing: EventLog = {
      ...log,
      read: (...args) => (down ? Promise.reject(new Error('down')) : log.read(...args)),
    };
    const names = createEventTypeDirectory({ log: failing, sources: testSources() });
    const refused = await Promise.allSettled([names.resolve(BOT, ['x']), names.resolve(BOT, ['y'])]);
    expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    down = false;
    expect(await names.resolve(BOT, ['x'])).toEqual(new Map([['x', 101]]));
  });
});
