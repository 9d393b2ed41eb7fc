import { signal } from '@preact/signals';
import type { EventField, EventProperty, ReportEvent } from '../../../src/api/reports/schemas.ts';
import type { UserField } from '../../../src/api/reports/users-schemas.ts';
import { request, type Value } from '../api.ts';

/** The events and fields that a bot's reports can name. */
export interface Catalog {
  readonly events: readonly KnownEvent[];
  readonly fields: readonly Field[];
}

export type KnownEvent = Readonly<ReportEvent>;
/** Fields of events and users. Of a custom property, `types` are those that its values came with. */
export type Field = Readonly<
  Omit<EventField, 'type'> &
    Pick<EventField | UserField, 'type'> &
    Partial<Pick<EventProperty, 'types'> & Pick<UserField, 'label'>>
>;

/** The dictionary of the pages: the events of the bot that were loaded last. */
export const dictionary = signal<readonly KnownEvent[]>([]);

/** The events that a bot has received, the most frequent first. They become the dictionary of the pages. */
export async function loadEvents(bot: string, signal: AbortSignal): Promise<readonly KnownEvent[]> {
  const { items } = await request<{ items: KnownEvent[] }>('/v1/reports/events', { bot, signal });
  dictionary.value = items;
  return items.toSorted((a, b) => b.count - a.count);
}

export async function loadCatalog(bot: string, signal: AbortSignal): Promise<Catalog> {
  const options = { bot, signal };
  const [events, ...fields] = await Promise.all([
    loadEvents(bot, signal),
    ...['event-fields', 'event-properties', 'user-fields'].map((list) =>
      request<{ items: Field[] }>(`/v1/reports/${list}`, options),
    ),
  ]);
  return { events, fields: fields.flatMap(({ items }) => items) };
}

/** The custom properties of events that have numbers, by the names of their fields. */
export function numbersOf({ fields }: Catalog): readonly `events.properties.${string}`[] {
  return fields.flatMap(({ name, types }) =>
    types?.includes('number') ? [name as `events.properties.${string}`] : [],
  );
}

const DAY_MS = 86_400_000;

/** The name of a field in reports; audiences name those of users `users.*`. */
export const reportName = ({ name }: Field): string => name.replace(/^users\./, 'user.');

/** The most frequent values of a field within the last 30 days, to offer them in a filter. */
export async function valuesOf(bot: string, field: Field, now: Date): Promise<readonly Value[]> {
  if (!field.separator) return [];
  const property = reportName(field);
  const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  const report_config = {
    source_request: {
      type: 'trends',
      type_chart: 'table',
      separators: [{ property }],
      requests: [{ type: 'trend', event_id: null, event_name: 'all', agr: 'total' }],
    },
    settings: {
      params: {
        ':date_from': `${day(now.getTime() - 30 * DAY_MS)} 00:00:00`,
        // In some zones it is tomorrow already.
        ':date_to': `${day(now.getTime() + DAY_MS)} 23:59:59`,
      },
    },
  };
  const { rows } = await request<{ rows: Readonly<Record<string, Value>>[] }>('/v1/reports/preview', {
    method: 'POST',
    bot,
    body: { report_config },
  });
  return rows.flatMap((row) => (row[property] == null ? [] : [row[property]]));
}
