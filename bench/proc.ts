import { readdir, readFile } from 'node:fs/promises';
import { errorCode } from '../src/database/embedded/error.ts';

/** Reads OS processes in Linux' /proc: proc(5). A process that has ended counts as 0 seconds and 0 MB. */

/** The kernel's unit of processor time, the same on all platforms that Node.js runs on. */
const TICKS_PER_SECOND = 100;

/** Processor time of the processes and their threads so far, in seconds. */
export async function processorSeconds(pids: readonly number[]): Promise<number> {
  const seconds = await Promise.all(pids.map((pid) => processorSecondsOf(String(pid))));
  return seconds.reduce((sum, each) => sum + each, 0);
}

async function processorSecondsOf(task: string): Promise<number> {
  const stat = await statOf(task);
  return (Number(stat[11] ?? 0) + Number(stat[12] ?? 0)) / TICKS_PER_SECOND;
}

/** Processor time of one thread so far, in seconds. Worker threads have later numbers than the helpers of the engine. */
export function threadSeconds(pid: number, thread: number): Promise<number> {
  return processorSecondsOf(`${pid}/task/${thread}`);
}

/** Processor time of the children that a process has waited for, and of their children, in seconds. */
export async function waitedForSeconds(pid: number): Promise<number> {
  const stat = await statOf(String(pid));
  return (Number(stat[13] ?? 0) + Number(stat[14] ?? 0)) / TICKS_PER_SECOND;
}

/** undefined if the process has ended. */
export async function parentOf(pid: number): Promise<number | undefined> {
  const parent = (await statOf(String(pid)))[1];
  return parent === undefined ? undefined : Number(parent);
}

export async function childrenOf(parent: number): Promise<number[]> {
  const children: number[] = [];
  for (const pid of (await readdir('/proc')).map(Number))
    if (Number.isInteger(pid) && (await parentOf(pid)) === parent) children.push(pid);
  return children;
}

/** The resident size of a process, in MB. */
export function residentMb(pid: number): Promise<number> {
  return statusMb(pid, 'VmRSS');
}

/** The peak resident size of a process, in MB. */
export function peakResidentMb(pid: number): Promise<number> {
  return statusMb(pid, 'VmHWM');
}

/** The file of a process that has ended, but that its parent has not waited for, has no such line. */
async function statusMb(pid: number, field: string): Promise<number> {
  const status = await readOf(String(pid), 'status');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) / 1024;
}

/** The fields from the third on. The second is a name in parentheses. It may hold any character. */
async function statOf(task: string): Promise<string[]> {
  const stat = await readOf(task, 'stat');
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Empty if the process or the thread has ended. */
async function readOf(task: string, file: 'stat' | 'status'): Promise<string> {
  try {
    return await readFile(`/proc/${task}/${file}`, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(errorCode(error) ?? '')) return '';
    throw error;
  }
}
