import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The repository's folder. */
export const ROOT = join(import.meta.dirname, '../..');

export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** Paths of the project's files that it imports, types included. */
  readonly files: readonly string[];
  /** The same, with whether only types are imported. */
  readonly imports: readonly { readonly file: string; readonly typeOnly: boolean }[];
  /** Paths of the project's files that are loaded together with it. */
  readonly loads: readonly string[];
  /** Packages and Node's own modules, as the import names them. */
  readonly packages: readonly { readonly name: string; readonly typeOnly: boolean }[];
}

/** Made by a program, from texts that are checked where they stand. */
const GENERATED = ['packages/client/src/schema.ts', 'packages/client/src/methods.ts'];

/** The folders of the packages in packages/ that have TypeScript. */
export const PACKAGE_FOLDERS: readonly string[] = readdirSync(join(ROOT, 'packages'))
  .flatMap((name) => ['src', 'generate', 'examples'].map((folder) => `packages/${name}/${folder}`))
  .filter((folder) => existsSync(join(ROOT, folder)));

/** Every TypeScript file below a folder, without installed packages and generated files. */
export function sourceFiles(folder: string): SourceFile[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name).replaceAll('\\', '/'))
    .filter((path) => /\.tsx?$/.test(path) && !path.includes('/node_modules/') && !GENERATED.includes(path))
    .map(readSource);
}

/** Import statements as the formatter writes them: the module's name is the only text in single quotes. */
const IMPORT = /^(?:import|export)( type)?\b[^'";`]*\bfrom '([^']+)';$|^import '([^']+)';$|\bimport\('([^']+)'\)/gm;

export function readSource(path: string): SourceFile {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const imports = [...text.matchAll(IMPORT)].map(([, type, from, bare, dynamic]) => ({
    name: (from ?? bare ?? dynamic)!,
    typeOnly: type !== undefined,
    isLazy: dynamic !== undefined,
  }));
  const statements = text.match(/^import /gm)?.length ?? 0;
  if (imports.length < statements) throw new Error(`${path}: this form of import is not supported`);
  const own = imports
    .filter(({ name }) => name.startsWith('.'))
    .map(({ name, ...how }) => ({ file: join(dirname(path), name).replaceAll('\\', '/'), ...how }));
  return {
    path,
    text,
    files: own.map(({ file }) => file),
    imports: own,
    loads: own.filter(({ typeOnly, isLazy }) => !typeOnly && !isLazy).map(({ file }) => file),
    packages: imports.filter(({ name }) => !name.startsWith('.')),
  };
}

/** The text without comments and without texts in single quotes, line by line. */
export function codeOf(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/'(?:[^'\\\n]|\\.)*'|(?<!:)\/\/.*$/gm, (found) => ' '.repeat(found.length));
}
