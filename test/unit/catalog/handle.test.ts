import { describe, expect, it } from 'vitest';
import { handle } from '../../../src/commands/handle.ts';
import { reserveId } from '../../../src/commands/reserve-ids.ts';
import { type IdsEvent, ids, reserveIds } from '../../../src/domain/catalog/ids.ts';
import { Rejection } from '../../../src/domain/rejection.ts';
import { ConflictError } from '../../../src/log/port.ts';
import { memoryLog } from '../../support/memory-log.ts';
import { testSources } from '../../support/test-sources.ts';

const STREAM = 'ids-owner';
const one = { kind: 'owner', count: 1 } as const;

function fixture() {
  const log = memoryLog();
  return { log, sources: testSources() };
}

describe('handling a command', () => {
  it('appends what was decided, at the time that the decision saw', async () => {
    const context = fixture();
    let seen = 0;
    const { events, position } = await handle(context, ids, STREAM, (state, now) => {
      seen = now;
      return reserveIds(state, one);
    });
    const [commit] = (await context.log.read(STREAM)).commits;
    expect(commit).toMatchObject({ position, at: seen, revision: 1 });
    expect(commit?.events.map(ids.read)).toEqual(events);
  });

  it('decides again on what a rival appended: no id is given twice', async () => {
    const context = fixture();
    const given = await Promise.all(Array.from({ length: 20 }, () => reserveId(context, 'owner')));
    expect([...given].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  it('appends nothing when there is nothing to decide, and names the position to wait for', async () => {
    const context = fixture();
    expect(await handle(context, ids, STREAM, () => [])).toEqual({ events: [], position: undefined, repeated: null });
    const { position } = await handle(context, ids, STREAM, (state) => reserveIds(state, one));
    expect(await handle(context, ids, STREAM, () => [])).toEqual({ events: [], position, repeated: null });
  });

  it('throws a refusal, and nothing is appended', async () => {
    const context = fixture();
    const refusal = new Rejection('conflict', 'x', 'no');
    await expect(handle(context, ids, STREAM, () => refusal)).rejects.toBe(refusal);
    expect(context.log.commits.flat()).toEqual([]);
  });

  it('answers a repeated command with the events of the first', async () => {
    const context = fixture();
    const command = { id: context.sources.uuid(), bodyHash: 'h', answer: { id: 1 } };
    const decide = (state: { last: number }): IdsEvent[] => reserveIds(state, one);
    const first = await handle(context, ids, STREAM, decide, { command, keyId: 4 });
    const second = await handle(context, ids, STREAM, decide, { command, keyId: 4 });
    expect(second.events).toEqual(first.events);
    expect(second.position).toBe(first.position);
    expect(second.repeated).toMatchObject({ command, keyId: 4 });
    expect(context.log.commits.flat()).toHaveLength(1);
  });

  it('gives up on a stream that is never still', async () => {
    const { log, sources } = fixture();
    let appends = 0;
    const restless = {
      ...log,
      append: async () => {
        appends++;
        throw new ConflictError(STREAM, 0, appends);
      },
    };
    await expect(reserveId({ log: restless, sources }, 'owner')).rejects.toBeInstanceOf(ConflictError);
    expect(appends).toBe(50);
  });
});
