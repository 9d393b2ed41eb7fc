import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/**
 * Whether the server has a startup process: the one that replays its log after a crash, for as long as that takes. A
 * server without one that refuses connections refuses connections for ever. Windows shows no titles of processes: there,
 * true.
 */
export async function hasStartupProcess(serverPid: number): Promise<boolean> {
  if (process.platform === 'win32') return true;
  const titles = process.platform === 'linux' ? await titlesInProc(serverPid) : await titlesByPs(serverPid);
  return titles.some((title) => /^postgres: (?:.*: )?startup/.test(title));
}

/** Not by `ps`, which small images of containers lack. */
async function titlesInProc(parent: number): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const titles = await Promise.all(
    pids.map(async (pid) => {
      try {
        // proc(5): `pid (name) state ppid …`, and the name may hold parentheses.
        const status = await readFile(`/proc/${pid}/stat`, 'utf8');
        const [, ppid] = status.slice(status.lastIndexOf(')') + 2).split(' ');
        return Number(ppid) === parent ? [await readFile(`/proc/${pid}/cmdline`, 'utf8')] : [];
      } catch {
        return []; // it has just ended
      }
    }),
  );
  return titles.flat();
}

async function titlesByPs(parent: number): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axww', '-o', 'ppid=,command=']);
  return stdout.split('\n').flatMap((line) => {
    const [, ppid, title] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
    return Number(ppid) === parent && title !== undefined ? [title] : [];
  });
}
