import { shortened, TemplateError } from './template.ts';

/**
 * The grammar of `{{ … }}` and `{% … %}` (decisions.md#template-grammar). Liquid ignores text that it cannot parse, so
 * a typo would change the message without a warning. Everything outside this grammar is refused.
 *
 * ```
 * output    = value { "|" "default" ":" value [ "," "allow_false" ":" ( "true" | "false" ) ] }
 * condition = { "not" } value [ operator value ] [ ( "and" | "or" ) condition ]
 * operator  = "==" | "!=" | ">" | "<" | ">=" | "<=" | "contains"
 * value     = text | number | "true" | "false" | "nil" | "null" | "empty" | "blank" | path
 * path      = word { "." word | "[" text "]" }
 * ```
 */

/** A field that an expression names, as a path. */
export interface NamedField {
  readonly path: readonly string[];
  /** The place of the field in the template. */
  readonly at: number;
}

const BLANKS = /[ \t\r\n\u00a0]*/y;
const TEXT = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'/y;
const NUMBER = /-?\d+(?:\.\d+)?(?![\w.-])/y;
const WORD = /[\p{L}_][\p{L}\p{M}\p{N}_-]*/uy;
const OPERATOR = /[=!<>]=|[<>](?![=<>])/y;
/** An unexpected piece of the template, quoted in the error. */
const ANYTHING = /[\p{L}\p{M}\p{N}_-]+|[=!<>&|]+|[\s\S]/uy;

const LITERALS: readonly string[] = ['true', 'false', 'nil', 'null', 'empty', 'blank'];
const JOINING: readonly string[] = ['and', 'or'];
const RESERVED: readonly string[] = [...JOINING, 'not', 'contains'];

/** The likely correction of an unknown sign or word. */
const HINTS: Readonly<Record<string, string>> = {
  '=': 'use ==',
  '===': 'use ==',
  '<>': 'use !=',
  '&&': 'use and',
  '||': 'use or',
  '!': 'use not',
  '“': 'use straight quotes',
  '”': 'use straight quotes',
  '‘': 'use straight quotes',
  '’': 'use straight quotes',
};

/** Reads the expressions of one `{{ … }}` or `{% … %}` between two places of a template. */
export class ExpressionReader {
  readonly fields: NamedField[] = [];
  readonly #text: string;
  readonly #end: number;
  #at: number;

  constructor(text: string, from: number, end: number) {
    this.#text = text;
    this.#end = end;
    this.#at = from;
    this.#skipBlanks();
  }

  /** @throws TemplateError */
  readOutput(): void {
    this.#value('{{ }} needs a value');
    while (this.#take(/\|(?!\|)/y) !== null) this.#filter();
    const word = this.#peek(WORD);
    if (word === 'or' || word === 'default' || this.#peek(/\|\|/y) !== null)
      throw this.#fault(`${this.#peek(ANYTHING)} does not choose between values here: use | default:`);
    if (this.#at < this.#end && (this.#peek(OPERATOR) !== null || RESERVED.includes(word ?? '')))
      throw this.#fault('values are compared in {% if %}, not in {{ }}');
    this.readEnd();
  }

  /** @throws TemplateError */
  readCondition(): void {
    do {
      while (this.#takeWord('not')) {}
      this.#value('a value is missing');
      if (this.#take(OPERATOR) !== null || this.#takeWord('contains')) this.#value('a value is missing');
    } while (JOINING.some((word) => this.#takeWord(word)));
    if (this.#peek(/\|(?!\|)/y) !== null) throw this.#fault('filters are for {{ }}, not for conditions');
    this.readEnd();
  }

  /** The name of a tag, '' if there is none. */
  readName(): string {
    return this.#take(WORD) ?? '';
  }

  isAt(word: string): boolean {
    return this.#peek(WORD) === word;
  }

  /** @throws TemplateError the expression continues */
  readEnd(): void {
    if (this.#at < this.#end) throw this.#unexpected();
  }

  #filter(): void {
    const at = this.#at;
    const name = this.#take(WORD);
    if (name !== 'default')
      throw faultAt(
        this.#text,
        at,
        name === null ? 'a filter is missing: there is default' : `undefined filter: ${name}; there is default`,
      );
    if (this.#take(/:/y) === null) throw this.#fault('default needs a colon and a value: | default: "friend"');
    this.#value('a value is missing: | default: "friend"');
    if (this.#take(/,/y) === null) return;
    if (
      !this.#takeWord('allow_false') ||
      this.#take(/:/y) === null ||
      !(this.#takeWord('true') || this.#takeWord('false'))
    )
      throw this.#fault('default takes one value, and allow_false: true or false');
  }

  #value(missing: string): void {
    if (this.#at >= this.#end) throw this.#fault(missing);
    if (this.#take(TEXT) !== null || this.#take(NUMBER) !== null) return;
    const at = this.#at;
    const first = this.#peek(WORD);
    if (first === null) throw this.#unexpected();
    if (RESERVED.includes(first)) throw this.#fault(`${missing} before ${first}`);
    const path = this.#path();
    if (path.length > 1 || !LITERALS.includes(first)) this.fields.push({ path, at });
  }

  /** No blank may stand between its parts. */
  #path(): string[] {
    const path = [this.#match(WORD)!];
    this.#at += path[0]!.length;
    for (;;) {
      const sign = this.#text[this.#at];
      if (this.#at >= this.#end || (sign !== '.' && sign !== '[')) break;
      this.#at++;
      if (sign === '[') this.#skipBlanks();
      const part = this.#match(sign === '.' ? WORD : TEXT);
      if (part === null)
        throw this.#fault(sign === '.' ? 'a name is missing behind the dot' : 'expected a name in quotes');
      this.#at += part.length;
      path.push(sign === '.' ? part : textOf(part));
      if (sign === '.') continue;
      this.#skipBlanks();
      if (this.#text[this.#at] !== ']') throw this.#fault('expected ]');
      this.#at++;
    }
    this.#skipBlanks();
    return path;
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? null;
    return found !== null && this.#at + found.length <= this.#end ? found : null;
  }

  #peek(pattern: RegExp): string | null {
    return this.#at < this.#end ? this.#match(pattern) : null;
  }

  #take(pattern: RegExp): string | null {
    const found = this.#peek(pattern);
    if (found === null) return null;
    this.#at += found.length;
    this.#skipBlanks();
    return found;
  }

  #takeWord(word: string): boolean {
    return this.#peek(WORD) === word && this.#take(WORD) !== null;
  }

  #skipBlanks(): void {
    BLANKS.lastIndex = this.#at;
    this.#at = Math.min(this.#at + BLANKS.exec(this.#text)![0].length, this.#end);
  }

  #unexpected(): TemplateError {
    const found = this.#peek(ANYTHING) ?? '';
    const hint = HINTS[found];
    return this.#fault(`unexpected ${found}${hint === undefined ? '' : `: ${hint}`}`);
  }

  #fault(message: string): TemplateError {
    return faultAt(this.#text, this.#at, message);
  }
}

/** The text of a literal, as the library reads it. */
function textOf(literal: string): string {
  return literal.slice(1, -1).replace(/\\([\s\S])/g, '$1');
}

/** A mistake at a place of a template. */
export function faultAt(text: string, at: number, message: string): TemplateError {
  const before = text.slice(0, at).split('\n');
  return new TemplateError(`line ${before.length}, column ${[...before.at(-1)!].length + 1}: ${shortened(message)}`);
}
