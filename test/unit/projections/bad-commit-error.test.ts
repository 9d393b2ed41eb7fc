import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { RecordedCommit } from '../../../src/log/port.ts';
import { BadCommitError } from '../../../src/projections/runtime/bad-commit.ts';

it('is logged without the data of the commit', () => {
  let logged = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      logged += String(chunk);
      done();
    },
  });
  const commit: RecordedCommit = {
    id: 'c1',
    stream: 'intake-b',
    at: 0,
    events: [{ type: 'happened', v: 1, data: { value_str: 'a secret' } }],
    position: '0:1',
    ordinal: 1,
    revision: null,
    prev: null,
    hash: null,
  };
  const error = new BadCommitError('commit c1: cannot be read', commit, {});
  expect(error.commit).toBe(commit);
  pino(stream).error({ err: error });
  expect(logged).toContain('commit c1: cannot be read');
  expect(logged).not.toContain('a secret');
});
