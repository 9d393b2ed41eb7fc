import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliContext } from '../../../src/app/cli-context.ts';
import { runCli } from '../../../src/cli/cli-program.ts';
import { createUnit } from '../../../src/commands/catalog/units.ts';
import { COSIGNATURES_STREAM } from '../../../src/domain/streams.ts';
import { parseCheckpoint } from '../../../src/proof/checkpoint-text.ts';
import { type Note, parseNote, parseVerifier, signatureBy } from '../../../src/proof/signed-note.ts';
import { quorumState } from '../../../src/queries/proof/last-checkpoint.ts';
import { pause } from '../../../src/util/pause.ts';
import { administer } from '../../support/administer.ts';
import { fillAccount, REFERRER } from '../../support/fill-accounts.ts';
import { type ProofService, startProofService } from '../../support/proof-service.ts';
import { ROOT } from '../../support/source-files.ts';
import { startTestWitness, type TestWitness } from '../../support/test-witness.ts';

/** A service whose policy has two witnesses; one of them does not run for a time. */

const runFile = promisify(execFile);
let folder: string;
let proofs: ProofService;
let bot: string;
let alpha: TestWitness;
let beta: TestWitness;
let policyOf: (quorum: string) => string;
const key: Record<string, string> = {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'witnesses-'));
  proofs = await startProofService(async (keys) => {
    alpha = await startTestWitness('alpha', keys);
    beta = await startTestWitness('beta', keys);
    await beta.kill();
    policyOf = (quorum) =>
      [alpha.policyLine, beta.policyLine, 'group both all alpha beta', `quorum ${quorum}`, ''].join('\n');
    const policy = join(folder, 'policy');
    await writeFile(policy, policyOf('both'));
    return { WITNESS_POLICY: policy };
  });
  const made = await proofs.service.createBot({ kind: 'owner' });
  bot = made.publicKey;
  key['api-key'] = made.apiKey;
  await createUnit(proofs.service.commands, { bot, code: 'GEM', name: 'Gems', scale: 1 });
  await proofs.service.post('/v1/send-event', [{ event: 'order', user_id: 7 }], key);
  await proofs.service.projected();
  await fillAccount(
    proofs.service,
    made,
    async (path, body) => (await proofs.service.post(`/v1/${path}`, body, key)).body,
  );
  await proofs.signed();
});
afterAll(async () => {
  await proofs.stop();
  await Promise.all([alpha.stop(), beta.stop()]);
  await rm(folder, { recursive: true });
});

async function served(): Promise<Note> {
  const answer = await fetch(`${proofs.service.address}/checkpoint`);
  return parseNote(await answer.text())!;
}

const isCosignedBy = (note: Note, witness: TestWitness): boolean =>
  signatureBy(note, parseVerifier(witness.verifierKey, 'witness')!) !== undefined;

const sizeOf = (note: Note): number => parseCheckpoint(note.text)!.size;

interface Verifier {
  verify(text: string): Promise<{ readonly witnesses: readonly string[] }>;
}
const matching = (pattern: RegExp) => expect.stringMatching(pattern);

let files = 0;

/** The output of verify.mjs about a new proof file of the referrer. */
async function verified(...options: string[]): Promise<string> {
  const file = join(folder, `${files++}.json`);
  const { env } = proofs.service;
  await administer(env)('audit', 'prove', '--bot', bot, '--user', String(REFERRER), '--output', file);
  const ran = runFile('node', [join(ROOT, 'bin/verify.mjs'), file, ...options]);
  return ran.then(({ stdout }) => stdout).catch((error: { stderr: string }) => error.stderr);
}

describe('with one of two witnesses dead', () => {
  it('serves the checkpoint with the cosignature of the other, and no writer waits', async () => {
    await expect.poll(async () => isCosignedBy(await served(), alpha)).toBe(true);
    expect(isCosignedBy(await served(), beta)).toBe(false);
    expect((await proofs.service.post('/v1/send-event', [{ event: 'a', user_id: 1 }], key)).body).toEqual({ ok: true });
  });

  it('names the dead witness to operators, and that there was no quorum', async () => {
    const list = async () => (await administer(proofs.service.env)('projection', 'list')) as Record<string, unknown>[];
    const error = async () => String((await list()).find(({ name }) => name === 'witnesses')?.['error']);
    await expect.poll(error).toMatch(/witness beta: the call failed: ECONNREFUSED/);
    const { reachedAt, unwitnessed } = (await quorumState(proofs.service.database.pool))!;
    expect(reachedAt).toBeNull();
    expect(unwitnessed).toBeGreaterThan(0);
    const metrics = await (await fetch(`${proofs.service.address}/metrics`)).text();
    expect(metrics).toMatch(/^botledger_proof_unwitnessed_checkpoints [1-9]/m);
    expect(metrics).not.toMatch(/^botledger_proof_quorum_age_seconds \d/m);
  });

  it('gives proofs, which a reader who insists on both refuses', async () => {
    await writeFile(join(folder, 'both'), policyOf('both'));
    await writeFile(join(folder, 'alpha'), policyOf('alpha'));
    await expect.poll(() => verified()).toMatch(/Cosigned by alpha at 20\d\d-[\dT:.-]+Z, as the file names them/);
    await expect.poll(() => verified('--policy', join(folder, 'alpha'))).toContain('Your policy is met.');
    expect(await verified('--policy', join(folder, 'both'))).toBe(
      'NOT VALID: the checkpoint lacks cosignatures that the policy asks for\n',
    );
  });
});

describe('when the dead witness has started', () => {
  beforeAll(() => beta.start());

  it('gets its cosignature from the size that it knows, and the quorum is reached', async () => {
    await expect.poll(async () => isCosignedBy(await served(), beta)).toBe(true);
    await expect.poll(async () => (await quorumState(proofs.service.database.pool))!.reachedAt).not.toBeNull();
    await expect
      .poll(async () => (await fetch(`${proofs.service.address}/metrics`)).text())
      .toMatch(/^botledger_proof_quorum_age_seconds \d/m);
    await expect.poll(() => verified('--policy', join(folder, 'both'))).toMatch(/alpha.*beta.*met\./);
  });

  it('has proofs in which every byte of a cosignature counts', async () => {
    const file = join(folder, 'whole.json');
    const { env } = proofs.service;
    const { verify }: Verifier = await import(join(ROOT, 'bin/verify.mjs'));
    // The last checkpoint may be seconds old, and not cosigned yet.
    await expect
      .poll(async () => {
        await rm(file, { force: true });
        await administer(env)('audit', 'prove', '--bot', bot, '--user', String(REFERRER), '--output', file);
        return JSON.parse(await readFile(file, 'utf8')).policy;
      })
      .toContain('quorum both');
    const proof = JSON.parse(await readFile(file, 'utf8')) as { checkpoint: string };
    const start = proof.checkpoint.indexOf('— alpha.test/w ');
    const changes = [0, 5, 16, 24, 30, 60, 100, 120].map((at) => start + at);
    for (const at of changes) {
      const letter = proof.checkpoint[at] === 'B' ? 'C' : 'B';
      const checkpoint = proof.checkpoint.slice(0, at) + letter + proof.checkpoint.slice(at + 1);
      await expect(verify(JSON.stringify({ ...proof, checkpoint })), `${at - start}`).rejects.toThrow();
    }
    await expect(verify(JSON.stringify(proof))).resolves.toMatchObject({
      witnesses: [/^alpha/, /^beta/].map(matching),
    });
  });

  it('is what audit verify says of each witness', async () => {
    let notes = '';
    const code = await runCli(['audit', 'verify', '--no-record'], {
      examine: async () => [],
      planUpgrade: () => Promise.reject(new Error('no upgrade is asked for')),
      withContext: cliContext(proofs.service.env),
      stdout: () => {},
      stderr: (text) => {
        notes += text;
      },
    });
    expect(notes).toMatch(
      /; witness alpha last saw checkpoint \d+ of \d+; witness beta last saw checkpoint \d+ of \d+\n/,
    );
    expect(code).toBe(0);
  });

  it('makes no checkpoint of cosignatures only', async () => {
    await proofs.signed();
    await expect.poll(async () => isCosignedBy(await served(), alpha) && isCosignedBy(await served(), beta)).toBe(true);
    const size = sizeOf(await served());
    const { head } = await proofs.service.log.read(COSIGNATURES_STREAM);
    await pause(3000); // three times the time between checkpoints
    expect(sizeOf(await served())).toBe(size);
    expect((await proofs.service.log.read(COSIGNATURES_STREAM)).head).toEqual(head);
  });

  it('has all cosignatures again after all but the log was dropped', async () => {
    const before = await served();
    await proofs.service.restart(() => proofs.service.dropDerived());
    await expect.poll(async () => (await fetch(`${proofs.service.address}/checkpoint`)).status).toBe(200);
    const { rows } = await proofs.service.database.pool.query(
      "SELECT note || string_agg(lines, '' ORDER BY revision) AS note FROM proof.checkpoints JOIN proof.cosignatures ON n = size - 1 WHERE size = $1 GROUP BY note",
      [sizeOf(before)],
    );
    expect(parseNote(rows[0].note)).toEqual(before);
  });
});
