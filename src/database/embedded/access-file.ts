import { randomBytes } from 'node:crypto';
import { chown, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { errorCode } from './error.ts';

/** The content of DATA_DIR/postgres.json (mode 0600): the server's port and password. */
const accessSchema = z.object({ port: z.int(), password: z.string().regex(/^[A-Za-z0-9_-]+$/) });
export type Access = z.infer<typeof accessSchema>;

const pathIn = (dataDir: string): string => join(dataDir, 'postgres.json');

export async function readAccess(dataDir: string): Promise<Access | undefined> {
  try {
    return accessSchema.parse(JSON.parse(await readFile(pathIn(dataDir), 'utf8')));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Replaces the file as a whole. The folder's owner will own it, so that a start by root does not lock an ordinary user out. */
export async function writeAccess(dataDir: string, access: Access): Promise<void> {
  const path = pathIn(dataDir);
  await writeFile(`${path}.new`, `${JSON.stringify(access)}\n`, { mode: 0o600, flush: true });
  await giveToOwnerOf(dataDir, `${path}.new`);
  await rename(`${path}.new`, path);
}

export async function giveToOwnerOf(folder: string, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  await chown(path, uid, gid);
}

export const newPassword = (): string => randomBytes(24).toString('base64url');

/** Returns `preferred` if it is free, else a free port below the range for outgoing connections (32768 and up). */
export async function freePort(preferred: number | undefined): Promise<number> {
  for (let candidate = preferred; ; candidate = undefined) {
    const port = candidate ?? 20_000 + (randomBytes(2).readUInt16BE() % 12_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (error) => (errorCode(error) === 'EADDRINUSE' ? resolve(false) : reject(error)));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
