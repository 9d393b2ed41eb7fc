import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

/** Builds what is published: one module without imports, and its types. */
const folder = import.meta.dirname;
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

rmSync(join(folder, 'dist'), { recursive: true, force: true });
await build({
  entryPoints: [join(folder, 'src/index.ts')],
  outfile: join(folder, 'dist/index.js'),
  bundle: true,
  minify: true,
  keepNames: false,
  format: 'esm',
  platform: 'neutral',
  mainFields: ['module', 'main'],
  target: 'es2022',
});
const types = ['--declaration', '--emitDeclarationOnly', '--noEmit', 'false', '--outDir', 'dist', '--rootDir', 'src'];
execFileSync(process.execPath, [tsc, '-p', folder, ...types], { cwd: folder, stdio: 'inherit' });
