/**
 * A writer in a separate OS process. A test kills it. Reads one `WriterTask` as JSON from its argument. Appends commits
 * of five events to one intake stream forever, several at once. Prints JSON lines on stdout: each commit before its
 * append (`{sending}`), and each acknowledged commit (`{done: id}`).
 */
import { randomUUID } from 'node:crypto';
import type { EventLog } from '../../src/log/port.ts';
import { openTestLog } from './engines.ts';
import { ANY_CATEGORIES, newCommit } from './log.ts';
import type { WriterTask } from './log-writer-process.ts';

const WRITERS = 4;

const task = JSON.parse(process.argv[2]!) as WriterTask;
const log = await openTestLog(task.env, { anyCategories: ANY_CATEGORIES });
await Promise.all(Array.from({ length: WRITERS }, () => write(log, task.stream)));

async function write(log: EventLog, stream: string): Promise<never> {
  for (;;) {
    const id = randomUUID();
    const events = [0, 1, 2, 3, 4].map((n) => ({ type: 'Happened', v: 1, data: { id, n } }));
    const commit = newCommit(stream, { id, events });
    console.log(JSON.stringify({ sending: commit }));
    await log.append(commit);
    console.log(JSON.stringify({ done: id }));
  }
}
