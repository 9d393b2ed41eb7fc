import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedFiles } from './pages.ts';

/** `npm run docs`: writes the pages that are made from the code. With --check it only names outdated pages. */
const isCheck = process.argv.includes('--check');
for (const [path, text] of await generatedFiles()) {
  const file = join(import.meta.dirname, '../..', path);
  if (!isCheck) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    process.stdout.write(`${path} is out of date: npm run docs\n`);
    process.exitCode = 1;
  }
}
