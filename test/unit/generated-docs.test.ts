import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT } from '../support/source-files.ts';

// Runs in an OS process of its own, since OpenAPI would otherwise hold schemas of earlier tests.
it('the committed generated pages are those that the code generates', async () => {
  const args = ['--import', 'tsx', 'docs/generate/main.ts', '--check'];
  const outcome = await promisify(execFile)(process.execPath, args, { cwd: ROOT }).catch(String);
  expect(outcome).toEqual({ stdout: '', stderr: '' });
});
