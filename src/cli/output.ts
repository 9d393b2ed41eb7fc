import { LosslessNumber, stringify } from 'lossless-json';

/** Makes a decimal that JSON shows as a number with exactly these digits. */
export function exactly(decimal: string): LosslessNumber {
  return new LosslessNumber(decimal);
}

export function asJson(value: unknown): string {
  return `${stringify(value)}\n`;
}

/** Formats a value for a person: a list as a table, an object as one line for each property. */
export function asText(value: unknown): string {
  if (Array.isArray(value)) return table(value as readonly object[]);
  const entries = Object.entries(value as object);
  if (entries.length === 0) return 'done\n';
  return entries.map(([key, each]) => `${key}: ${cell(each)}\n`).join('');
}

function table(rows: readonly object[]): string {
  const first = rows[0];
  if (first === undefined) return 'none\n';
  const columns = Object.keys(first);
  const lines = [
    columns,
    ...rows.map((row) => columns.map((column) => cell((row as Record<string, unknown>)[column]))),
  ];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]!.length)));
  return lines
    .map(
      (line) =>
        `${line
          .map((text, index) => text.padEnd(widths[index]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.map(cell).join(',');
  if (typeof value === 'object' && !(value instanceof LosslessNumber))
    return Object.entries(value)
      .map(([key, each]) => `${cell(each)} ${key}`)
      .join(', ');
  // Errors and names may contain line breaks; a cell is one line.
  return String(value).replaceAll(/\s*\n\s*/g, ' ');
}
