import { createHash } from 'node:crypto';
import { open, readFile, rename, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type FolderLock, lockFolder } from '../../database/embedded/folder-lock.ts';
import { type Cosigning, decideCosigning, SIZE_TYPE } from '../../proof/add-checkpoint.ts';
import { type Checkpoint, parseCheckpoint } from '../../proof/checkpoint-text.ts';
import { type NoteSigner, type NoteVerifier, parseNote } from '../../proof/signed-note.ts';

export interface WitnessOptions {
  readonly signer: NoteSigner;
  /** The keys of the logs that it cosigns for. */
  readonly logs: readonly NoteVerifier[];
  /** Holds the last cosigned checkpoint of each log. Only one witness uses it: a lock holds that. */
  readonly folder: string;
  readonly host: string;
  readonly port: number;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Writes a line for a person. */
  readonly notice: (line: string) => void;
}

export interface RunningWitness {
  /** `http://host:port` */
  readonly address: string;
  stop(): Promise<void>;
}

/** A proof of 63 hashes and a checkpoint with many signatures. */
const MAX_BODY_BYTES = 16 * 1024;
const BODY_WITHIN_MS = 10_000;
/** The lock of a witness that was killed is free after a moment. */
const LOCK_WITHIN_MS = 2000;

/**
 * Cosigns checkpoints (C2SP tlog-witness). It decides on one request at a time, and stores a checkpoint before it answers: after
 * a kill it never signs a tree that does not begin with each tree that it has signed before.
 * @throws Error another witness uses the folder, it fails to read a file of the folder, or to listen
 */
export async function startWitness(options: WitnessOptions): Promise<RunningWitness> {
  const { folder } = options;
  const lock = await lockFolder(folder, 'witness', LOCK_WITHIN_MS);
  if (lock === undefined) throw new Error(`another witness uses the folder ${folder}; stop it, or name another folder`);
  try {
    return await startWith(options, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function startWith(options: WitnessOptions, lock: FolderLock): Promise<RunningWitness> {
  const { logs, folder, host, port } = options;
  for (const { name } of logs) await readSeen(folder, name);
  let turn: Promise<unknown> = Promise.resolve();
  const server = createServer({ requestTimeout: BODY_WITHIN_MS, connectionsCheckingInterval: 1000 });
  server.on('request', (request, response) => {
    const answered = bodyOf(request).then((body) => {
      const decided = turn.then(() => answer(options, request, body, response));
      turn = decided.catch(() => {}); // the next request does not depend on this one
      return decided;
    });
    answered.catch((error: Error) => {
      options.notice(`failed to answer a request: ${error.message}`);
      if (!response.headersSent) response.writeHead(500).end('the witness failed; ask again later\n');
    });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  const { address, family, port: listening } = server.address() as AddressInfo;
  return {
    address: `http://${family === 'IPv6' ? `[${address}]` : address}:${listening}`,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await closed;
      await turn;
      await lock.release();
    },
  };
}

/** The body; null: it is too long. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return size > MAX_BODY_BYTES ? null : Buffer.concat(chunks).toString();
}

async function answer(
  options: WitnessOptions,
  request: IncomingMessage,
  body: string | null,
  response: ServerResponse,
): Promise<void> {
  const { signer, logs, folder, now, notice } = options;
  const refuse = (status: number, text: string, type = 'text/plain; charset=utf-8'): void =>
    void response.writeHead(status, { 'content-type': type }).end(`${text}\n`);
  if (request.url !== '/add-checkpoint') return refuse(404, 'there is only POST /add-checkpoint');
  if (request.method !== 'POST') return refuse(405, 'there is only POST /add-checkpoint');
  if (body === null) return refuse(413, `the body is longer than ${MAX_BODY_BYTES} bytes`);
  const seen = new Map<string, Checkpoint | null>();
  for (const { name } of logs) seen.set(name, await readSeen(folder, name));
  const decided = decideCosigning(body, logs, (origin) => seen.get(origin) ?? null);
  if (decided.status === 200) {
    await storeSeen(folder, decided.checkpoint.origin, body.slice(body.indexOf('\n\n') + 2));
    const line = signer.signatureLine(decided.text, Math.floor(now() / 1000));
    notice(`cosigned ${decided.checkpoint.origin} of size ${decided.checkpoint.size}`);
    return void response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(line);
  }
  if (isRefusal(decided))
    notice(`REFUSED, perhaps a fork of the log: ${sentenceOf(decided)}; the checkpoint was ${shownNote(body)}`);
  return decided.status === 409
    ? refuse(409, String(decided.size), SIZE_TYPE)
    : refuse(decided.status, sentenceOf(decided));
}

/** Strangers can repeat a public checkpoint with a wrong proof, so a refusal is short. */
const MOST_SHOWN = 2000;

function shownNote(body: string): string {
  return JSON.stringify(body.slice(body.indexOf('\n\n') + 2).slice(0, MOST_SHOWN));
}

type Refused = Exclude<Cosigning, { status: 200 }>;

/** Whether the log has signed a tree that contradicts the one that was seen. */
function isRefusal(decided: Refused): boolean {
  return decided.status === 409 ? decided.isFork : decided.status === 422;
}

function sentenceOf(decided: Refused): string {
  return decided.status === 409 ? `the log has signed another tree of size ${decided.size}` : decided.error;
}

/** A name of a log may have any letters, so the file has its hash; the file's first line is the name. */
function fileOf(folder: string, origin: string): string {
  return join(folder, `${createHash('sha256').update(origin).digest('hex').slice(0, 32)}.checkpoint`);
}

/** Reads the checkpoint that was cosigned last; null: none was. @throws Error never taken for "none" */
async function readSeen(folder: string, origin: string): Promise<Checkpoint | null> {
  const file = fileOf(folder, origin);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new Error(`failed to read ${file}: ${error.message}`);
  });
  if (text === null) return null;
  const checkpoint = parseCheckpoint(parseNote(text)?.text ?? '');
  if (checkpoint?.origin !== origin)
    throw new Error(`${file} is not the checkpoint of ${origin} that was cosigned last`);
  return checkpoint;
}

/** When it resolves, the checkpoint survives a kill and an outage of power. */
async function storeSeen(folder: string, origin: string, note: string): Promise<void> {
  const file = fileOf(folder, origin);
  await writeFile(`${file}.new`, note, { flush: true });
  await rename(`${file}.new`, file);
  const directory = await open(folder, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
