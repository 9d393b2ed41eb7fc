import leven, { closestMatch } from 'leven';
import { Tokenizer, TokenKind } from 'liquidjs';
import { userFields } from '../reports/fields.ts';
import { type ParseMode, visibleText } from './markup.ts';
import { MarkupError } from './markup-html.ts';
import { compileTemplate, isTemplate, parsed, TAGS, TemplateError } from './template.ts';
import { ExpressionReader, faultAt, type NamedField } from './template-grammar.ts';

/** The fields that a template may name; custom fields may have any name. */
const FIELDS = userFields.names.filter((name) => !name.endsWith('.*'));
const CUSTOM_FIELDS = 'user.custom_fields';
/** Fields that have fields. */
const GROUPS: readonly string[] = ['user', CUSTOM_FIELDS, 'user.addition_fields'];
/** Words at a greater distance are not suggested. */
const MAX_TYPOS = 2;

/**
 * Checks a template that is saved: its syntax, strictly, and that its fields exist (decisions.md#templates). Templates that
 * were stored before are rendered without this check.
 * @returns the custom fields that it names, each once
 * @throws TemplateError with the place of the mistake
 */
export function checkTemplate(text: string): string[] {
  const custom = new Set<string>();
  for (const { kind, contentRange } of delimited(text)) {
    const reader = new ExpressionReader(text, ...contentRange);
    if (kind === TokenKind.Output) reader.readOutput();
    else readTag(reader, text, contentRange[0]);
    for (const field of reader.fields) {
      checkName(text, field);
      if (isCustom(field.path)) custom.add(field.path[2]!);
    }
  }
  // The tags that open and end each other.
  compileTemplate(text, 'text');
  return [...custom];
}

interface Delimited {
  readonly kind: TokenKind;
  /** The fields between the delimiters. */
  readonly contentRange: [from: number, end: number];
}

function delimited(text: string): Delimited[] {
  const tokens = parsed(() => new Tokenizer(text).readTopLevelTokens());
  return tokens.filter((token): token is (typeof tokens)[number] & Delimited => 'contentRange' in token);
}

function readTag(reader: ExpressionReader, text: string, at: number): void {
  const name = reader.readName();
  if (name === 'elsif' || TAGS.includes(name)) {
    reader.readCondition();
    return;
  }
  if (name !== 'else' && !TAGS.includes(name.replace(/^end/, '')))
    throw faultAt(
      text,
      at,
      `tag "${name}" not found: ${name === 'elseif' ? 'use elsif' : `there are ${TAG_NAMES.join(', ')}`}`,
    );
  if (name === 'else' && reader.isAt('if')) throw faultAt(text, at, 'else takes no condition: use elsif');
  reader.readEnd();
}

const TAG_NAMES = [...TAGS, 'elsif', 'else', ...TAGS.map((tag) => `end${tag}`)];

const isCustom = (path: readonly string[]): boolean =>
  path.length === 3 && path.slice(0, 2).join('.') === CUSTOM_FIELDS;

function checkName(text: string, { path, at }: NamedField): void {
  const name = path.join('.');
  if (FIELDS.includes(name) || isCustom(path)) return;
  throw faultAt(text, at, GROUPS.includes(name) ? `${name} has no text: name one of its fields` : unknown(path, name));
}

/** The error for an unknown name, with the nearest known one. */
function unknown(path: readonly string[], name: string): string {
  const [root, group, ...rest] = path;
  const isOfUser = leven(root!, 'user') <= MAX_TYPOS;
  if (isOfUser && rest.length > 0 && leven(group!, 'custom_fields') <= MAX_TYPOS)
    return rest.length === 1
      ? `there is no ${name}: use ${CUSTOM_FIELDS}.${rest[0]}`
      : `there is no ${name}: a custom field has no fields; with dots in its name it is ${CUSTOM_FIELDS}["${rest.join('.')}"]`;
  const nearest = FIELDS.includes(`user.${name}`) ? `user.${name}` : closestMatch(name, FIELDS);
  const custom = root === 'user' && path.length === 2 ? `, or ${CUSTOM_FIELDS}.${group} for a custom field` : '';
  return `there is no ${name}: use ${nearest}${custom}`;
}

/** Why a template cannot be used; undefined: it can, or the text is no template. */
export function templateProblem(text: string): string | undefined {
  if (!isTemplate(text)) return undefined;
  try {
    checkTemplate(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return `the template is wrong: ${error.message}`;
  }
}

/** How many code points a text has, without markup and the blanks around it, as the platform counts. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/**
 * Why a text cannot be sent; undefined: it can. The markup and the length of a template differ by recipient, so they are
 * checked when it is sent.
 */
export function textProblem(text: string, mode: ParseMode | null, bounds: Bounds): string | undefined {
  return isTemplate(text) ? templateProblem(text) : renderedProblem(text, mode, bounds);
}

/** Why the platform would refuse a text that is rendered. Parameters as of `textProblem`. */
export function renderedProblem(text: string, mode: ParseMode | null, { min, max }: Bounds): string | undefined {
  try {
    const { length } = [...visibleText(text, mode).trim()];
    return length >= min && length <= max ? undefined : `must have ${min} to ${max} characters, and has ${length}`;
  } catch (error) {
    if (!(error instanceof MarkupError)) throw error;
    return `can't parse entities: ${error.message}`;
  }
}
