import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { RecordedCommit } from '../../src/log/port.ts';
import { BadCommitError } from '../../src/projections/runtime/apply.ts';

it('is logged without the data of the commit', () => {
  let logged = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      logged += String(chunk);
      done();
    },
  });
  const commit = { id: 'c1', events: [{ type: 'happened', v: 1, data: { value_str: 'a secret' } }] };
  const error = new BadCommitError('commit c1: cannot be read', commit as unknown as RecordedCommit, {});
  expect(error.commit).toBe(commit);
  pino(stream).error({ err: error });
  expect(logged).toContain('commit c1: cannot be read');
  expect(logged).not.toContain('a secret');
});
