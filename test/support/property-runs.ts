/** The share of its cases that `npm test` tries of a property. */
const IN_SHORT = 0.5;

/** The number of cases of a property: `usually` times `PROPERTY_TIMES`, which is above 1 in `test:long`, at least one. */
export function propertyRuns(usually: number): number {
  return Math.ceil(usually * Number(process.env['PROPERTY_TIMES'] ?? IN_SHORT));
}
