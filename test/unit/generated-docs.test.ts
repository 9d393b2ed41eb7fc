import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT } from '../support/source-files.ts';

// In a process of its own: schemas of tests that ran before would stand in OpenAPI, too.
it('the generated pages are committed as the code makes them', async () => {
  const args = ['--import', 'tsx', 'docs/generate/main.ts', '--check'];
  const outcome = await promisify(execFile)(process.execPath, args, { cwd: ROOT }).catch(String);
  expect(outcome).toEqual({ stdout: '', stderr: '' });
});
