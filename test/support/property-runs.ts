/** The number of cases of a property: `usually` times `PROPERTY_TIMES`. That is above 1 in `test:long`. */
export function propertyRuns(usually: number): number {
  return usually * Number(process.env['PROPERTY_TIMES'] ?? 1);
}
