import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';

/** Loads the prototype instead of modules of the built service. `register.mjs` installs this in each thread. */
const HERE = new URL('.', import.meta.url).href;
const DIST = new URL('../../dist/', import.meta.url).href;
/** SEGMENTS_SIDE=today: nothing is replaced, for the other side of the comparison. */
const REPLACED = new Map(
  process.env['SEGMENTS_SIDE'] === 'today'
    ? []
    : [
        ['projections/events/read-model.js', 'read-model.ts'],
        ['queries/reports/chunks.js', 'chunks.ts'],
        ['queries/reports/deferred.js', 'deferred.ts'],
      ],
);

export async function resolve(specifier, context, next) {
  const isOurs = context.parentURL?.startsWith(HERE) ?? false;
  if (isOurs && specifier.startsWith('../../src/'))
    return { url: DIST + specifier.slice('../../src/'.length).replace(/\.ts$/, '.js'), shortCircuit: true };
  const found = await next(specifier, context);
  if (isOurs || !found.url.startsWith(DIST)) return found;
  const replaced = REPLACED.get(found.url.slice(DIST.length));
  return replaced === undefined ? found : { url: HERE + replaced, shortCircuit: true };
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const text = await readFile(fileURLToPath(url), 'utf8');
  const { code } = await transform(text, { loader: 'ts', target: 'es2023' });
  return { format: 'module', source: code, shortCircuit: true };
}
