import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../support/source-files.ts';

/** The generated part of the Python client, without Python: its own tests compare each line. */
it.each(['types.py', '_operations.py'])('%s of the Python client is made of the current openapi.json', (name) => {
  const generated = readFileSync(join(ROOT, 'packages/python/src/botledger', name), 'utf8');
  const [, digest] = /^# SHA-256 of openapi\.json: (\w+)$/m.exec(generated) ?? [];
  const current = createHash('sha256')
    .update(readFileSync(join(ROOT, 'openapi.json')))
    .digest('hex');
  expect(digest, 'run: python packages/python/generate.py').toBe(current);
});

it('the Python client has the version of the service', () => {
  const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
  const [, version] = /^version = "(.+)"$/m.exec(read('packages/python/pyproject.toml')) ?? [];
  expect(version).toBe((JSON.parse(read('package.json')) as { version: string }).version);
});
