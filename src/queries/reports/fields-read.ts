import { fieldsOf } from '../../domain/condition/condition.ts';
import type { ReportField } from '../../domain/reports/fields.ts';
import type { Report } from '../../domain/reports/report.ts';

/** The fields that conditions and separators of a report name. */
export function fieldsNamed(report: Report): ReportField[] {
  const conditions = [report.filter, ...selectionsOf(report).map(({ filter }) => filter)];
  const named = conditions.flatMap((condition) => (condition === null ? [] : fieldsOf(condition)));
  return report.type === 'list' ? named : [...named, ...report.separators.map(({ field }) => field)];
}

/** The names of all fields that a report's answer depends on. */
export function fieldsRead(report: Report): ReadonlySet<string> {
  const names = fieldsNamed(report).map(({ name }) => name);
  if (report.type === 'list') names.push(...[...report.columns, ...report.order].map(({ field }) => field.name));
  if (report.type === 'trends')
    for (const { measure } of report.metrics) if (measure.type === 'property') names.push(measure.field);
  return new Set(names);
}

function selectionsOf(report: Report) {
  switch (report.type) {
    case 'trends':
      return report.metrics;
    case 'funnels':
      return report.steps;
    case 'retention':
      return [report.start, report.returning];
    case 'list':
      return [];
  }
}
