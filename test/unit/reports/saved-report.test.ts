import { describe, expect, it } from 'vitest';
import { deleteReport as deleteCommand, saveReport as saveCommand } from '../../../src/commands/reports/save-report.ts';
import {
  changeReport,
  deleteReport,
  pinReport,
  type SavedReportEvent,
  savedReport,
  saveReport,
} from '../../../src/domain/reports/saved/saved-report.ts';
import { given } from '../../support/decider-specification.ts';
import { memoryLog } from '../../support/memory-log.ts';
import { testSources } from '../../support/test-sources.ts';

const uuid = '01941f29-7c00-7000-8000-000000000001';
const report = { uuid, name: 'Sales', report_config: '{"n":0.10000000000000000001}' };
const changed = { ...report, name: 'Sales, weekly' };
const saved: SavedReportEvent = { type: 'report_saved', data: report };
const deleted: SavedReportEvent = { type: 'report_deleted', data: { uuid } };

describe('a saved report', () => {
  it('is saved once', () => {
    given(savedReport)
      .when((state) => saveReport(state, report))
      .yields(saved);
    for (const past of [[saved], [saved, deleted]])
      given(savedReport, ...past)
        .when((state) => saveReport(state, report))
        .isRefused('conflict', 'uuid');
  });

  it('is replaced until it is deleted, also by the same content', () => {
    for (const content of [changed, report])
      given(savedReport, saved)
        .when((state) => changeReport(state, content))
        .yields({ type: 'report_changed', data: content });
    for (const past of [[], [saved, deleted]])
      given(savedReport, ...past)
        .when((state) => changeReport(state, changed))
        .isRefused('not_found', 'uuid');
  });

  it('is deleted once', () => {
    given(savedReport, saved, { type: 'report_changed', data: changed })
      .when((state) => deleteReport(state, uuid))
      .yields(deleted);
    for (const past of [[], [saved, deleted]])
      given(savedReport, ...past)
        .when((state) => deleteReport(state, uuid))
        .isRefused('not_found', 'uuid');
  });

  it('is pinned and taken off until it is deleted, also twice', () => {
    for (const pinned of [true, false])
      given(savedReport, saved, { type: 'report_pinned', data: { uuid, pinned } })
        .when((state) => pinReport(state, uuid, pinned))
        .yields({ type: 'report_pinned', data: { uuid, pinned } });
    for (const past of [[], [saved, deleted]])
      given(savedReport, ...past)
        .when((state) => pinReport(state, uuid, true))
        .isRefused('not_found', 'uuid');
  });

  it.each(['', 'x'.repeat(251), 'a\0b', '\ud800'])('refuses the name %j', (name) => {
    given(savedReport)
      .when((state) => saveReport(state, { ...report, name }))
      .isRefused('invalid', 'name');
    given(savedReport, saved)
      .when((state) => changeReport(state, { ...report, name }))
      .isRefused('invalid', 'name');
  });

  it('accepts a name of 250 characters of any width', () => {
    const name = '\u{1f600}'.repeat(250);
    given(savedReport)
      .when((state) => saveReport(state, { ...report, name }))
      .yields({ type: 'report_saved', data: { ...report, name } });
  });
});

it('answers a repeat of a command as the first time, even if the command would now be refused', async () => {
  const context = { log: memoryLog(), sources: testSources() };
  const stamp = () => ({ command: { id: context.sources.uuid(), bodyHash: 'h', answer: 'done' } });
  const [changing, deleting] = [stamp(), stamp()];
  await saveCommand(context, { bot: 'b', report, replaces: false }, {});
  const change = () => saveCommand(context, { bot: 'b', report: changed, replaces: true }, changing);
  const remove = () => deleteCommand(context, { bot: 'b', uuid }, deleting);
  const first = [await change(), await remove()];
  const again = [await change(), await remove()];
  expect(first.map(({ repeated }) => repeated)).toEqual([null, null]);
  expect(again.map(({ repeated }) => repeated?.command)).toEqual([changing.command, deleting.command]);
  expect(again.map(({ position }) => position)).toEqual(first.map(({ position }) => position));
  expect(context.log.commits.flat()).toHaveLength(3);
  const other = deleteCommand(context, { bot: 'b', uuid }, stamp());
  await expect(other).rejects.toMatchObject({ code: 'not_found' });
});
