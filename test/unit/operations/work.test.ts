import { describe, expect, it } from 'vitest';
import {
  finishJob,
  type Job,
  type JobResult,
  recordVersion,
  requestJob,
  type WorkEvent,
  work,
} from '../../../src/domain/operations/work-events.ts';
import { given } from '../../support/decider-specification.ts';

const job: Job = {
  job_id: 'one',
  kind: 'rebuild',
  projection: 'users',
  bot: null,
  user_id: null,
  operator_id: 3,
  reason: 'rows were wrong',
};
const requested: WorkEvent = { type: 'job_requested', data: job };
const result: JobResult = { outcome: 'done', summary: 'built', findings: [], findings_count: 0 };
const finished: WorkEvent = { type: 'job_finished', data: { job_id: 'one', ...result } };

describe('a job', () => {
  it('is asked for with a reason, which is trimmed', () => {
    given(work)
      .when((state) => requestJob(state, { ...job, reason: ' rows were wrong\n' }))
      .yields(requested);
  });

  it.each(['', '  ', 'x'.repeat(1001), 'a\0b', '\ud800'])('is refused for the reason %j', (reason) => {
    given(work)
      .when((state) => requestJob(state, { ...job, reason }))
      .isRefused('invalid', 'reason');
    given(work)
      .when(() => recordVersion('version_dropped', { projection: 'users', version: 1, operator_id: 3, reason }))
      .isRefused('invalid', 'reason');
  });

  it('is refused while the same has not ended, and not after that', () => {
    const again = { ...job, job_id: 'two', reason: 'once more' };
    given(work, requested)
      .when((state) => requestJob(state, again))
      .isRefused('conflict', 'kind');
    given(work, requested, finished)
      .when((state) => requestJob(state, again))
      .yields({ type: 'job_requested', data: again });
  });

  it('is another one for another read model, kind, bot or account', () => {
    for (const other of [{ projection: 'events' }, { kind: 'verify' as const }, { bot: 'demo' }, { user_id: 7 }])
      given(work, requested)
        .when((state) => requestJob(state, { ...job, job_id: 'two', ...other }))
        .yields({ type: 'job_requested', data: { ...job, job_id: 'two', ...other } });
  });

  it('is refused while twenty have not ended', () => {
    const open = Array.from(
      { length: 20 },
      (_, i): WorkEvent => ({ type: 'job_requested', data: { ...job, job_id: `${i}`, user_id: i + 1 } }),
    );
    given(work, ...open)
      .when((state) => requestJob(state, job))
      .isRefused('conflict', 'kind');
  });

  it('ends once, whatever a second worker finds', () => {
    given(work, requested)
      .when((state) => finishJob(state, 'one', result))
      .yields(finished);
    given(work, requested, finished)
      .when((state) => finishJob(state, 'one', { ...result, outcome: 'failed' }))
      .yieldsNothing();
  });

  it('is done in the order of the requests', () => {
    const second: WorkEvent = { type: 'job_requested', data: { ...job, job_id: 'two', kind: 'verify' } };
    expect([...given(work, requested, second).state().keys()]).toEqual(['one', 'two']);
    expect([...given(work, requested, second, finished).state().keys()]).toEqual(['two']);
  });
});

it('an audit by a command ends no job', () => {
  given(work, requested, { type: 'ledger_audited', data: result })
    .when((state) => finishJob(state, 'one', result))
    .yields(finished);
});
