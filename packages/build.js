import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Builds what is published of the package in the current folder: `node ../build.js`. */
const root = dirname(import.meta.dirname);
// `npm pack` in a plain clone.
if (!existsSync(join(root, 'node_modules/esbuild')))
  execFileSync('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
const { build } = await import('esbuild');
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

const folder = process.cwd();
const client = join(import.meta.dirname, 'client');
// The types of the middlewares come from the types of the client.
if (folder !== client) await buildPackage(client);
await buildPackage(folder);

/** One module for `import`, one for `require`, and types for each. Not minified, so that stack traces can be read. */
async function buildPackage(target) {
  rmSync(join(target, 'dist'), { recursive: true, force: true });
  await buildModule(target, 'index', 'neutral', 'tsconfig.json');
  // A separate module, since it needs a file system.
  if (existsSync(join(target, 'src/spool.ts'))) await buildModule(target, 'spool', 'node', 'tsconfig.spool.json');
  for (const name of readdirSync(join(target, 'dist')).filter((each) => each.endsWith('.d.ts')))
    writeFileSync(
      join(target, 'dist', name.replace(/\.ts$/, '.cts')),
      forRequire(readFileSync(join(target, 'dist', name), 'utf8')),
    );
}

async function buildModule(target, name, platform, project) {
  for (const [format, extension] of [
    ['esm', 'js'],
    ['cjs', 'cjs'],
  ])
    await build({
      absWorkingDir: target,
      entryPoints: [`src/${name}.ts`],
      outfile: join('dist', `${name}.${extension}`),
      bundle: true,
      external: ['@botledger/client'],
      format,
      platform,
      mainFields: ['module', 'main'],
      target: 'es2022',
    });
  const types = ['--declaration', '--emitDeclarationOnly', '--noEmit', 'false', '--outDir', 'dist', '--rootDir', 'src'];
  execFileSync(process.execPath, [compiler, '-p', project, ...types], { cwd: target, stdio: ['ignore', 2, 2] });
}

/** A compiler takes types next to a CommonJS module as CommonJS if their names, also in imports, end in `.cts`. */
function forRequire(types) {
  return types.replace(/(from '\.[^']*)\.ts'/g, "$1.cts'");
}
