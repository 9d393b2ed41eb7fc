import type { CustomFieldValue } from '../../domain/intake/intake-events.ts';
import { readEvent } from '../../domain/ledger-events.ts';
import type { RecordedCommit } from '../../log/port.ts';
import { keyOf } from '../../log/stream-name.ts';
import type { ExportColumn, TextRow } from '../../queries/export/columns.ts';

/** Categories of streams with events of bots. */
export const FOLLOWED_CATEGORIES = ['intake', 'import'];

/**
 * The columns at a destination (decisions.md#export-follow). `partition`, `position` and `index` name an event's place in the log: the
 * destination's last position is where a follower resumes.
 */
export const FOLLOW_COLUMNS = [
  { name: 'partition', type: 'integer' },
  { name: 'position', type: 'text' },
  { name: 'index', type: 'integer' },
  { name: 'id', type: 'text' },
  { name: 'bot', type: 'text' },
  { name: 'source', type: 'text' },
  { name: 'user_id', type: 'integer' },
  { name: 'date', type: 'date' },
  { name: 'date_received', type: 'date' },
  { name: 'event_type_id', type: 'integer' },
  { name: 'event_name', type: 'text' },
  { name: 'value', type: 'decimal' },
  { name: 'unit', type: 'text' },
  { name: 'value_str', type: 'text' },
  { name: 'category', type: 'text' },
  { name: 'webapp_name', type: 'text' },
  { name: 'event_key', type: 'text' },
  { name: 'update_id', type: 'integer' },
  { name: 'command', type: 'text' },
  { name: 'callback_data', type: 'text' },
  { name: 'start_param', type: 'text' },
  { name: 'chat_type', type: 'text' },
  { name: 'properties', type: 'json' },
] as const satisfies readonly ExportColumn[];

type ColumnName = (typeof FOLLOW_COLUMNS)[number]['name'];

/** The fields of an accepted element, of whichever intake event. */
interface Item {
  readonly user_id: number;
  readonly date?: number | undefined;
  readonly event_id?: number | undefined;
  readonly value?: string | undefined;
  readonly unit?: string | undefined;
  readonly value_str?: string | undefined;
  readonly category?: string | undefined;
  readonly webapp_name?: string | undefined;
  readonly event_key?: string | undefined;
  readonly update_id?: number | undefined;
  readonly command?: string | undefined;
  readonly callback_data?: string | undefined;
  readonly start_param?: string | undefined;
  readonly chat_type?: string | undefined;
  readonly properties?: Readonly<Record<string, CustomFieldValue>> | undefined;
}

/** The name of a bot's event; null: the log has none. */
export type NameOfEvent = (bot: string, eventId: number) => Promise<string | null>;

/** The rows of a commit, in its order: its events as they were accepted, and a row for each user that was erased. */
export async function rowsOf(commit: RecordedCommit, partition: number, nameOf: NameOfEvent): Promise<TextRow[]> {
  const bot = keyOf(commit.stream);
  const rows: TextRow[] = [];
  for (const { source, items } of itemsOf(commit)) {
    for (const [index, item] of items.entries()) {
      if (item.event_id === undefined && source !== 'erased') continue;
      rows.push(
        rowOf({
          partition: String(partition),
          position: commit.position,
          index: String(index),
          id: `${commit.id}.${index}`,
          bot,
          source,
          user_id: String(item.user_id),
          date: String(item.date ?? commit.at),
          date_received: String(commit.at),
          event_type_id: textOf(item.event_id),
          event_name: item.event_id === undefined ? null : await nameOf(bot, item.event_id),
          value: textOf(item.value),
          unit: textOf(item.unit),
          value_str: textOf(item.value_str),
          category: textOf(item.category),
          webapp_name: textOf(item.webapp_name),
          event_key: textOf(item.event_key),
          update_id: textOf(item.update_id),
          command: textOf(item.command),
          callback_data: textOf(item.callback_data),
          start_param: textOf(item.start_param),
          chat_type: textOf(item.chat_type),
          properties: item.properties === undefined ? null : jsonOf(item.properties),
        }),
      );
    }
  }
  return rows;
}

function itemsOf(commit: RecordedCommit): { readonly source: string; readonly items: readonly Item[] }[] {
  return commit.events.flatMap((stored) => {
    const event = readEvent(stored);
    switch (event.type) {
      case 'custom_events_received':
        return [{ source: 'send-event', items: event.data.items }];
      case 'target_events_received':
        return [{ source: 'send-target', items: event.data.items }];
      case 'updates_received':
        return [{ source: 'send-update', items: event.data.items }];
      case 'events_imported':
        return [{ source: 'import', items: event.data.items }];
      case 'user_erased':
        return [{ source: 'erased', items: [{ user_id: event.data.user_id }] }];
      default:
        return [];
    }
  });
}

function rowOf(row: Readonly<Record<ColumnName, string | null>>): TextRow {
  return FOLLOW_COLUMNS.map(({ name }) => row[name]);
}

function textOf(value: string | number | undefined): string | null {
  return value === undefined ? null : String(value);
}

function jsonOf(properties: NonNullable<Item['properties']>): string {
  const members = Object.entries(properties).map(
    ([name, value]) => `${JSON.stringify(name)}:${typeof value === 'object' ? value.number : JSON.stringify(value)}`,
  );
  return `{${members.join()}}`;
}
