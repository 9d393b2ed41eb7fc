/** How many cases of a property are tried: as many, times `PROPERTY_TIMES`, which is more than one in `test:long`. */
export function propertyRuns(usually: number): number {
  return usually * Number(process.env['PROPERTY_TIMES'] ?? 1);
}
