import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { generatedFiles } from '../../docs/generate/pages.ts';
import { ROOT } from '../support/source-files.ts';

const files = await generatedFiles();

describe('what `npm run docs` generates', () => {
  it.each([...files])('%s is committed as the code makes it', (path, text) => {
    expect(readFileSync(join(ROOT, path), 'utf8')).toBe(text);
  });
});
