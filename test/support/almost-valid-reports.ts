import fc from 'fast-check';

/** Reports of every type with every optional field, and variants in which some values are replaced. */

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

/** Values and keys that reach the parser's branches. Keys have no dots, so that a path is unambiguous. */
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
export const { anything } = fc.letrec<{ anything: unknown }>((tie) => ({
  anything: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>(...SCALARS, ...WORDS),
    fc.array(tie('anything'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie('anything'), { maxKeys: 4 }),
  ),
}));

/** The path of every value in `root`. */
function waysInto(root: unknown): string[][] {
  if (typeof root !== 'object' || root === null) return [[]];
  return [[], ...Object.entries(root).flatMap(([key, child]) => waysInto(child).map((way) => [key, ...way]))];
}

/** `root` with another value at the path; undefined removes the key. */
function changed(root: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const copy = (Array.isArray(root) ? [...root] : { ...(root as object) }) as Record<string, unknown>;
  const child = changed(copy[key], rest, value);
  if (child === undefined) delete copy[key];
  else copy[key] = child;
  return Array.isArray(copy) ? copy.filter((item) => item !== undefined) : copy;
}

/** One of each type. */
export const VALID_REPORTS: readonly object[] = [TRENDS, UTM, FUNNEL, RETENTION, LIST];

/** A valid report with up to two values changed or left out. */
export const almostValid = fc.constantFrom<unknown>(...VALID_REPORTS).chain((good) =>
  fc
    .array(fc.tuple(fc.constantFrom(...waysInto(good)), fc.option(anything, { nil: undefined })), { maxLength: 2 })
    .map((changes) =>
      changes.reduce<unknown>((root, [way, value]) => {
        const leads = waysInto(root).some((each) => each.join() === way.join());
        return leads ? changed(root, way, value) : root;
      }, good),
    ),
);
