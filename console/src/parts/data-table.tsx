import type { ComponentChildren } from 'preact';
import type { Value } from '../api.ts';
import { cell } from '../format.ts';
import { Cut } from './cut.tsx';
import { Icon } from './icon.tsx';

export interface DataColumn<Row extends object = Readonly<Record<string, Value>>> {
  readonly key: string;
  readonly label: string;
  /** The label with what it is of, for a screen reader, where the columns around it say that. */
  readonly full?: string;
  /** Type of the values. Numbers stand at the right. */
  readonly type?: string;
  readonly show?: (value: Value | undefined, row: Row, index: number) => ComponentChildren;
  /** Names the row. */
  readonly head?: boolean;
  /** Of second rank: a phone does not show it, so its value stands elsewhere in the row. */
  readonly wide?: boolean;
}

interface TableSort {
  /** Key of the column. */
  readonly by: string;
  readonly down: boolean;
  /** Takes a press on the head of a column. */
  readonly onSort: (by: string) => void;
}

export interface DataTableProps<Row extends object> {
  readonly caption: string;
  readonly columns: readonly DataColumn<Row>[];
  readonly rows: readonly Row[];
  /** The id of a row that a link leads to. */
  readonly id?: (row: Row) => string | undefined;
  /** The heads of the rows have bars. */
  readonly bars?: boolean;
  /** How the rows are sorted, where a press on a head sorts them. */
  readonly sort?: TableSort | undefined;
  /** The last row, such as a total. */
  readonly foot?: ComponentChildren;
}

const classOf = ({ type = '', wide }: Pick<DataColumn, 'type' | 'wide'>): string =>
  [type === 'number' ? 'n number' : type, wide === true ? 'wide' : ''].filter(Boolean).join(' ');

/** Rows as they are, in the given order. */
export function DataTable<Row extends object>({ caption, columns, rows, id, bars, sort, foot }: DataTableProps<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a table is no group of fields
    <div class="scroll" role="group" tabIndex={0} aria-label={caption}>
      <table class={bars === true ? 'table bars' : 'table'}>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <ColumnHead key={column.key} column={column} sort={sort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={id?.(row) ?? index} id={id?.(row)} tabIndex={id && -1}>
              {columns.map((column) => {
                const { key, type, show, head } = column;
                const Cell = head === true ? 'th' : 'td';
                const value = (row as Readonly<Record<string, Value>>)[key];
                return (
                  <Cell key={key} class={classOf(column)} scope={head === true ? 'row' : undefined}>
                    {show === undefined ? <Plain value={value} type={type} /> : show(value, row, index)}
                  </Cell>
                );
              })}
            </tr>
          ))}
        </tbody>
        {foot !== undefined && <tfoot>{foot}</tfoot>}
      </table>
    </div>
  );
}

/** A value as it is. A text may be long. */
function Plain({ value, type = '' }: { readonly value: Value | undefined; readonly type: string | undefined }) {
  return type === 'string' && typeof value === 'string' ? <Cut text={value} /> : cell(value, type);
}

interface ColumnHeadProps {
  readonly column: Pick<DataColumn, 'key' | 'label' | 'full' | 'type' | 'wide'>;
  readonly sort: TableSort | undefined;
}

function ColumnHead({ column, sort }: ColumnHeadProps) {
  const { key, label, full } = column;
  if (sort === undefined)
    return (
      <th scope="col" class={classOf(column)} aria-label={full}>
        <Cut text={label} />
      </th>
    );
  const order = sort.by !== key ? undefined : sort.down ? 'descending' : 'ascending';
  return (
    <th scope="col" class={classOf(column)} aria-sort={order} aria-label={full}>
      <button type="button" onClick={() => sort.onSort(key)}>
        <Cut text={label} />
        <Icon name="sort" />
      </button>
    </th>
  );
}
