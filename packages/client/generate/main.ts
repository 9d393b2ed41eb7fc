import { writeFileSync } from 'node:fs';
import { METHODS, methodsFile } from './methods-file.ts';
import { SCHEMA, schemaFile } from './schema-file.ts';

/** Writes the types and the methods of the client: `npm run client-types`. */
writeFileSync(SCHEMA, await schemaFile());
writeFileSync(METHODS, methodsFile());
