import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseReport } from '../../../src/domain/reports/parse-report.ts';
import { almostValid, anything } from '../../support/almost-valid-reports.ts';

/** Whether the path leads to a value, or to a missing key of a value. */
function leadsSomewhere(root: unknown, path: string): boolean {
  let at = root;
  for (const [index, step] of path.split('.').entries()) {
    // A missing key may be below other missing keys: settings.params.:date_from of {}.
    if (at === undefined || at === null) return index > 0;
    if (typeof at !== 'object') return false;
    at = Object.hasOwn(at, step) ? (at as Record<string, unknown>)[step] : undefined;
  }
  return true;
}

it('gives a report, or problems with a valid path, for any input, and never throws', () => {
  let reports = 0;
  fc.assert(
    fc.property(fc.oneof({ weight: 9, arbitrary: almostValid }, { weight: 1, arbitrary: anything }), (input) => {
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

it('refuses nesting that is deeper than the stack', () => {
  const deep = '['.repeat(400_000) + ']'.repeat(400_000);
  const source = `{"type":"trends","type_chart":"line","filters":${deep},"x":${deep}}`;
  expect(parseReport(JSON.parse(`{"source_request":${source}}`), 'UTC').ok).toBe(false);
});
