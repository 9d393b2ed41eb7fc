import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Kept, QueueSpool, Spool } from './spooled.ts';

/** For Node.js, Deno and Bun: the client itself needs no file system. */

export interface FolderSpoolOptions {
  /** Bytes that all items of a queue may take. Default 64 MiB. */
  readonly maxBytes?: number;
}

const STUCK = 'failed to delete from the spool; the next start sends these items again, and they count once';
/** A file has so many items at most. It is deleted when all of them have their outcome. */
const FILE_ITEMS = 1000;

/** Folders that queues of this program use. */
const inUse = new Set<string>();

/**
 * Keeps the items of queues in a folder, so that a kill of the program does not lose them. One program uses a folder at a time.
 * Files are written without fsync: a power failure may lose the last seconds.
 * @throws RangeError if `maxBytes` is no positive number
 */
export function folderSpool(folder: string, { maxBytes = 64 * 1024 * 1024 }: FolderSpoolOptions = {}): Spool {
  if (!(maxBytes > 0)) throw new RangeError('maxBytes must be more than 0');
  return { open: (name) => openQueue(resolve(folder, name), maxBytes) };
}

interface File {
  readonly path: string;
  /** The descriptor while items are added; null afterwards. */
  descriptor: number | null;
  items: number;
  /** Items without an outcome. */
  left: number;
}

/** @throws Error if the folder cannot be read, or another queue of this program uses it */
function openQueue(folder: string, maxBytes: number): QueueSpool {
  if (inUse.has(folder)) throw new Error(`the spool ${folder} is in use by another queue of this program`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  inUse.add(folder);
  let bytes = 0;
  let current: File | null = null;
  let isFailing = false;
  let isStuck = false;

  function keptIn(file: File, text: string): Kept {
    const size = Buffer.byteLength(text) + 1;
    bytes += size;
    file.left++;
    return {
      text,
      isOnDisk: true,
      release() {
        bytes -= size;
        if (--file.left > 0) return;
        try {
          if (file === current) seal();
          rmSync(file.path, { force: true });
        } catch (error) {
          if (!isStuck) console.error(`botledger: ${STUCK}`, error);
          isStuck = true;
        }
      },
    };
  }

  /** Ends the current file: the next item begins another. */
  function seal(): void {
    const descriptor = current?.descriptor ?? null;
    current = null;
    if (descriptor !== null) closeSync(descriptor);
  }

  function append(text: string): Kept {
    if (current !== null && current.items >= FILE_ITEMS) seal();
    current ??= createFile(folder);
    const file = current;
    file.items++;
    const line = Buffer.from(`${text}\n`);
    if (writeSync(file.descriptor!, line) < line.length) throw new Error('the line was written in part');
    return keptIn(file, text);
  }

  return {
    left: namesIn(folder).flatMap((name) => {
      const path = join(folder, name);
      const lines = linesOf(path);
      if (lines.length === 0) rmSync(path);
      const file = { path, descriptor: null, items: lines.length, left: 0 };
      return lines.map((text) => keptIn(file, text));
    }),
    keep(text) {
      if (bytes + Buffer.byteLength(text) + 1 > maxBytes) return null;
      try {
        const kept = append(text);
        isFailing = false;
        return kept;
      } catch (error) {
        if (!isFailing) console.error('botledger: failed to write to the spool; items are in memory only', error);
        isFailing = true;
        // A line that was cut stays the last one of its file.
        seal();
        return { text, isOnDisk: false, release() {} };
      }
    },
    close() {
      seal();
      inUse.delete(folder);
    },
  };
}

function linesOf(path: string): string[] {
  // A kill may have cut the last line: its item was not taken.
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  const whole = lines.filter(isObject);
  const damaged = lines.length - whole.length;
  if (damaged > 0) console.error(`botledger: left out ${damaged} damaged lines of ${path}`);
  return whole;
}

function isObject(line: string): boolean {
  try {
    const item: unknown = JSON.parse(line);
    return typeof item === 'object' && item !== null;
  } catch {
    return false;
  }
}

const namesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => /^\d+\.ndjson$/.test(name))
    .sort();

/** Makes a file that no other program has: its number is one higher than the last one's. */
function createFile(folder: string): File {
  const last = namesIn(folder).at(-1) ?? '0';
  for (let number = Number.parseInt(last, 10) + 1; ; number++) {
    const path = join(folder, `${String(number).padStart(12, '0')}.ndjson`);
    try {
      return { path, descriptor: openSync(path, 'wx', 0o600), items: 0, left: 0 };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
