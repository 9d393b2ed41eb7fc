import { isJsonObject, property } from '../json.ts';
import { under } from '../problem.ts';
import type { Message } from './message.ts';
import { isTemplate } from './template.ts';
import { checkTemplate } from './template-check.ts';

/** A custom field that a message's template names, and where the template stands. */
export interface NamedCustomField {
  readonly path: string;
  readonly field: string;
}

/** The custom fields that a checked message names. @param path where the message stands */
export function customFieldsIn(message: Message, path: string): NamedCustomField[] {
  return [...templatesIn(message, path)].flatMap(([at, text]) =>
    checkTemplate(text).map((field) => ({ path: at, field })),
  );
}

function* templatesIn(message: Message, path: string): Generator<[path: string, text: string]> {
  yield* templatesOf(message, ['text', 'caption'], path);
  for (const [index, item] of itemsOf(message['media']).entries())
    yield* templatesOf(item, ['caption'], under(path, `media.${index}`));
  const markup = message['reply_markup'];
  const rows = isJsonObject(markup) ? itemsOf(property(markup, 'inline_keyboard')) : [];
  for (const [row, buttons] of rows.entries())
    for (const [index, button] of itemsOf(buttons).entries())
      yield* templatesOf(button, ['text', 'url'], under(path, `reply_markup.inline_keyboard.${row}.${index}`));
}

function* templatesOf(object: unknown, keys: readonly string[], path: string): Generator<[path: string, text: string]> {
  if (!isJsonObject(object)) return;
  for (const key of keys) {
    const text = property(object, key);
    if (typeof text === 'string' && isTemplate(text)) yield [under(path, key), text];
  }
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
