import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedFiles } from './pages.ts';

/** `npm run docs`: writes the pages that are made from the code. */
for (const [path, text] of await generatedFiles()) {
  writeFileSync(join(import.meta.dirname, '../..', path), text);
  process.stdout.write(`${path}\n`);
}
