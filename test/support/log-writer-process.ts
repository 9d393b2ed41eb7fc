import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { NewCommit } from '../../src/log/port.ts';

export interface WriterTask {
  /** The environment that names the database and the log. */
  readonly env: Readonly<Record<string, string>>;
  readonly stream: string;
}

export interface WrittenByOther {
  readonly sending: readonly NewCommit[];
  readonly done: ReadonlySet<string>;
}

/** Runs a writer in a separate OS process, kills it with -9 after `acknowledged` appends, and returns its output. */
export async function writeAndKill(task: WriterTask, acknowledged: number): Promise<WrittenByOther> {
  const script = fileURLToPath(new URL('./log-writer.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const sending: NewCommit[] = [];
  const done = new Set<string>();
  for await (const line of createInterface({ input: child.stdout })) {
    const said = JSON.parse(line) as { sending?: NewCommit; done?: string };
    if (said.sending !== undefined) sending.push(said.sending);
    if (said.done !== undefined) done.add(said.done);
    if (done.size === acknowledged) child.kill('SIGKILL');
  }
  if (done.size < acknowledged) throw new Error(`the writer ended by itself, with ${child.exitCode}`);
  return { sending, done };
}
