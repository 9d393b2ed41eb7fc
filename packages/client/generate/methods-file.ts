import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The named methods of the client. */
export const METHODS = join(import.meta.dirname, '../src/methods.ts');

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly [string];
  readonly parameters?: readonly { readonly $ref?: string }[];
}

/** A call of the service as the client names it. */
export interface NamedCall {
  /** The tag in camel case. */
  readonly group: string;
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly summary: string;
  /** Whether it takes events, and may give a receipt. */
  readonly hasReceipt: boolean;
}

const groupOf = (tag: string): string =>
  tag.replace(/^./, (first) => first.toLowerCase()).replace(/ (.)/g, (_, first: string) => first.toUpperCase());

/** Every call that the client makes, in the order of openapi.json. Exports are streams, and have a separate call; a statement is a PDF. */
export function namedCalls(): readonly NamedCall[] {
  const openapi = JSON.parse(readFileSync(join(import.meta.dirname, '../../../openapi.json'), 'utf8')) as {
    paths: Record<string, Record<string, Operation>>;
  };
  return Object.entries(openapi.paths)
    .filter(([path]) => path.startsWith('/v1/') && !/^\/v1\/(webhook\/|export\/|referral\/statement$)/.test(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, summary, tags, parameters = [] }]) => ({
        ...{ group: groupOf(tags[0]), name: operationId, path, summary },
        method: method.toUpperCase() as 'GET' | 'POST',
        hasReceipt: parameters.some(({ $ref }) => $ref === '#/components/parameters/Receipt'),
      })),
    );
}

/** The whole file. */
export function methodsFile(): string {
  const calls = namedCalls();
  const groups = [...new Set(calls.map(({ group }) => group))];
  const types = groups.map((group) => `  readonly ${group}: {\n${linesOf(calls, group, typeOf)}  };\n`).join('');
  const table = groups.map((group) => `  ${group}: {\n${linesOf(calls, group, entryOf)}  },\n`).join('');
  return `// Made from openapi.json by \`npm run client-types\`; do not edit.
import type { CallOptions, ReceiptOptions } from './call.ts';
import type { QueryArguments } from './client.ts';
import type { Answer, Body, DataOf } from './types.ts';

/** A method for each call of the service, by the tags of openapi.json. Each gives the \`data\` of the answer. */
export interface Methods {
${types}}

export const CALLS: Readonly<Record<keyof Methods, Readonly<Record<string, string>>>> = {
${table}};
`;
}

const linesOf = (calls: readonly NamedCall[], group: string, line: (call: NamedCall) => string): string =>
  calls
    .filter((call) => call.group === group)
    .map(line)
    .join('');

function typeOf({ name, method, path, summary, hasReceipt }: NamedCall): string {
  const given =
    method === 'GET' ? `...rest: QueryArguments<'${path}'>` : `body: Body<'${path}'>, options?: CallOptions`;
  const answer = `Promise<DataOf<Answer<'${path}', '${method.toLowerCase()}'>>>`;
  const signed = `    /** As below, and gives the receipt; null: the service keeps nothing of the request. */\n    ${name}(body: Body<'${path}'>, options: ReceiptOptions): Promise<string | null>;\n`;
  return `${hasReceipt ? signed : ''}    /**\n     * ${summary}.\n     *\n     * \`${method} ${path}\`\n     * @throws BotledgerError\n     */\n    ${name}(${given}): ${answer};\n`;
}

const entryOf = ({ name, method, path }: NamedCall): string => `    ${name}: '${method} ${path}',\n`;
