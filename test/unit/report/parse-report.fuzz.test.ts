import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseReport } from '../../../src/domain/report/parse-report.ts';

const settings = { params: { ':date_from': '2025-01-01 00:00:00', ':date_to': '2025-01-02 00:00:00' } };
const step = { type: 'trend', event_id: 1, event_name: 'a', agr: 'total', filters: null };
const FUNNEL = {
  source_request: {
    type: 'funnels',
    type_chart: 'funnels',
    requests: [step, { ...step, agr: 'avg', filters: ['=', 'events.unit', 'EUR'] }],
    filters: [],
    funnel_window: 3,
    funnel_window_unit: 'hour',
    funnel_order_type: 'strict',
    separators: [{ property: 'events.category' }, { property: 'user.custom_fields.x' }],
  },
  settings,
};
const entity = { type: 'event', event_id: null, event_name: 'a', filters: ['=', 'events.unit', 'EUR'] };
const RETENTION = {
  source_request: {
    type: 'retention',
    type_chart: 'retention',
    target_entity: entity,
    returning_entity: entity,
    retention_total_intervals: 5,
    granularity: 'week',
    retention_type: 'retention_recurring',
    separators: [{ property: 'events.category' }],
  },
  settings,
};
const TRENDS = {
  source_request: {
    type: 'trends',
    type_chart: 'line',
    granularity: 'day',
    requests: [
      { type: 'trend', event_id: 1, event_name: 'a', label: 'A', agr: 'total', filters: ['=', 'events.unit', 'EUR'] },
      { type: 'trend', event_id: null, event_name: 'b', agr: 'property_sum', agr_field: 'events.value_int' },
    ],
    filters: [
      'and',
      ['or', ['between', 'events.value_int', 1, 2.5], ['in', 'user.custom_fields.level', ['a', 1, true]]],
      ['>=', 'events.date', '2025-01-01 00:00:00'],
    ],
    separators: [],
  },
  settings,
};

const UTM = {
  source_request: { type: 'trends', type_chart: 'utm_trends', requests: [step], breakdown_limit: 5, row_limit: 1 },
  settings,
};

const LIST = {
  source_request: {
    type: 'list',
    type_chart: 'list',
    table: 'events',
    columns: ['events.date', 'user.custom_fields.x'],
    filters: ['=', 'events.unit', 'EUR'],
    order: { 'events.category': 'asc', 'user.username': 'desc' },
    limit: 10,
    offset: 5,
  },
  settings,
};

/** Values and keys that reach the parser's branches; keys without dots, so that a path can be followed. */
const SCALARS = [
  null,
  0,
  1,
  -1.5,
  1e300,
  Number.NaN,
  true,
  '',
  '\0',
  '\ud800',
  '__proto__',
  'and',
  '=',
  'in',
  'between',
];
const WORDS = [
  'table',
  'avg',
  'funnels',
  'users',
  'utm_table',
  'hour',
  'events.category',
  'events.date',
  'user.is_bot',
  '2025-01-01 00:00:00',
];
const KEYS = ['source_request', 'params', 'type', 'requests', 'filters', 'property', '__proto__', 'toString', 'x'];
const { anything } = fc.letrec<{ anything: unknown }>((tie) => ({
  anything: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>(...SCALARS, ...WORDS),
    fc.array(tie('anything'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie('anything'), { maxKeys: 4 }),
  ),
}));

/** Every way to every value in `root`. */
function waysInto(root: unknown): string[][] {
  if (typeof root !== 'object' || root === null) return [[]];
  return [[], ...Object.entries(root).flatMap(([key, child]) => waysInto(child).map((way) => [key, ...way]))];
}

/** `root` with another value at the end of the way, or, for undefined, without that key. */
function changed(root: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const copy = (Array.isArray(root) ? [...root] : { ...(root as object) }) as Record<string, unknown>;
  const child = changed(copy[key], rest, value);
  if (child === undefined) delete copy[key];
  else copy[key] = child;
  return Array.isArray(copy) ? copy.filter((item) => item !== undefined) : copy;
}

/** A good report with up to two values changed or left out. */
const almostGood = fc.constantFrom<unknown>(TRENDS, UTM, FUNNEL, RETENTION, LIST).chain((good) =>
  fc
    .array(fc.tuple(fc.constantFrom(...waysInto(good)), fc.option(anything, { nil: undefined })), { maxLength: 2 })
    .map((changes) =>
      changes.reduce<unknown>((root, [way, value]) => {
        const leads = waysInto(root).some((each) => each.join() === way.join());
        return leads ? changed(root, way, value) : root;
      }, good),
    ),
);

/** Whether the path leads to a value or, where it ends, to a key that is not there. */
function leadsSomewhere(root: unknown, path: string): boolean {
  let at = root;
  for (const [index, step] of path.split('.').entries()) {
    // A missing key may lie below keys that are missing too: settings.params.:date_from of {}.
    if (at === undefined || at === null) return index > 0;
    if (typeof at !== 'object') return false;
    at = Object.hasOwn(at, step) ? (at as Record<string, unknown>)[step] : undefined;
  }
  return true;
}

it('anything at all gives a report, or problems that point at something, and never throws', () => {
  let reports = 0;
  fc.assert(
    fc.property(fc.oneof({ weight: 9, arbitrary: almostGood }, { weight: 1, arbitrary: anything }), (input) => {
      const parsed = parseReport(input, 'Europe/Berlin');
      if (parsed.ok) {
        reports += 1;
        return;
      }
      expect(parsed.problems.length).toBeGreaterThan(0);
      for (const { path, message, allowed } of parsed.problems) {
        expect(message).not.toBe('');
        expect(path === 'report_config' || leadsSomewhere(input, path), `${path} of ${JSON.stringify(input)}`).toBe(
          true,
        );
        expect(allowed?.length).not.toBe(0);
      }
    }),
    { numRuns: 2000 },
  );
  expect(reports).toBeGreaterThan(200);
});

it('nesting deeper than any stack is refused, not fatal', () => {
  const deep = '['.repeat(400_000) + ']'.repeat(400_000);
  const source = `{"type":"trends","type_chart":"line","filters":${deep},"x":${deep}}`;
  expect(parseReport(JSON.parse(`{"source_request":${source}}`), 'UTC').ok).toBe(false);
});
