import { writeFileSync } from 'node:fs';
import { SCHEMA, schemaFile } from './schema-file.ts';

/** Writes the types of the client: `npm run client-types`. */
writeFileSync(SCHEMA, await schemaFile());
