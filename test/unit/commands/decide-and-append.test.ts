import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideAndAppend, type Loaded, load } from '../../../src/commands/decide-and-append.ts';
import { reserveId } from '../../../src/commands/reserve-ids.ts';
import { type IdsEvent, ids, reserveIds } from '../../../src/domain/catalog/ids.ts';
import type { Decider } from '../../../src/domain/decider.ts';
import { Rejection } from '../../../src/domain/rejection.ts';
import { ConflictError, type EventLog, LogUnavailableError, OutcomeUnknownError } from '../../../src/log/port.ts';
import { memoryLog } from '../../support/memory-log.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { testSources } from '../../support/test-sources.ts';

const STREAM = 'ids-owner';
const one = { kind: 'owner', count: 1, above: 0 } as const;

function fixture() {
  const log = memoryLog();
  return { log, sources: testSources() };
}

describe('decideAndAppend', () => {
  it('appends the decided events at the time that the decision saw', async () => {
    const context = fixture();
    let seen = 0;
    const { events, position } = await decideAndAppend(context, ids, STREAM, (state, now) => {
      seen = now;
      return reserveIds(state, one);
    });
    const [commit] = (await context.log.read(STREAM)).commits;
    expect(commit).toMatchObject({ position, at: seen, revision: 1 });
    expect(commit?.events.map(ids.read)).toEqual(events);
  });

  it('decides again after a concurrent append, so that it gives no id twice', async () => {
    const context = fixture();
    const given = await Promise.all(Array.from({ length: 20 }, () => reserveId(context, 'owner')));
    expect([...given].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  it('appends nothing for a decision without events, and names the position to wait for', async () => {
    const context = fixture();
    const nothing = () => decideAndAppend(context, ids, STREAM, () => []);
    const before = await load(context.log, ids, STREAM);
    expect(await nothing()).toEqual({ events: [], position: undefined, head: before.head, repeated: null });
    const { position, head } = await decideAndAppend(context, ids, STREAM, (state) => reserveIds(state, one));
    expect(head).toEqual((await load(context.log, ids, STREAM)).head);
    expect(await nothing()).toEqual({ events: [], position, head, repeated: null });
  });

  it('throws the refusal and appends nothing', async () => {
    const context = fixture();
    const refusal = new Rejection('conflict', 'x', 'no');
    await expect(decideAndAppend(context, ids, STREAM, () => refusal)).rejects.toBe(refusal);
    expect(context.log.commits.flat()).toEqual([]);
  });

  it('answers a repeated command with the events of the first, also if the decision would now refuse it', async () => {
    const context = fixture();
    const command = { id: context.sources.uuid(), bodyHash: 'h', answer: { id: 1 } };
    const meta = { command, keyId: 4 };
    const decide = (state: { last: number }): IdsEvent[] => reserveIds(state, one);
    const first = await decideAndAppend(context, ids, STREAM, decide, meta);
    for (const again of [decide, () => new Rejection('conflict', 'x', 'no')]) {
      const second = await decideAndAppend(context, ids, STREAM, again, meta);
      expect(second.events).toEqual(first.events);
      expect(second.position).toBe(first.position);
      expect(second.repeated).toMatchObject(meta);
    }
    expect(context.log.commits.flat()).toHaveLength(1);
  });

  it('gives up on the 50th conflict', async () => {
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

  it('reads again after it has prepared the missing data of a decision', async () => {
    const context = fixture();
    let prepared = 0;
    const { events } = await decideAndAppend(context, ids, STREAM, (state) => reserveIds(state, one), {
      // A concurrent append happens before the second read, so the decision lacks data again.
      prepare: (state) => (state.last < 3 ? reserveId(context, 'owner').then(() => void prepared++) : undefined),
    });
    expect({ prepared, from: events[0]?.data.from }).toEqual({ prepared: 3, from: 4 });
  });

  it('decides first on the known state, without reading', async () => {
    const context = fixture();
    const known = await load(context.log, ids, STREAM);
    let reads = 0;
    const log: EventLog = {
      ...context.log,
      read(...args) {
        reads++;
        return context.log.read(...args);
      },
    };
    const decide = (state: { last: number }): IdsEvent[] => reserveIds(state, one);
    await decideAndAppend({ ...context, log }, ids, STREAM, decide, { known });
    expect(reads).toBe(0);
    // The known state is now out of date: the append is a conflict.
    const { events } = await decideAndAppend({ ...context, log }, ids, STREAM, decide, { known });
    expect({ reads, from: events[0]?.data.from }).toEqual({ reads: 1, from: 2 });
  });
});

describe('concurrent writers', () => {
  /** Accepts each note once, in the order of the stream. */
  const notes: Decider<readonly string[], string> = {
    initialState: () => [],
    evolve: (state, note) => [...state, note],
    read: ({ data }) => String(data),
    write: (note) => ({ type: 'noted', v: 1, data: note }),
  };
  const NOTES = 'notes-b';

  type Fault = 'none' | 'unavailable' | 'lost' | 'unknown' | 'late';
  const fault = fc.constantFrom<Fault>('none', 'none', 'none', 'unavailable', 'lost', 'unknown', 'late');

  /** A log whose appends have the given faults in turn, and alternate with appends of other writers. */
  function faultyLog(faults: readonly Fault[]) {
    const log = memoryLog();
    let next = 0;
    const append: EventLog['append'] = async (commit) => {
      const failing = faults[next++ % faults.length];
      if (failing === 'unavailable') throw new LogUnavailableError('down');
      if (failing === 'lost') throw new OutcomeUnknownError('it was not appended', new Error('gone'));
      if (failing === 'late') await setImmediate();
      const appended = await log.append(commit);
      if (failing === 'unknown') throw new OutcomeUnknownError('it was appended', new Error('gone'));
      return appended;
    };
    return { ...log, append };
  }

  it('lose no note and append none twice under any faults', async () => {
    const writer = fc.record({
      way: fc.constantFrom('plain', 'keeps what it knows', 'retries'),
      count: fc.integer({ min: 1, max: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(writer, { minLength: 2, maxLength: 6, size: 'max' }),
        // The last fault is `none`, so that a writer that retries ends.
        fc.array(fault, { maxLength: 12, size: 'max' }).map((faults) => [...faults, 'none' as const]),
        async (writers, faults) => {
          const log = faultyLog(faults);
          const context = { log, sources: testSources() };
          const certain: string[] = [];
          const possible: string[] = [];

          async function write(index: number, { way, count }: (typeof writers)[number]): Promise<void> {
            let known: Loaded<readonly string[]> | undefined;
            for (let number = 0; number < count; number++) {
              const note = `${index}/${number}`;
              const decide = (state: readonly string[]) => (state.includes(note) ? [] : [note]);
              try {
                const { events, head, position } = await decideAndAppend(context, notes, NOTES, decide, {
                  command: way === 'retries' ? undefined : { id: note },
                  ...(way === 'keeps what it knows' && { known }),
                  ...(way === 'retries' && {
                    onFailure(error) {
                      const kinds = [ConflictError, LogUnavailableError, OutcomeUnknownError];
                      if (!kinds.some((kind) => error instanceof kind)) throw error;
                    },
                  }),
                });
                certain.push(note);
                const { state } = await load(log, notes, NOTES);
                if (events.length > 0) expect(state.at(head!.revision - 1)).toBe(note);
                if (way === 'keeps what it knows')
                  known = { state: state.slice(0, head!.revision), head: head!, position };
              } catch (error) {
                if (error instanceof OutcomeUnknownError) possible.push(note);
                else expect(error).toBeInstanceOf(LogUnavailableError);
                known = undefined;
              }
            }
          }
          await Promise.all(writers.map((each, index) => write(index, each)));

          const { state } = await load(log, notes, NOTES);
          expect(new Set(state).size).toBe(state.length);
          expect(certain.filter((note) => !state.includes(note))).toEqual([]);
          expect(state.filter((note) => !certain.includes(note) && !possible.includes(note))).toEqual([]);
          const retried = writers.flatMap(({ way, count }, index) =>
            way === 'retries' ? Array.from({ length: count }, (_, number) => `${index}/${number}`) : [],
          );
          expect(retried.filter((note) => !state.includes(note))).toEqual([]);
        },
      ),
      { numRuns: propertyRuns(200) },
    );
  });
});
