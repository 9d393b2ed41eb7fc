import type { ComponentChildren } from 'preact';
import type { Value } from '../api.ts';
import { cell } from '../format.ts';

export interface DataColumn {
  readonly key: string;
  readonly label: string;
  readonly type: string;
  readonly show?: (value: Value | undefined, row: Readonly<Record<string, Value>>) => ComponentChildren;
}

export interface DataTableProps {
  readonly caption: string;
  readonly columns: readonly DataColumn[];
  readonly rows: readonly Readonly<Record<string, Value>>[];
}

/** Rows as they are; numbers stand at the right. */
export function DataTable({ caption, columns, rows }: DataTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label={caption}>
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ key, label, type }) => (
              <th key={key} scope="col" class={type}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {columns.map(({ key, type, show }) => (
                <td key={key} class={type}>
                  {show === undefined ? cell(row[key], type) : show(row[key], row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
