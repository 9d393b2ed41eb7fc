import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT } from '../../support/source-files.ts';

const run = promisify(execFile);

/** Runs a program with a queue whose service never answers. @returns what it wrote to stderr */
async function stderrOf(code: string): Promise<string> {
  const program = `import { createClient } from '@botledger/client';
    const fetch = (request) => answer(request);
    let answer = () => new Promise(() => {});
    const queue = createClient({ baseUrl: 'http://service.test', apiKey: 'a:b', fetch }).eventQueue();
    queue.add({ event: 'x', user_id: 1 });
    queue.add({ event: 'y', user_id: 1 });
    ${code}`;
  const flags = ['--conditions=@botledger/source', '--import', 'tsx', '--input-type=module', '--eval', program];
  return (await run(process.execPath, flags, { cwd: ROOT })).stderr;
}

it('a program that ends while a queue has items says so', async () => {
  expect(await stderrOf('process.exit(0);')).toBe(
    'botledger: the program ended before 2 items were sent; await close() of their queue first\n',
  );
});

it('a program that has closed or flushed its queue says nothing', async () => {
  const answers = 'answer = () => Response.json({ ok: true });';
  expect(await stderrOf(`${answers} await queue.close(); process.exit(0);`)).toBe('');
  expect(await stderrOf(`${answers} await queue.flush(); process.exit(0);`)).toBe('');
});
