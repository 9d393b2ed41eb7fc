import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkReceipt } from '../../../src/administration/proof/check-receipt.ts';
import { sha256 } from '../../../src/proof/merkle-tree.ts';
import { parseReceipt, receiptText } from '../../../src/proof/receipt.ts';
import { parseNote, signNote } from '../../../src/proof/signed-note.ts';
import { administer } from '../../support/administer.ts';
import { readAll } from '../../support/log.ts';
import { type ProofService, startProofService } from '../../support/proof-service.ts';
import type { Answer, TestBot } from '../../support/service.ts';
import { ROOT } from '../../support/source-files.ts';

const run = promisify(execFile);
let proofs: ProofService;
let bot: TestBot;
beforeAll(async () => {
  proofs = await startProofService();
  bot = await proofs.service.createBot();
});
afterAll(() => proofs.stop());

const EVENT = JSON.stringify([{ event: 'order', user_id: 7 }]);
const send = (headers = {}, path = 'send-event', body: unknown = EVENT): Promise<Answer> =>
  proofs.service.post(`/v1/${path}`, body, { 'api-key': bot.apiKey, ...headers });
const SIGNED = { receipt: 'signed' };
const promiseOf = (answer: Answer) => parseReceipt(parseNote(answer.body.receipt)!.text)!;

async function fileOf(note: string): Promise<string> {
  const file = join(proofs.folder, `${sha256(note).subarray(0, 8).join('-')}.receipt`);
  await writeFile(file, note);
  return file;
}

const audit = (file: string, ...more: string[]) =>
  administer({ ...proofs.service.env, PROOF: 'on', CHECKPOINT_KEY: proofs.keyFile })('audit', 'receipt', file, ...more);

/** As the audit of the file answers on that day. */
function checkedAt(now: number, note: string) {
  const context = { pool: proofs.service.database.pool, keys: proofs.keys, formerKeys: [] };
  return checkReceipt({ ...context, now: () => now }, note);
}

describe('intake', () => {
  it('answers a signed promise for exactly the stored commit, if it is asked to', async () => {
    const answer = await send(SIGNED);
    const { position, commit, request, at, dueAt, origin } = promiseOf(answer);
    expect(origin).toBe('ledger.test/log');
    expect(Buffer.from(request)).toEqual(Buffer.from(sha256(EVENT)));
    expect(dueAt - at).toBe(63_000);
    const { rows } = await proofs.service.database.pool.query<{ body: string }>(
      `SELECT body FROM log.commits WHERE sha256(convert_to(body, 'UTF8')) = $1`,
      [commit],
    );
    expect(rows).toHaveLength(1);
    const stored = (await readAll(proofs.service.log)).find((each) => each.position === position);
    expect(stored?.id).toBe(JSON.parse(rows[0]!.body).id);
    expect((await send()).body).toEqual({ ok: true });
  });

  it('gives a repeat the receipt of the first commit', async () => {
    const key = { 'idempotency-key': 'one' };
    await send(key);
    const [first, second] = [await send({ ...SIGNED, ...key }), await send({ ...SIGNED, ...key })];
    expect(promiseOf(second)).toMatchObject({ position: promiseOf(first).position, commit: promiseOf(first).commit });
    await proofs.signed();
    expect(await checkedAt(0, second.body.receipt)).toMatchObject({ state: 'kept' });
  });

  it('signs nothing for updates of which nothing is kept, and refuses another header', async () => {
    const update = { update: { update_id: 1, poll: {} } };
    expect((await send(SIGNED, 'send-update', update)).body).toEqual({ ok: true, receipt: null });
    const intake = async () =>
      (await readAll(proofs.service.log)).filter(({ stream }) => stream.startsWith('intake-')).length;
    const before = await intake();
    const refused = await send({ receipt: 'please' });
    expect(refused).toMatchObject({ status: 400, body: { details: [{ path: 'Receipt' }] } });
    expect(await intake()).toBe(before);
  });
});

describe('botledger audit receipt', () => {
  it('finds a kept promise, also at another position after a copy of the log', async () => {
    const note: string = (await send(SIGNED)).body.receipt;
    await proofs.signed();
    const found = await audit(await fileOf(note));
    expect(found).toMatchObject({ state: 'kept', tree: 0, position: parseReceipt(parseNote(note)!.text)!.position });
    const moved = receiptText({ ...parseReceipt(parseNote(note)!.text)!, position: '0:zzz' });
    expect(await checkedAt(0, signNote(moved, proofs.keys.signers))).toMatchObject({
      state: 'kept',
      leaf: { index: found.index },
    });
  });

  it('finds a commit that was withheld, once the promise is due', async () => {
    const promised = promiseOf(await send(SIGNED));
    const note = signNote(receiptText({ ...promised, commit: sha256('withheld') }), proofs.keys.signers);
    expect(await checkedAt(promised.dueAt - 1, note)).toMatchObject({ state: 'open', leaf: null });
    expect(await checkedAt(promised.dueAt, note)).toMatchObject({ state: 'broken', leaf: null });
    const past = signNote(receiptText({ ...promised, commit: sha256('withheld'), dueAt: 1 }), proofs.keys.signers);
    await expect(audit(await fileOf(past))).rejects.toThrow(/the promise is broken/);
  });

  it('takes no receipt that was changed, or is none', async () => {
    const note: string = (await send(SIGNED)).body.receipt;
    await expect(audit(await fileOf(note.replace(/^due .*/m, 'due 9')))).rejects.toThrow(/not signed by a key/);
    await expect(audit(await fileOf('x'))).rejects.toThrow(/no receipt/);
  });
});

it('verify-receipt.mjs checks the signature and the body without the service', async () => {
  const note: string = (await send(SIGNED)).body.receipt;
  const body = join(proofs.folder, 'body.json');
  await writeFile(body, EVENT);
  const key = proofs.keys.signers[0]!.verifierKey;
  const verify = (file: string, ...more: string[]) =>
    run('node', [join(ROOT, 'bin/verify-receipt.mjs'), file, '--log-key', key, ...more]);
  expect((await verify(await fileOf(note), '--body', body)).stdout).toMatch(/^VALID: ledger\.test\/log has promised/);
  await writeFile(body, '[]');
  const problem = (stderr: string) => ({ code: 1, stderr: expect.stringContaining(stderr) });
  await expect(verify(await fileOf(note), '--body', body)).rejects.toMatchObject(problem('another body'));
  const changed = await fileOf(note.replace(/^due .*/m, 'due 9'));
  await expect(verify(changed)).rejects.toMatchObject(problem('the signature of ledger.test/log is wrong'));
});
