import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseNote, parseVerifier, signatureBy } from '../../src/proof/signed-note.ts';
import { administer } from '../support/administer.ts';
import { growingLog } from '../support/growing-log.ts';
import { ROOT } from '../support/source-files.ts';

/** `botledger witness` as a separate OS process, over HTTP. */

const log = growingLog();
let folder: string;
let keyFile: string;
let verifierKey: string;
const started: Witness[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'witness-'));
  keyFile = join(folder, '..', `${folder.split('/').at(-1)}.key`);
  const made = await administer({})('audit', 'make-key', '--witness', '--name', 'witness.test/w', '--output', keyFile);
  verifierKey = made.verifier_key;
});
afterEach(async () => {
  for (const { kill } of started.splice(0)) await kill();
  await rm(folder, { recursive: true });
  await rm(keyFile);
});

interface Witness {
  readonly child: ChildProcess;
  readonly address: string;
  readonly lines: () => string;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

function run(...options: string[]) {
  const program = join(ROOT, 'src/app/cli-main.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', program, 'witness', ...options], { cwd: ROOT });
  let lines = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    lines += text;
  });
  return { child, ended: once(child, 'close'), lines: () => lines };
}

const optionsOf = () => ['--key', keyFile, '--state', folder, '--log', log.signer.verifierKey];

async function start(): Promise<Witness> {
  const { child, ended, lines } = run('--listen', '127.0.0.1:0', ...optionsOf());
  await expect.poll(() => child.exitCode !== null || lines().includes('its verifier key is')).toBe(true);
  const [, address] = /listens on (\S+);/.exec(lines()) ?? [];
  if (address === undefined) throw new Error(lines());
  const witness: Witness = {
    child,
    address,
    lines,
    async kill(signal = 'SIGKILL') {
      child.kill(signal);
      await ended;
    },
  };
  started.push(witness);
  return witness;
}

const post = (address: string, body: string): Promise<Response> =>
  fetch(`${address}/add-checkpoint`, { method: 'POST', body });

/** The size that the witness has cosigned last. */
async function sizeAt(address: string): Promise<number> {
  // An old size that it never has, so that it answers with its own.
  const answer = await post(address, await log.request(699, 700));
  expect(answer.status).toBe(409);
  expect(answer.headers.get('content-type')).toBe('text/x.tlog.size');
  return Number(await answer.text());
}

describe('a witness', () => {
  it('cosigns over HTTP, keeps what it saw, and refuses a fork and says so', async () => {
    const { address, lines, kill } = await start();
    const answer = await post(address, await log.request(0, 5));
    expect(answer.status).toBe(200);
    const note = parseNote((await log.checkpoint(5)) + (await answer.text()))!;
    expect(signatureBy(note, parseVerifier(verifierKey, 'witness')!)).toBeDefined();
    expect(await sizeAt(address)).toBe(5);
    expect((await post(address, await growingLog(3).request(5, 9))).status).toBe(422);
    const fork = await post(address, await growingLog(3).request(5, 5));
    expect([fork.status, await fork.text()]).toEqual([409, '5\n']);
    expect(lines()).toMatch(
      /REFUSED, perhaps a fork of the log: the log has signed another tree of size 5; the checkpoint was/,
    );
    await kill('SIGTERM');
    const [file] = await readdir(folder);
    expect(await readFile(join(folder, file!), 'utf8')).toBe(await log.checkpoint(5));
  });

  it('answers other requests in one sentence', async () => {
    const { address } = await start();
    const statusOf = async (path: string, init: RequestInit) => (await fetch(address + path, init)).status;
    expect(await statusOf('/', {})).toBe(404);
    expect(await statusOf('/add-checkpoint', {})).toBe(405);
    expect(await statusOf('/add-checkpoint', { method: 'POST', body: 'x'.repeat(1_000_000) })).toBe(413);
    const bad = await post(address, 'old 1\n');
    expect([bad.status, await bad.text()]).toEqual([400, expect.stringMatching(/^the body must be [^\n]+\n$/)]);
    expect((await post(address, await growingLog(0, 'other.test').request(0, 1))).status).toBe(404);
  });

  it('is never behind an answer that it gave, when it is killed at any moment', async () => {
    let answered = 0;
    // On a busy machine the first rounds end before an answer.
    for (let round = 0; round < 10 || answered <= 10; round++) {
      const { address, kill } = await start();
      let size = await sizeAt(address);
      expect(size).toBeGreaterThanOrEqual(answered);
      const killing = new Promise<void>((resolve) => setTimeout(() => resolve(kill()), 20 + 17 * round));
      // Requests without end: the kill ends them.
      try {
        for (; size < 690; size++) {
          const answer = await post(address, await log.request(size, size + 1));
          expect(answer.status).toBe(200);
          await answer.text();
          answered = size + 1;
        }
      } catch (error) {
        expect((error as Error).message).toMatch(/fetch failed|terminated/);
      }
      await killing;
    }
    expect(answered).toBeGreaterThan(10);
  });

  it('decides on requests that arrive together one after the other', async () => {
    const { address } = await start();
    await post(address, await log.request(0, 5));
    const answers = await Promise.all([6, 7, 8, 9].map(async (to) => post(address, await log.request(5, to))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });
});

it('a second witness does not start on the folder of the first, but does after a kill', async () => {
  const { address, kill } = await start();
  await post(address, await log.request(0, 5));
  const second = run('--listen', '127.0.0.1:0', ...optionsOf());
  await second.ended;
  expect(second.child.exitCode).toBe(1);
  expect(second.lines()).toMatch(/^botledger: another witness uses the folder \S+; stop it, or name another folder\n$/);
  await kill();
  const next = await start();
  expect(await sizeAt(next.address)).toBe(5);
});

it('bad input gets one sentence and exit 1', async () => {
  const refused = async (...options: string[]): Promise<string> => {
    const { child, ended, lines } = run(...options);
    await ended;
    expect(child.exitCode, options.join(' ')).toBe(1);
    return lines();
  };
  const listen = ['--listen', '127.0.0.1:0'];
  expect(await refused(...optionsOf(), '--listen', 'here')).toMatch(
    /^botledger: --listen must be <host>:<port>[^\n]*\n$/,
  );
  expect(await refused(...listen, ...optionsOf().with(1, '/no/key'))).toMatch(/--key: failed to read/);
  expect(await refused(...listen, ...optionsOf().with(3, '/no/folder'))).toMatch(/there is no folder \/no\/folder/);
  expect(await refused(...listen, ...optionsOf().with(5, verifierKey))).toMatch(/is no verifier key of a log/);
  await writeFile(keyFile, 'PRIVATE+KEY+x');
  expect(await refused(...listen, ...optionsOf())).toMatch(/must have one line PRIVATE\+KEY/);
});

it('a file of state that is damaged keeps the witness from starting', async () => {
  const { address, kill } = await start();
  await post(address, await log.request(0, 5));
  await kill();
  const [file] = await readdir(folder);
  await writeFile(join(folder, file!), '');
  await expect(start()).rejects.toThrow(/is not the checkpoint of log\.test\/log that was cosigned last/);
});
