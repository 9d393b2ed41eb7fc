import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT } from '../../support/source-files.ts';

// Runs in a separate OS process, since OpenAPI would otherwise hold schemas of earlier tests. It loads the whole service.
it('the committed generated pages equal the output of the generator', async () => {
  const args = ['--import', 'tsx', 'docs/generate/main.ts', '--check'];
  const outcome = await promisify(execFile)(process.execPath, args, { cwd: ROOT }).catch(String);
  expect(outcome).toEqual({ stdout: '', stderr: '' });
});
