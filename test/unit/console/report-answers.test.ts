import { describe, expect, it } from 'vitest';
import { drawnOf, marksOf } from '../../../console/src/parts/chart-data.ts';
import { csvOf, fileName } from '../../../console/src/parts/csv.ts';
import { completeOf, type Group, isComplete } from '../../../console/src/parts/filter.ts';
import { namedField, spoken, spokenValue } from '../../../console/src/parts/names.ts';
import type { Answer, Column } from '../../../console/src/reports/answer.ts';
import { comparedCsv } from '../../../console/src/reports/answer-csv.ts';
import { changeOf } from '../../../console/src/reports/change-of.ts';
import { configOf, readConfig } from '../../../console/src/reports/config.ts';
import { forBot } from '../../../console/src/reports/for-bot.ts';
import { formsOf, haveWhole } from '../../../console/src/reports/forms.ts';
import { stepsOf, weakestOf } from '../../../console/src/reports/funnel-steps.ts';
import { lineName, runningBucket } from '../../../console/src/reports/lines.ts';
import { type Metric, type ReportState, readState, START, withType } from '../../../console/src/reports/state.ts';
import { csvLines } from '../../../src/util/csv.ts';

const metric = (event: number | null, agr: Metric['agr'] = 'total', more: Partial<Metric> = {}): Metric => {
  return { event, name: event === null ? 'all' : `event_${event}`, agr, ...more };
};
const trend = (metrics: readonly Metric[], more: Partial<ReportState> = {}): ReportState => {
  return { ...START, metrics, ...more };
};
const meta = { data_as_of: '2026-03-03T12:00:00+00:00', timezone: 'UTC' } as Answer['meta'];
const day = (date: string, s0: number | string) => ({ date: `2026-03-0${date}T00:00:00+00:00`, s0 });

describe('the lines of a report', () => {
  it('are parts of a whole where each event is counted once', () => {
    expect(haveWhole([metric(1), metric(2)])).toBe(true);
    expect(haveWhole([metric(1)])).toBe(true);
    expect(haveWhole([metric(1), metric(1)])).toBe(false);
    expect(haveWhole([metric(1), metric(null)])).toBe(false);
    expect(haveWhole([metric(1, 'total_uniq_user_id'), metric(2, 'total_uniq_user_id')])).toBe(false);
    expect(haveWhole([metric(1), metric(2, 'property_sum', { field: 'events.value_amount' })])).toBe(false);
  });

  it('stand on each other in a stack, and each from zero otherwise', () => {
    const series = [
      { label: 'a', values: [1, 2] },
      { label: 'b', values: [10, '20'] },
      { label: 'hidden', values: [5, 5], hidden: true },
    ];
    const edges = (isStacked: boolean) =>
      drawnOf({ times: ['x', 'y'], series, shape: 'bar', isStacked }).map(({ edge }) => edge);
    expect(edges(true)).toEqual([
      [1, 2],
      [11, 22],
    ]);
    expect(edges(false)).toEqual([
      [1, 2],
      [10, 20],
    ]);
  });

  it('say what they count where they count in different ways', () => {
    const column = (index: number): Column => ({
      key: `s${index}`,
      label: 'order_paid',
      type: 'number',
      metric: index,
    });
    const mixed = trend([metric(1), metric(1, 'total_uniq_user_id'), metric(1, 'avg_user_id')]);
    expect([0, 1, 2].map((index) => lineName(mixed, column(index)))).toEqual([
      'Order paid, times',
      'Order paid, people',
      'Order paid, times a person, average',
    ]);
    expect(lineName(trend([metric(1), metric(2)]), column(0))).toBe('Order paid');
  });

  it.each([
    ['a table of sums', [metric(1, 'property_sum')], 'table'],
    ['a table of sessions', [metric(1, 'total_uniq_session_id')], 'table'],
    ['shares of people', [metric(1, 'total_uniq_user_id')], 'pie'],
    [
      'areas of people who may be in several',
      [metric(1, 'total_uniq_user_id'), metric(2, 'total_uniq_user_id')],
      'area',
    ],
  ])('have no form that does not fit, and a reason: %s', (_, metrics, chart) => {
    expect(formsOf(trend(metrics)).find((form) => form.chart === chart)?.reason).toMatch(/\w/);
    expect(formsOf(trend(metrics)).find((form) => form.chart === 'line')?.reason).toBeUndefined();
  });

  it('know the time that is not over', () => {
    const state = trend([metric(1)]);
    const answer = (rows: Answer['rows']): Answer => ({ columns: [], rows, meta });
    expect(runningBucket(state, answer([day('1', 1), day('2', 1), day('3', 1), day('4', 0)]))).toBe(2);
    expect(runningBucket(state, answer([day('1', 1), day('2', 1)]))).toBe(-1);
    expect(runningBucket(state, answer([day('2', 1), day('3', 1)]))).toBe(1);
  });
});

describe('a change', () => {
  it.each([
    [12, 10, 2, 0.2],
    [5, 10, -5, -0.5],
    ['123456789012345.123456', '123456789012345.000001', 0.123455, expect.closeTo(1e-15)],
    ['-0.5', 1, -1.5, -1.5],
    [3, 0, 3, null],
    [0.3, 0.1, 0.2, 2],
  ])('from %s and %s is exact', (now, before, difference, part) => {
    const found = changeOf(now, before);
    expect(found?.difference).toBe(difference);
    expect(found?.part === null ? null : found!.part).toEqual(
      part === null ? null : typeof part === 'number' ? expect.closeTo(part) : part,
    );
  });

  it('is not known where one of the values is not', () => {
    expect([changeOf(null, 1), changeOf(1, undefined)]).toEqual([null, null]);
  });
});

describe('the CSV of a comparison', () => {
  const columns: Column[] = [
    { key: 'date', label: 'Date', type: 'date' },
    { key: 's0', label: '=evil', type: 'number', metric: 0 },
  ];

  it('has the value before, the difference and the per cent after each value', () => {
    const answer = { columns, rows: [day('1', 12), day('2', '100.000000000000000001')], meta };
    const previous = { columns, rows: [day('1', 10)], meta };
    expect(comparedCsv(trend([metric(1)]), answer, previous).split('\n')).toEqual([
      `Date,Date before,"'=evil, times","'=evil, times, before","'=evil, times, difference","'=evil, times, change in %"`,
      '2026-03-01T00:00:00+00:00,2026-03-01T00:00:00+00:00,12,10,2,20',
      '2026-03-02T00:00:00+00:00,,100.000000000000000001,,,',
      '',
    ]);
  });

  it.each(['=1+1', '+1', "'=1", 'a,b', 'say "x"', 'two\nlines', '\tx', '\uff1dx', 'plain', '', '-1'])(
    'guards texts as the service does: %j',
    (text) => {
      const own = csvOf(
        [
          { label: 'a', isNumber: false },
          { label: 'b', isNumber: true },
        ],
        [[text, '-1']],
      );
      expect(own).toBe(
        csvLines(
          [
            ['a', 'b'],
            [text, { digits: '-1' }],
          ],
          {},
        ),
      );
    },
  );

  it('has a name that a file system takes', () => {
    expect(fileName('a/b\\c:"d"*?<e>|\u202e f, 2026-01-01')).toBe('a b c d e f, 2026-01-01');
    expect(fileName('../..')).toBe('report');
    expect(fileName('x'.repeat(5000))).toHaveLength(120);
  });
});

describe('a condition', () => {
  it.each([
    ['=', '', false],
    ['=', 'x', true],
    ['in', [], false],
    ['in', ['x'], true],
    ['between', ['1', ''], false],
    ['between', [1, 2], true],
    ['is', null, true],
  ] as const)('with %s and %j is complete: %s', (operator, value, complete) => {
    expect(isComplete({ field: 'events.category', operator, value })).toBe(complete);
  });

  it('without a value changes nothing of a report', () => {
    const empty = { field: 'events.category', operator: '=', value: '' };
    const set = { ...empty, value: 'x' };
    const filter: Group = { join: 'and', items: [empty, set, { join: 'or', items: [empty] }] };
    expect(completeOf(filter)).toEqual({ join: 'and', items: [set] });
    const days = { from: '2026-03-01', to: '2026-03-02' };
    const counted = [metric(1, 'total', { filter: { join: 'and', items: [empty] } })];
    expect(configOf(trend(counted, { filter: { join: 'and', items: [empty] } }), days)).toEqual(
      configOf(trend([metric(1)]), days),
    );
  });
});

describe('the type of a report', () => {
  it('keeps how events are counted while the type counts in its own way', () => {
    const sums = trend([metric(1, 'property_sum', { field: 'events.value_amount' })]);
    const there = withType(sums, 'funnels', 'funnels');
    expect(withType(there, 'trends', 'line').metrics[0]).toEqual(sums.metrics[0]);
  });

  it('retention has two events, also of a link, which says so', () => {
    const funnel = withType(trend([metric(1), metric(2), metric(3)]), 'funnels', 'funnels');
    expect(withType(funnel, 'retention', 'retention').metrics).toEqual([metric(1), metric(2)]);
    const link = JSON.stringify({ ...funnel, type: 'retention', chart: 'retention' });
    expect(readState(link)).toMatchObject({ leftOut: ['metrics'], state: { metrics: [metric(1), metric(2)] } });
  });
});

describe('a saved report that the form cannot show', () => {
  it('names the settings that the form would lose, and has a state to show its answer', () => {
    const config = configOf(withType(START, 'list', 'list'), { from: '2026-03-01', to: '2026-03-02' });
    const source = { ...(config['source_request'] as object), order: { 'events.date': 'asc' } };
    const params = { ':date_from': '2026-03-01 12:00:00', ':date_to': '2026-03-02 23:59:59' };
    const read = readConfig({ source_request: source, settings: { params } }, START);
    expect(read).toMatchObject({ beyond: ['order', 'params'], state: { type: 'list' } });
  });
});

describe('another bot', () => {
  it('is asked for its own events with the same names', () => {
    const known = [
      { event_id: 101, name: 'sell' },
      { event_id: 102, name: 'buy' },
    ];
    const catalog = { events: known, fields: [] } as unknown as Parameters<typeof forBot>[1];
    const asked = trend([{ event: 101, name: 'buy', agr: 'total' }, metric(null)]);
    expect(forBot(asked, catalog)?.metrics.map(({ event }) => event)).toEqual([102, null]);
    expect(forBot(trend([{ event: 102, name: 'buy', agr: 'total' }]), catalog)).toBeNull();
    expect(forBot(trend([{ event: 101, name: 'a label', agr: 'total' }]), catalog)).toBeNull();
  });
});

describe('a funnel', () => {
  const row = (step: number, users: number, dropped: number, in_progress: number, part: string) => {
    return {
      step,
      label: `step_${step}`,
      users,
      dropped,
      in_progress,
      median_seconds: step * 10,
      'events.category': part,
    };
  };

  it('sums up the parts of a split, and names the weakest step', () => {
    const rows = [
      row(1, 10, 0, 0, 'a'),
      row(2, 8, 1, 1, 'a'),
      row(3, 6, 2, 0, 'a'),
      row(1, 5, 0, 0, 'b'),
      row(2, 1, 4, 0, 'b'),
      row(3, 1, 0, 0, 'b'),
    ];
    const steps = stepsOf({ columns: [], rows, meta });
    expect(steps.map(({ people, left, open, median }) => [people, left, open, median])).toEqual([
      [15, 0, 0, null],
      [9, 5, 1, null],
      [7, 2, 0, null],
    ]);
    expect(weakestOf(steps)?.step).toBe(2);
    expect(stepsOf({ columns: [], rows: rows.slice(0, 1), meta })[0]?.median).toBe(10);
  });
});

describe('an axis', () => {
  it.each([
    [1, 5, [0]],
    [3, 10, [0, 1, 2]],
    [30, 10, [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 29]],
    [31, 4, [0, 8, 16, 24, 30]],
    [8, 3, [0, 3, 7]],
  ])('of %i times with room for %i names the first and the last', (count, most, marks) => {
    expect(marksOf(count, most)).toEqual(marks);
  });
});

describe('a name', () => {
  it('of a program is spoken, and any other text stays', () => {
    expect(['order_paid', 'start', 'Weekly buyers', '<b>x</b>', 'javascript:alert(1)'].map(spoken)).toEqual([
      'Order paid',
      'Start',
      'Weekly buyers',
      '<b>x</b>',
      'javascript:alert(1)',
    ]);
  });

  it('of a field has a heading, and languages their names', () => {
    expect(namedField('events.category')).toEqual({ label: 'Category', group: 'The event' });
    expect(namedField('users.language_code').label).toBe('Language');
    expect(namedField('events.properties.plan').group).toBe('Your properties');
    expect(spokenValue('user.language_code', 'de')).toBe('German');
    expect(spokenValue('user.language_code', '<b>')).toBe('<b>');
  });
});
