import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkReceipt } from '../../src/administration/proof/check-receipt.ts';
import { textOf } from '../../src/log/commit-codec.ts';
import { sha256 } from '../../src/proof/merkle-tree.ts';
import { parseReceipt, receiptText } from '../../src/proof/receipt.ts';
import { parseNote, signNote } from '../../src/proof/signed-note.ts';
import { administer } from '../support/administer.ts';
import type { TestEngine } from '../support/engines.ts';
import { startEventStore } from '../support/eventstore-server.ts';
import { startKafkaBroker } from '../support/kafka-broker.ts';
import { readAll } from '../support/log.ts';
import { type ProofService, startProofService } from '../support/proof-service.ts';
import type { TestBot } from '../support/service.ts';

/** Receipts of intake on the validated logs, whose positions a writer knows only after its append. */

const broker = await startKafkaBroker();
const eventStore = await startEventStore();
afterAll(async () => {
  await broker?.stop();
  await eventStore.stop();
});

const EVENT = JSON.stringify([{ event: 'order', user_id: 7 }]);
const promiseOf = (note: string) => parseReceipt(parseNote(note)!.text)!;

function describeReceipts(engine: () => TestEngine): void {
  let proofs: ProofService;
  let bot: TestBot;
  beforeAll(async () => {
    proofs = await startProofService(undefined, engine());
    bot = await proofs.service.createBot();
  });
  afterAll(() => proofs.stop());

  async function receipt(more: Record<string, string> = {}): Promise<string> {
    const headers = { 'api-key': bot.apiKey, receipt: 'signed', ...more };
    const { status, body } = await proofs.service.post('/v1/send-event', EVENT, headers);
    expect(status).toBe(200);
    return body.receipt;
  }
  const checkedAt = (now: number, note: string) =>
    checkReceipt({ pool: proofs.service.database.pool, keys: proofs.keys, formerKeys: [], now: () => now }, note);

  it('promise the stored bytes at their position, and the trees have them', async () => {
    const note = await receipt();
    const { position, commit } = promiseOf(note);
    const stored = (await readAll(proofs.service.log)).find((each) => each.position === position);
    expect(Buffer.from(sha256(textOf(stored!)))).toEqual(Buffer.from(commit));
    await proofs.signed();
    const file = join(proofs.folder, 'kept.receipt');
    await writeFile(file, note);
    const env = { ...proofs.service.env, PROOF: 'on', CHECKPOINT_KEY: proofs.keyFile };
    expect(await administer(env)('audit', 'receipt', file)).toMatchObject({ state: 'kept', position });
  });

  it('of a repeat promise the first commit', async () => {
    const key = { 'idempotency-key': 'one' };
    const [first, second] = [await receipt(key), await receipt(key)].map(promiseOf);
    expect(second).toMatchObject({ position: first!.position, commit: first!.commit });
  });

  it('of withheld commits are broken once they are due', async () => {
    const promised = promiseOf(await receipt());
    const note = signNote(receiptText({ ...promised, commit: sha256('withheld') }), proofs.keys.signers);
    await proofs.signed();
    expect(await checkedAt(promised.dueAt - 1, note)).toMatchObject({ state: 'open', leaf: null });
    expect(await checkedAt(promised.dueAt, note)).toMatchObject({ state: 'broken', leaf: null });
  });
}

describe.skipIf(broker === null)('receipts on Kafka', () => describeReceipts(() => broker!.env));
describe(`receipts on EventStoreDB (${eventStore.kind})`, () => describeReceipts(() => eventStore.env));
