import type { Value } from '../api.ts';
import { botOfPage } from '../page-bot.ts';
import { loadEvents } from '../parts/catalog.ts';
import type { DataColumn } from '../parts/data-table.tsx';
import { eventNames } from '../parts/event-words.ts';
import { useLoad } from '../parts/load.ts';
import { namedField } from '../parts/names.ts';
import { SortedTable } from '../parts/sorted-table.tsx';
import { UserId } from '../parts/user-id.tsx';
import type { Column } from './answer.ts';
import { cellWords } from './cell-words.ts';
import type { ViewProps } from './numbers.tsx';
import { words } from './words.ts';

const EVENT = 'events.event_type_id';
/** Columns of lists that have ids of users. */
const USER_IDS: readonly string[] = ['events.user_id', 'user.user_id', 'user.addition_fields.referrer_id'];

/** The rows of a list as they are; events by their names, people with a link to their page. */
export function ListRows({ answer, onCell }: Pick<ViewProps, 'answer' | 'onCell'>) {
  const bot = botOfPage()?.resource_key;
  const { loaded } = useLoad(() => {
    const hasEvents = bot !== undefined && answer.columns.some(({ key }) => key === EVENT);
    return hasEvents ? (signal) => loadEvents(bot, signal) : null;
  });
  const events = eventNames(loaded.value.data ?? []);
  return (
    <>
      <p class="btns">
        <button class="btn small" type="button" onClick={() => onCell({}, words.types.list)}>
          {cellWords.rows}
        </button>
      </p>
      <SortedTable
        name="rows"
        caption={words.table}
        columns={answer.columns.map((column) => columnOf(column, events))}
        rows={answer.rows}
        textOf={(row) => [...Object.values(row), events.get(Number(row[EVENT]))].join(' ')}
      />
    </>
  );
}

function columnOf({ key, type }: Column, events: ReadonlyMap<number, string>): DataColumn {
  const label = namedField(key).label;
  if (key === EVENT) return { key, label, show: (id) => events.get(Number(id)) ?? text(id) };
  if (USER_IDS.includes(key))
    return { key, label, show: (id) => (id === null || id === undefined ? text(id) : <UserId id={Number(id)} />) };
  // Ids are no numbers to count with.
  return { key, label, type: /_id$/.test(key) ? 'text' : type };
}

const text = (value: Value | undefined): string => (value === null || value === undefined ? '–' : String(value));
