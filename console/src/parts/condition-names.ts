import { request } from '../api.ts';
import { type Field, type KnownEvent, loadCatalog, reportName } from './catalog.ts';

/** The fields and events that conditions of audiences and segments can name. */
export interface ConditionNames {
  readonly users: readonly Field[];
  readonly events: readonly Field[];
  readonly known: readonly KnownEvent[];
  /** The fields of templates. */
  readonly templates: readonly string[];
}

export async function loadConditionNames(bot: string, signal: AbortSignal): Promise<ConditionNames> {
  const [fields, catalog] = await Promise.all([
    request<Omit<ConditionNames, 'known'>>('/v1/broadcast/fields', { bot, signal }),
    loadCatalog(bot, signal),
  ]);
  // Values are offered for what reports can be broken down by.
  const separators = new Set(catalog.fields.flatMap(({ name, separator }) => (separator ? [name] : [])));
  const offering = (field: Field): Field => ({ ...field, separator: separators.has(reportName(field)) });
  // The custom properties that the bot has, with the operators of audiences.
  const open = fields.events.find(({ name }) => name === 'events.properties.*')!;
  const properties = catalog.fields.flatMap((field) =>
    field.types === undefined ? [] : [{ ...field, operators: open.operators }],
  );
  return {
    users: fields.users.map(offering),
    events: [...fields.events.map(offering), ...properties],
    templates: fields.templates,
    known: catalog.events,
  };
}
