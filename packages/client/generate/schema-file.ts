import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Call, type OpenApi, reducedOpenApi } from './reduced-openapi.ts';

/** The types of the client. */
export const SCHEMA = join(import.meta.dirname, '../src/schema.ts');
/** The files that they are made of. */
const SOURCES = ['../../../openapi.json', '../src/amounts.ts', 'reduced-openapi.ts', 'package-lock.json'];
/** The package that makes them. Installed only in this folder. */
const TOOL = 'openapi-typescript';

interface Declaration {
  readonly name: { readonly text: string };
}
interface Tool {
  default(document: object): Promise<readonly Declaration[]>;
  astToString(types: readonly Declaration[]): string;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const read = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');

/** The head of the file has the digests of its sources and of its types, so that a test without the tool sees a stale file. */
export function headOf(types: string): string {
  return [
    '// Made from openapi.json by `npm run client-types`; do not edit.',
    `// Sources: sha256 ${sha256(SOURCES.map(read).join('\0'))}`,
    `// Types: sha256 ${sha256(types)}`,
    '',
  ].join('\n');
}

/** The whole file. @throws if the packages of this folder are not installed */
export async function schemaFile(): Promise<string> {
  const { default: openapiTS, astToString } = (await import(TOOL)) as Tool;
  const { calls, schemas } = reducedOpenApi(JSON.parse(read(SOURCES[0]!)) as OpenApi);
  const declarations = await openapiTS({
    openapi: '3.1.0',
    info: { title: 'Botledger', version: '1' },
    paths: {},
    components: { schemas },
  });
  const components = astToString(declarations.filter(({ name }) => name.text === 'components'));
  const types = `${pathsOf(calls)}\n${components.replace(/^(?: {4})+/gm, (spaces) => ' '.repeat(spaces.length / 2))}`;
  return headOf(types) + types;
}

/** The calls by path and method, with the types of parameters and answers. */
function pathsOf(calls: readonly Call[]): string {
  const paths = [...new Set(calls.map(({ path }) => path))];
  const lines = paths.map((path) => {
    const methods = calls.filter((call) => call.path === path).map((call) => `    ${call.method}: ${typeOf(call)};\n`);
    return `  "${path}": {\n${methods.join('')}  };\n`;
  });
  return `type Schemas = components["schemas"];\n\nexport interface paths {\n${lines.join('')}}\n`;
}

function typeOf({ query, body, answer, hasCsv }: Call): string {
  const parts = Object.entries({ query, body, answer }).flatMap(([key, name]) =>
    name === undefined ? [] : [`${key}: Schemas["${name}"]`],
  );
  return `{ ${[...parts, ...(hasCsv ? ['csv: true'] : [])].join('; ')} }`;
}
