import type { ComponentChildren } from 'preact';
import type { Value } from '../api.ts';
import { cell } from '../format.ts';

export interface DataColumn<Row extends object = Readonly<Record<string, Value>>> {
  readonly key: string;
  readonly label: string;
  /** Type of the values, and class of their cells. */
  readonly type?: string;
  readonly show?: (value: Value | undefined, row: Row, index: number) => ComponentChildren;
  /** Names the row. */
  readonly head?: boolean;
}

export interface DataTableProps<Row extends object> {
  readonly caption: string;
  readonly columns: readonly DataColumn<Row>[];
  readonly rows: readonly Row[];
  /** The id of a row that a link leads to. */
  readonly id?: (row: Row) => string | undefined;
  /** The heads of the rows have bars. */
  readonly bars?: boolean;
}

/** Rows as they are; numbers stand at the right. */
export function DataTable<Row extends object>({ caption, columns, rows, id, bars }: DataTableProps<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label={caption}>
      <table class={bars === true ? 'bars' : undefined}>
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
            <tr key={id?.(row) ?? index} id={id?.(row)} tabIndex={id && -1}>
              {columns.map(({ key, type, show, head }) => {
                const Cell = head === true ? 'th' : 'td';
                const value = (row as Readonly<Record<string, Value>>)[key];
                return (
                  <Cell key={key} class={type} scope={head === true ? 'row' : undefined}>
                    {show === undefined ? cell(value, type ?? '') : show(value, row, index)}
                  </Cell>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
