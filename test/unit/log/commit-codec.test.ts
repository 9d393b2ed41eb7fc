import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeCommit, encodeCommit, hashBody } from '../../../src/log/commit-codec.ts';
import type { NewCommit } from '../../../src/log/port.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const absent = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
const data = fc.jsonValue();
const traceparent = fc
  .tuple(fc.stringMatching(/^[0-9a-f]{32}$/), fc.stringMatching(/^[0-9a-f]{16}$/))
  .map(([trace, span]) => `00-${trace}-${span}-01`);

/** Commits without a trace. */
const commit: fc.Arbitrary<NewCommit> = fc.record({
  id: fc.uuid(),
  stream: fc.string({ minLength: 1 }).map((key) => `bot-${key}`),
  expected: fc.oneof(
    fc.constant('any' as const),
    fc.record({ revision: fc.nat(), hash: fc.stringMatching(/^[0-9a-f]{64}$/) }),
  ),
  at: fc.nat(),
  events: fc.array(fc.record({ type: fc.string(), v: fc.integer({ min: 1, max: 9 }), data }), { minLength: 1 }),
  command: absent(fc.record({ id: fc.uuid(), bodyHash: absent(fc.string()), answer: data })),
  keyId: absent(fc.nat()),
  causation: absent(fc.string()),
});

/** The stored text before commits could have a trace. */
function formerText({ id, stream, expected, at, command, keyId, causation, events }: NewCommit): string {
  const [rev, prev] = expected === 'any' ? [null, null] : [expected.revision + 1, expected.hash];
  return JSON.stringify({ id, stream, rev, prev, at, cmd: command, key: keyId, cause: causation, events });
}

it('stores a commit without a trace as the same bytes as before', () => {
  fc.assert(
    fc.property(commit, fc.boolean(), (given, named) => {
      expect(encodeCommit(named ? { ...given, trace: undefined } : given)).toBe(formerText(given));
    }),
    { numRuns: propertyRuns(200) },
  );
});

it('reads back what it stores, with a trace in 66 more bytes, and stores the same bytes again', () => {
  fc.assert(
    fc.property(commit, traceparent, (given, trace) => {
      const body = encodeCommit({ ...given, trace });
      expect(body.length).toBe(formerText(given).length + 66);
      const { revision, prev, hash, position: _, ordinal: __, ...read } = decodeCommit(body, '0:1', 1);
      expect(read.trace).toBe(trace);
      expect(hash).toBe(given.expected === 'any' ? null : hashBody(body));
      const expected = revision === null ? 'any' : { revision: revision - 1, hash: prev! };
      expect(encodeCommit({ ...read, expected })).toBe(body);
    }),
    { numRuns: propertyRuns(200) },
  );
});

it('reads a record whose trace is no text as a commit without one', () => {
  const body =
    '{"id":"1","stream":"bot-1","rev":null,"prev":null,"at":1,"trace":7,"events":[{"type":"A","v":1,"data":{}}]}';
  expect(decodeCommit(body, '0:1', 1)).toMatchObject({ id: '1', trace: undefined });
});
