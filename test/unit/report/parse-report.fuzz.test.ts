import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseReport } from '../../../src/domain/report/parse-report.ts';

/** Words that reach the parser's branches; keys without dots, so that a path can be followed. */
const words = [
  'trends',
  'line',
  'table',
  'trend',
  'total',
  'total_uniq',
  'property_sum',
  'events.value_int',
  'and',
  'or',
  '=',
  'in',
  'between',
  'events.category',
  'events.date',
  'user.is_bot',
  '2025-01-01 00:00:00',
  'day',
  '__proto__',
  '\0',
  '\ud800',
  '',
];
const keys = [
  'source_request',
  'settings',
  'params',
  ':date_from',
  ':date_to',
  'type',
  'type_chart',
  'requests',
  'filters',
  'separators',
  'granularity',
  'agr',
  'agr_field',
  'event_id',
  'event_name',
  'label',
  'property',
  '__proto__',
  'x',
];

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.constantFrom<unknown>(null, 0, 1, -1.5, 1e300, Number.NaN, true, ...words),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 6 }),
  ),
}));
const filters = fc.array(value, { maxLength: 4 });
const part = <T>(shape: fc.Arbitrary<T>) => fc.oneof({ weight: 8, arbitrary: shape }, { weight: 1, arbitrary: value });
const metric = fc.record(
  {
    type: part(fc.constant('trend')),
    event_name: part(fc.constant('x')),
    agr: part(fc.constantFrom('total', 'property_sum')),
    filters,
    label: value,
  },
  { requiredKeys: [] },
);
const source = fc.record(
  {
    type: part(fc.constant('trends')),
    type_chart: part(fc.constantFrom('line', 'table')),
    requests: part(fc.array(part(metric), { maxLength: 3 })),
    filters: part(filters),
    separators: value,
  },
  { requiredKeys: [] },
);
const config = fc.record(
  {
    source_request: part(source),
    settings: part(fc.constant({ params: { ':date_from': '2025-01-01 00:00:00', ':date_to': '2025-01-02 00:00:00' } })),
  },
  { requiredKeys: [] },
);

/** Whether the path leads to a value or, where it ends, to a key that is not there. */
function leadsSomewhere(root: unknown, path: string): boolean {
  let at = root;
  const steps = path.split('.');
  for (const [index, step] of steps.entries()) {
    // A missing key may lie below keys that are missing too: settings.params.:date_from of {}.
    if (at === undefined || at === null) return index > 0;
    if (typeof at !== 'object') return false;
    at = Object.hasOwn(at, step) ? (at as Record<string, unknown>)[step] : undefined;
  }
  return true;
}

it('anything at all gives a report or problems that point at something, and never throws', () => {
  fc.assert(
    fc.property(fc.oneof(config, value), (input) => {
      const parsed = parseReport(input, 'Europe/Berlin');
      if (parsed.ok) return;
      expect(parsed.problems.length).toBeGreaterThan(0);
      for (const { path, message, allowed } of parsed.problems) {
        expect(message).not.toBe('');
        expect(path === 'report_config' || leadsSomewhere(input, path), `${path} in ${JSON.stringify(input)}`).toBe(
          true,
        );
        expect(allowed?.length).not.toBe(0);
      }
    }),
    { numRuns: 5000 },
  );
});

it('nesting deeper than any stack is refused, not fatal', () => {
  const deep = '['.repeat(400_000) + ']'.repeat(400_000);
  const input: unknown = JSON.parse(
    `{"source_request":{"type":"trends","type_chart":"line","filters":${deep},"x":${deep}}}`,
  );
  expect(parseReport(input, 'UTC').ok).toBe(false);
});
