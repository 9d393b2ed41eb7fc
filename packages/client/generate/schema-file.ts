import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OpenApi, reducedOpenApi } from './reduced-openapi.ts';

/** The types of the client. */
export const SCHEMA = join(import.meta.dirname, '../src/schema.ts');
/** The files that they are made of. */
const SOURCES = ['../../../openapi.json', '../src/amounts.ts', 'reduced-openapi.ts', 'package-lock.json'];
/** The package that makes them. Installed in this folder alone. */
const TOOL = 'openapi-typescript';

interface Tool {
  default(document: OpenApi): Promise<unknown>;
  astToString(types: unknown): string;
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
  const document = reducedOpenApi(JSON.parse(read(SOURCES[0]!)) as OpenApi);
  const types = astToString(await openapiTS(document));
  return headOf(types) + types;
}
