import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './source-files.ts';

/** Paths of all Markdown documents, except the interface (never edited) and parts of generated pages. */
export function documents(): string[] {
  const below = (folder: string): string[] =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(folder, name).replaceAll('\\', '/'),
    );
  const ofPackages = readdirSync(join(ROOT, 'packages'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => ['README.md', 'CHANGELOG.md'].map((file) => `packages/${name}/${file}`));
  return [...readdirSync(ROOT), ...['src', 'test', 'docs'].flatMap(below), ...ofPackages].filter(
    (path) => path.endsWith('.md') && path !== 'docs/interface.md' && !path.startsWith('docs/generate/'),
  );
}
