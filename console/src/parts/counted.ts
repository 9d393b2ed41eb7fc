/** A count with its noun: `1 event`, `2,000 events`. @param count as it is shown */
export function counted(count: string | number, one: string, many = `${one}s`): string {
  return `${count} ${String(count) === '1' ? one : many}`;
}
