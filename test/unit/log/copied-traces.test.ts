import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { backUp, restore } from '../../../src/log/backup.ts';
import { textOf } from '../../../src/log/commit-codec.ts';
import { copyLog } from '../../../src/log/copy.ts';
import type { EventLog } from '../../../src/log/port.ts';
import { ALL_CATEGORIES, appendOnTop, newCommit, readAll } from '../../support/log.ts';
import { memoryLog } from '../../support/memory-log.ts';

const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const common = { categories: ALL_CATEGORIES, signal: new AbortController().signal, onProgress: () => {} };
const texts = async (log: EventLog): Promise<string[]> => (await readAll(log)).map(textOf);

async function tracedLog(): Promise<EventLog> {
  const log = memoryLog();
  for (const traced of [{ trace }, {}]) {
    await appendOnTop(log, newCommit('bot-b1', traced));
    await log.append(newCommit('intake-b1', traced));
  }
  return log;
}

it('a copy of the log has the same traces, and no others', async () => {
  const from = await tracedLog();
  const to = memoryLog();
  await copyLog({ from, to, ...common });
  expect((await readAll(to)).map((commit) => commit.trace)).toEqual([trace, trace, undefined, undefined]);
  expect(await texts(to)).toEqual(await texts(from));
});

it('a backup has the same traces, and no others', async () => {
  const from = await tracedLog();
  const to = memoryLog();
  const folder = await mkdtemp(join(tmpdir(), 'traces-'));
  try {
    const file = join(folder, 'log.gz');
    await backUp({ from, file, now: 0, ...common });
    await restore({ file, to, ...common });
    expect(await texts(to)).toEqual(await texts(from));
  } finally {
    await rm(folder, { recursive: true });
  }
});
