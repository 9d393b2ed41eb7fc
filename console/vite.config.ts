import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

/** Writes each text file a second time, compressed, so that the service compresses nothing while it runs. */
function precompress(): Plugin {
  return {
    name: 'precompress',
    writeBundle({ dir }) {
      for (const name of readdirSync(dir!, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(js|css|html)$/.test(name)) continue;
        const file = join(dir!, name);
        const content = readFileSync(file);
        writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
        writeFileSync(`${file}.br`, brotliCompressSync(content));
      }
    },
  };
}

export default defineConfig({
  base: '/console/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    manifest: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
  plugins: [precompress()],
});
