import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeCommit, verifyChain } from '../../../../src/log/commit-codec.ts';
import { partitionOfKey } from '../../../../src/log/kafka/kafka-log.ts';
import { COMMAND_MEMORY_MS, EMPTY_STREAM, type NewCommit, type RecordedCommit } from '../../../../src/log/port.ts';
import { type LogRecord, type Reading, readRecord } from '../../../../src/log/validated/record.ts';
import {
  EMPTY_PARTITION,
  type PartitionState,
  type Verdict,
  validate,
} from '../../../../src/log/validated/validity.ts';

const PARTITIONS = 3;
const KEY = 'k1';
const partitionOf = (key: string): number => partitionOfKey(key, PARTITIONS);
const PARTITION = partitionOf(KEY);
const HOUR_MS = 60 * 60 * 1000;
const NOON = Date.UTC(2026, 0, 1, 12);

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

function commit(n: number, changes: Partial<NewCommit> = {}): NewCommit {
  return {
    id: uuid(n),
    stream: `intake-${KEY}`,
    expected: 'any',
    at: NOON,
    events: [{ type: 'Happened', v: 1, data: {} }],
    ...changes,
  };
}

function reading(offset: number, of: NewCommit): Reading & { commit: RecordedCommit } {
  const read = readRecord(
    { offset, key: Buffer.from(KEY), value: Buffer.from(encodeCommit(of)) },
    PARTITION,
    partitionOf,
  );
  if ('malformed' in read) throw new Error(read.malformed);
  return read;
}

/** Validates commits in this order. @returns why each is void; null: it is valid */
const fates = (commits: readonly NewCommit[], state: PartitionState = EMPTY_PARTITION): (string | null)[] =>
  validate(
    state,
    commits.map((of, offset) => reading(offset, of)),
  ).verdicts.map((verdict) => verdict.void);

describe('intake', () => {
  it('counts, whatever came before', () =>
    expect(fates([commit(1), commit(2), commit(3)])).toEqual([null, null, null]));

  it('counts once when a record was produced twice', () => {
    expect(fates([commit(1), commit(2), commit(1)])).toEqual([null, null, 'repeated']);
    const id = '00000000-0000-4000-8000-0000000000ab';
    expect(fates([commit(0, { id }), commit(0, { id: id.toUpperCase() })])).toEqual([null, 'repeated']);
  });

  it('counts once per command within a day, by the times in the log', () => {
    const command = { id: uuid(100) };
    const later = (n: number, ms: number): NewCommit => commit(n, { command, at: NOON + ms });
    expect(fates([later(1, 0), later(2, COMMAND_MEMORY_MS - 1)])).toEqual([null, 'repeated']);
    expect(fates([later(1, 0), later(2, COMMAND_MEMORY_MS)])).toEqual([null, null]);
    expect(fates([later(1, 0), later(2, COMMAND_MEMORY_MS), later(3, COMMAND_MEMORY_MS + 1)])).toEqual([
      null,
      null,
      'repeated',
    ]);
  });

  it('is forgotten once the log has moved on, even if a clock then goes back', () => {
    const command = { id: uuid(100) };
    const late = NOON + COMMAND_MEMORY_MS + 3 * HOUR_MS;
    expect(fates([commit(1, { command }), commit(2, { at: late }), commit(3, { command })])).toEqual([
      null,
      null,
      null,
    ]);
  });
});

describe('an exact stream', () => {
  const stream = `bot-${KEY}`;
  const first = commit(1, { stream, expected: EMPTY_STREAM });
  const { hash } = reading(0, first).commit;
  const second = commit(2, { stream, expected: { revision: 1, hash: hash! } });

  it('appends a commit that continues the head', () => expect(fates([first, second])).toEqual([null, null]));

  it('accepts the first of two commits for one revision', () => {
    const rival = commit(3, { stream, expected: EMPTY_STREAM });
    expect(fates([first, rival])).toEqual([null, 'conflict']);
    expect(fates([rival, first, second])).toEqual([null, 'conflict', 'conflict']);
  });

  it('refuses a commit that skips a revision or names another predecessor', () => {
    expect(fates([second, first])).toEqual(['conflict', null]);
    expect(fates([first, commit(3, { stream, expected: { revision: 1, hash: 'f'.repeat(64) } })])).toEqual([
      null,
      'conflict',
    ]);
  });

  it('takes a commit and a command once forever', () => {
    const command = { id: uuid(100) };
    const stamped = { ...first, command };
    const head = { revision: 1, hash: reading(0, stamped).commit.hash! };
    const later = { stream, expected: head, at: NOON + 400 * COMMAND_MEMORY_MS };
    expect(fates([stamped, commit(2, { ...later, command })])).toEqual([null, 'repeated']);
    expect(fates([stamped, commit(1, later)])).toEqual([null, 'repeated']);
  });

  it('accepts a command again after it lost a race', () => {
    const command = { id: uuid(100) };
    const rival = commit(3, { stream, expected: EMPTY_STREAM, command });
    const again = commit(4, { stream, expected: { revision: 1, hash: hash! }, command });
    expect(fates([first, rival, again])).toEqual([null, 'conflict', null]);
  });
});

describe('a record that is no commit of this partition is void', () => {
  const good = commit(1);
  const text = (changes: object): Buffer =>
    Buffer.from(JSON.stringify({ ...JSON.parse(encodeCommit(good)), ...changes }));
  const record = (changes: Partial<LogRecord>): LogRecord => ({
    offset: 5,
    key: Buffer.from(KEY),
    value: Buffer.from(encodeCommit(good)),
    ...changes,
  });

  it('accepts the unchanged record', () =>
    expect(readRecord(record({}), PARTITION, partitionOf)).toHaveProperty('commit'));

  it.each([
    ['no value', { value: null }],
    ['not JSON', { value: Buffer.from('{') }],
    ['bytes that are not UTF-8', { value: Buffer.from([0x22, 0xff, 0x22]) }],
    ['a byte order mark', { value: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(encodeCommit(good))]) }],
    ['another shape', { value: Buffer.from('{"hello":"world"}') }],
    ['no events', { value: text({ events: [] }) }],
    ['an id that is no UUID', { value: text({ id: 'x' }) }],
    ['a command id that is no UUID', { value: text({ cmd: { id: 'x' } }) }],
    ['a stream without a category', { value: text({ stream: KEY }) }],
    ['a stream with U+0000', { value: text({ stream: `intake-${KEY}/\0` }) }],
    ['a stream with half a character', { value: text({ stream: `intake-${KEY}/\ud800` }) }],
    ['a stream too long to index', { value: text({ stream: `intake-${KEY}/${'x'.repeat(1000)}` }) }],
    ['no key', { key: null }],
    ['another key', { key: Buffer.from('k2') }],
  ])('%s', (_, changes) => expect(readRecord(record(changes), PARTITION, partitionOf)).toHaveProperty('malformed'));

  it("refuses another partition's record", () =>
    expect(readRecord(record({}), (PARTITION + 1) % PARTITIONS, partitionOf)).toHaveProperty('malformed'));

  it('void records change no state', () => {
    const { verdicts, state } = validate(EMPTY_PARTITION, [{ offset: 0, malformed: 'why' }, reading(1, good)]);
    expect(verdicts).toMatchObject([{ void: 'malformed', detail: 'why' }, { void: null }]);
    expect(state.commits.size).toBe(1);
  });
});

/** Few ids, few streams and times that jump: many records repeat or contradict one another. */
const arbitraryLog = fc
  .array(
    fc.record({
      stream: fc.constantFrom('intake', 'bot', 'owner'),
      id: fc.nat(7),
      command: fc.option(fc.nat(3)),
      back: fc.nat(2),
      at: fc.integer({ min: 0, max: 60 }).map((hours) => NOON + hours * HOUR_MS),
    }),
    { maxLength: 25 },
  )
  .map((drafts) => {
    // Each exact record expects a head that its stream had lately, or will never have.
    const heads = new Map<string, { revision: number; hash: string }[]>();
    return drafts.map(({ stream: category, id, command, back, at }, offset) => {
      const stream = `${category}-${KEY}`;
      const past = heads.get(stream) ?? [EMPTY_STREAM];
      const expected = category === 'intake' ? 'any' : past[Math.max(0, past.length - 1 - back)]!;
      const of = commit(id, {
        stream,
        at,
        expected,
        ...(command === null ? {} : { command: { id: uuid(90 + command) } }),
      });
      const read = reading(offset, of);
      if (expected !== 'any')
        heads.set(stream, [...past, { revision: expected.revision + 1, hash: read.commit.hash! }]);
      return read;
    });
  });

const valid = (verdicts: readonly Verdict[]): RecordedCommit[] =>
  verdicts.flatMap((verdict) => (verdict.void === null ? [verdict.commit] : []));

describe('whatever the log holds', () => {
  it('a verdict depends on what lies before it, not on how the reader cuts the log', () => {
    fc.assert(
      fc.property(arbitraryLog, fc.array(fc.nat(25)), (log, cuts) => {
        const whole = validate(EMPTY_PARTITION, log);
        const verdicts: Verdict[] = [];
        let state = EMPTY_PARTITION;
        const edges = [0, ...cuts.filter((cut) => cut < log.length).sort((a, b) => a - b), log.length];
        for (const [i, start] of edges.slice(0, -1).entries()) {
          const part = validate(state, log.slice(start, edges[i + 1]));
          verdicts.push(...part.verdicts);
          state = part.state;
        }
        expect(verdicts).toEqual(whole.verdicts);
        expect(state).toEqual(whole.state);
      }),
      { numRuns: 500 },
    );
  });

  it('the valid commits of a stream are an unbroken chain', () => {
    fc.assert(
      fc.property(arbitraryLog, (log) => {
        const { verdicts, state } = validate(EMPTY_PARTITION, log);
        for (const [stream, head] of state.heads) {
          const chain = valid(verdicts).filter((of) => of.stream === stream);
          expect(verifyChain(stream, EMPTY_STREAM, chain)).toEqual(head);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('appending all of it a second time within the hour changes nothing', () => {
    fc.assert(
      fc.property(arbitraryLog, (log) => {
        const sameHour = log.map((read) => ({
          ...read,
          commit: { ...('commit' in read ? read.commit : {}), at: NOON },
        }));
        const once = validate(EMPTY_PARTITION, sameHour as Reading[]);
        const took = new Set(valid(once.verdicts).map(({ id }) => id));
        const again = sameHour.map((read) => ({ ...read, offset: read.offset + log.length })) as Reading[];
        for (const of of valid(validate(once.state, again).verdicts)) expect(took).not.toContain(of.id);
      }),
      { numRuns: 500 },
    );
  });
});
