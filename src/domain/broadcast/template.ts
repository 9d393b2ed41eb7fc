import { AssertionError, type Context, Liquid, LiquidError } from 'liquidjs';
import type { ParseMode } from './markup.ts';

/**
 * Templates in the texts of broadcasts (decisions.md#templates): Liquid with the variables `user.*`, the tags `if`,
 * `elsif`, `else` and `unless`, and the filter `default`. Compiled once, rendered for each recipient.
 */

/** Fields of a recipient, by the names of the condition fields; missing fields are empty. */
export interface TemplateUser {
  readonly [field: string]: TemplateValue | undefined;
}
export type TemplateValue = string | number | boolean | null | { readonly [name: string]: TemplateValue | undefined };

export interface Template {
  /** @throws TemplateError the text of this user is too much. Any other error is the service's own */
  render(user: TemplateUser, links?: readonly string[]): string;
}

/** A mistake in a template, or in the text for one recipient, in one line. The same input gives the same error. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/**
 * Where values are written: in text that the platform reads by a parse mode or as it is (`text`), or in the address of a
 * button (`url`).
 */
export type TemplatePlace = ParseMode | 'text' | 'url';

/** Whether a text is a template. */
export function isTemplate(text: string): boolean {
  return text.includes('{{') || text.includes('{%');
}

/** Far more than a message can hold, so that only harmful templates are refused. */
const MAX_CHARACTERS = 16_384;
/**
 * How many values are written, and elements of ranges. Stored templates may have ranges. A bound of output size, not of
 * time.
 */
const MAX_MADE = 1_000_000;
/** UTF-16 units of an error, without its place. */
const MAX_MESSAGE = 200;

export const TAGS: readonly string[] = ['if', 'unless'];
const FILTERS = ['default'];

/** Special characters of the platform's HTML and MarkdownV2 styles (reference of its bot interface). */
const HTML_REFERENCES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const ESCAPES: Readonly<Record<TemplatePlace | 'whole url', (value: string) => string>> = {
  HTML: (value) => value.replace(/[&<>"]/g, (sign) => HTML_REFERENCES[sign]!),
  MarkdownV2: (value) => value.replace(/[_*[\]()~`>#+\-=|{}.!\\]/g, '\\$&'),
  text: (value) => value,
  url: (value) => encodeURIComponent(value.toWellFormed()),
  'whole url': (value) => value.toWellFormed().replace(/[^!-~]+/g, encodeURIComponent),
};

const engines = new Map(Object.entries(ESCAPES).map(([place, written]) => [place, engine(written)]));

function engine(written: (value: string) => string): Liquid {
  const liquid = new Liquid({
    outputEscape(this: { readonly context: Context }, value: unknown) {
      const text = written(textOf(value));
      this.context.memoryLimit.use(text.length);
      return text;
    },
    ownPropertyOnly: true,
    strictFilters: true,
    // Templates include no files.
    templates: {},
    parseLimit: MAX_CHARACTERS,
    memoryLimit: MAX_MADE,
  });
  for (const [all, kept] of [
    [liquid.tags, TAGS],
    [liquid.filters, FILTERS],
  ] as const)
    for (const name of Object.keys(all)) if (!kept.includes(name)) delete all[name];
  return liquid;
}

/** An object has no text; any other value is written as it is. */
function textOf(value: unknown): string {
  return value === null || value === undefined || typeof value === 'object' ? '' : String(value);
}

/**
 * Author text stays as it is; values are escaped for the place that they are written to. In an address that begins with a
 * value, that value may be a whole address; anywhere else a value is a part of an address.
 * @throws TemplateError a mistake in the syntax, or an unknown tag or filter
 */
export function compileTemplate(text: string, place: TemplatePlace): Template {
  const liquid = engines.get(place === 'url' && text.startsWith('{{') ? 'whole url' : place)!;
  const templates = parsed(() => liquid.parse(text));
  return {
    render: (user, links) => made(() => String(liquid.renderSync(templates, { user: fieldsOf(user), links }))),
  };
}

/** Only own fields: Liquid gives every object without a `size` one. */
function fieldsOf(user: TemplateUser): TemplateUser {
  const fields = Object.entries(user).map(([name, value]) => [name, isGroup(value) ? fieldsOf(value) : value]);
  return { size: undefined, ...Object.fromEntries(fields) };
}

function isGroup(value: TemplateValue | undefined): value is TemplateUser {
  return typeof value === 'object' && value !== null;
}

/** @throws TemplateError the parser refuses the template */
export function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (LiquidError.is(error)) {
      const [line, column] = error.token.getPosition();
      throw templateError(`line ${line}, column ${column}: `, error);
    }
    throw error instanceof AssertionError ? templateError('', error) : error;
  }
}

/** @throws TemplateError the output is too much; other errors pass as they are */
function made(render: () => string): string {
  try {
    return render();
  } catch (error) {
    const cause = originOf(error);
    throw cause instanceof AssertionError ? templateError('', cause) : cause;
  }
}

/** Errors of Liquid wrap the original error, some twice. */
function originOf(error: unknown): unknown {
  return LiquidError.is(error) && error.originalError !== undefined ? originOf(error.originalError) : error;
}

function templateError(place: string, cause: Error): TemplateError {
  // Its message ends with a place in a file.
  const [message = ''] = cause.message.split(/, (?:line:\d|file:)/, 1);
  return new TemplateError(`${place}${shortened(message)}`, { cause });
}

/** The text of an error. It may quote all of the template. */
export function shortened(message: string): string {
  if (message.length <= MAX_MESSAGE) return message;
  return `${message.slice(0, MAX_MESSAGE).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
