import { cp, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The sources that embedded-postgres-process.ts needs. */
const SOURCES = [
  'package.json',
  'tsconfig.json',
  'src/database/embedded',
  'test/support/embedded-postgres-process.ts',
] as const;
const PACKAGES = ['embedded-postgres', 'pg', 'tsx', 'zod'] as const;

/** Copies the sources and packages of this checkout that the embedded PostgreSQL needs. */
export async function copyCheckout(target: string): Promise<void> {
  const paths = [...SOURCES, ...(await withDependencies(PACKAGES)).map((name) => join('node_modules', name))];
  for (const path of paths) {
    await mkdir(dirname(join(target, path)), { recursive: true });
    await cp(path, join(target, path), { recursive: true, verbatimSymlinks: true });
  }
}

async function withDependencies(names: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  const pending = [...names];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const text = await readFile(join('node_modules', name, 'package.json'), 'utf8').catch(() => undefined);
    if (text === undefined || found.has(name)) continue; // an optional package for another platform
    found.add(name);
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(text);
    pending.push(...Object.keys(dependencies), ...Object.keys(optionalDependencies));
  }
  return [...found];
}
