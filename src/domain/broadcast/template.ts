import { AssertionError, type Context, Liquid, LiquidError } from 'liquidjs';
import type { ParseMode } from './markup.ts';

/**
 * Templates in the texts of broadcasts (decisions.md#templates): Liquid with the variables `user.*`, the tags `if`,
 * `elsif`, `else` and `unless`, and the filter `default`. Compiled once, rendered for each recipient.
 */

/** What a template knows of a recipient, by the names of the condition fields; whatever a recipient lacks is empty. */
export interface TemplateUser {
  readonly [field: string]: TemplateValue | undefined;
}
export type TemplateValue = string | number | boolean | null | { readonly [name: string]: TemplateValue | undefined };

export interface Template {
  /** @throws TemplateError this user's text cannot be made: it is too much. Any other error is the service's own */
  render(user: TemplateUser): string;
}

/** What is wrong with a template, or with what it makes for one recipient, in one line: the same each time it is tried. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/**
 * What values are written into: text that the platform reads by a parse mode, or as it is (`text`), or the address of a
 * button (`url`).
 */
export type TemplatePlace = ParseMode | 'text' | 'url';

/** Whether there is anything to render. */
export function isTemplate(text: string): boolean {
  return text.includes('{{') || text.includes('{%');
}

/** Far above what a message can hold, so that only what does harm is refused. */
const MAX_CHARACTERS = 16_384;
/** Of values written, and of elements of ranges, which stored templates may have. Bounded by output size, not by time. */
const MAX_MADE = 1_000_000;
/** UTF-16 units of what is wrong, without its place. */
const MAX_MESSAGE = 200;

export const TAGS: readonly string[] = ['if', 'unless'];
const FILTERS = ['default'];

/** Signs that mean something in the platform's HTML and MarkdownV2 styles (reference of its bot interface). */
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
    // No file is ever looked for.
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

/** An object has no text of its own; the rest is written as it is. */
function textOf(value: unknown): string {
  return value === null || value === undefined || typeof value === 'object' ? '' : String(value);
}

/**
 * Author text stays as it is, values are escaped for the place that they are written into. In an address that begins with
 * a value, that value may be a whole address; in any other place a value is a part of one.
 * @throws TemplateError a mistake in the syntax, a tag or a filter that there is not
 */
export function compileTemplate(text: string, place: TemplatePlace): Template {
  const liquid = engines.get(place === 'url' && text.startsWith('{{') ? 'whole url' : place)!;
  const templates = parsed(() => liquid.parse(text));
  return { render: (user) => made(() => String(liquid.renderSync(templates, { user: fieldsOf(user) }))) };
}

/** Own fields alone: Liquid gives every object a `size`, unless it has one of its own. */
function fieldsOf(user: TemplateUser): TemplateUser {
  const fields = Object.entries(user).map(([name, value]) => [name, isGroup(value) ? fieldsOf(value) : value]);
  return { size: undefined, ...Object.fromEntries(fields) };
}

function isGroup(value: TemplateValue | undefined): value is TemplateUser {
  return typeof value === 'object' && value !== null;
}

/** @throws TemplateError what the parser says is wrong with a template */
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

/** @throws TemplateError what is too much; whatever else fails, as it is */
function made(render: () => string): string {
  try {
    return render();
  } catch (error) {
    const cause = originOf(error);
    throw cause instanceof AssertionError ? templateError('', cause) : cause;
  }
}

/** Errors of Liquid wrap what was thrown, some twice. */
function originOf(error: unknown): unknown {
  return LiquidError.is(error) && error.originalError !== undefined ? originOf(error.originalError) : error;
}

function templateError(place: string, cause: Error): TemplateError {
  // Its message goes on with where it stands in a file.
  const [message = ''] = cause.message.split(/, (?:line:\d|file:)/, 1);
  return new TemplateError(`${place}${shortened(message)}`, { cause });
}

/** What is said of a template, which may repeat all of it. */
export function shortened(message: string): string {
  if (message.length <= MAX_MESSAGE) return message;
  return `${message.slice(0, MAX_MESSAGE).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
