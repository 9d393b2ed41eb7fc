import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStatement } from '../../../src/administration/statement/open-statement.ts';
import { issueKey } from '../../../src/commands/catalog/keys.ts';
import { createUnit } from '../../../src/commands/catalog/units.ts';
import { createAccounts } from '../../../src/commands/referral/accounts.ts';
import { accrueRewards } from '../../../src/commands/referral/accrue-rewards.ts';
import { createReader } from '../../../src/projections/reader.ts';
import { MANIFESTS } from '../../../src/projections/registry.ts';
import { findBot } from '../../../src/queries/catalog/bots.ts';
import { item } from '../../support/account-samples.ts';
import { administer } from '../../support/administer.ts';
import { fillAccount, REFERRER } from '../../support/fill-accounts.ts';
import { type ProofService, startProofService } from '../../support/proof-service.ts';
import { type ReadPdf, readCode, readPdf } from '../../support/read-pdf.ts';
import type { Answer, TestBot, TestService } from '../../support/service.ts';
import { ROOT } from '../../support/source-files.ts';

const { verify } = await import(join(ROOT, 'bin/verify.mjs'));

const UNIT = 'Очки Δ ქართული';
let proofs: ProofService;
let service: TestService;
let bot: TestBot;
let serviceKey: string;

beforeAll(async () => {
  proofs = await startProofService();
  service = proofs.service;
  bot = await service.createBot({ kind: 'owner' });
  const key = { ownerId: bot.ownerId, bots: [bot.publicKey], name: null, expiresAt: null };
  serviceKey = (await issueKey(service.commands, { ...key, kind: 'service' })).apiKey;
  const owner = { 'api-key': bot.apiKey };
  await service.post('/v1/settings/bots/set', { name: 'Магазин «Ёлка»' }, owner);
  await service.post('/v1/send-event', [{ event: 'order', user_id: 7 }], owner);
  await createUnit(service.commands, { bot: bot.publicKey, code: 'GEM', name: UNIT, scale: 1 });
  await service.projected();
  await fillAccount(service, bot, async (path, body) => (await service.post(`/v1/${path}`, body, owner)).body);
  await service.projected();
  await proofs.signed();
});
afterAll(() => proofs.stop());

interface Pdf extends ReadPdf {
  readonly bytes: Buffer;
}

const fetchStatement = (query: string, apiKey = serviceKey): Promise<Response> =>
  fetch(`${service.address}/v1/referral/statement?${query}`, { headers: { 'api-key': apiKey } });
async function pdfOf(query: string, apiKey?: string): Promise<Pdf> {
  const answer = await fetchStatement(query, apiKey);
  expect(answer.status, await answer.clone().text()).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/pdf');
  const bytes = Buffer.from(await answer.arrayBuffer());
  return { bytes, ...(await readPdf(bytes)) };
}
const api = (path: string): Promise<Answer> => service.get(`/v1/referral/${path}`, { 'api-key': serviceKey });
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const between = ({ lines }: ReadPdf, first: string, last: string): (readonly string[])[] => {
  const titles = lines.map((line) => line.join(' '));
  return lines.slice(titles.indexOf(first) + 2, titles.indexOf(last)) as string[][];
};
const isChange = (line: readonly string[]): boolean => line.length === 10 && line[0] !== 'Commit';

const EVENTS: Record<string, string> = {
  ...{ accrued: 'accrued', hold_passed: 'hold passed', cancelled: 'taken back', compensated: 'taken back, paid' },
  ...{ payout_requested: 'payout requested', payout_paid: 'payout paid', payout_cancelled: 'payout cancelled' },
};
// biome-ignore lint/suspicious/noExplicitAny: a row of an answer
const asLine = (units: ReadonlyMap<number, string>, row: any): string[] => [
  ...[String(row.position ?? '-'), row.date, EVENTS[row.event]!],
  ...[row.accrual_id === null ? `payout ${row.payout_id}` : `accrual ${row.accrual_id}`, String(row.amount)],
  ...[row.unit_id === null ? '-' : (units.get(row.unit_id) ?? `unit ${row.unit_id}`)],
  ...[row.available, row.on_hold, row.reserved, row.paid].map(String),
];

async function unitsOf(): Promise<Map<number, string>> {
  const { units } = (await api('program')).body.data;
  return new Map(units.map(({ unit_id, code }: { unit_id: number; code: string }) => [unit_id, code]));
}

describe('GET /v1/referral/statement', () => {
  it('has each row of the history, the balances, the bot and the units, also in Cyrillic', async () => {
    const pdf = await pdfOf(`user_id=${REFERRER}`);
    const units = await unitsOf();
    const { history } = (await api(`history?user_id=${REFERRER}`)).body.data;
    expect(history.length).toBeGreaterThan(5);
    expect(pdf.lines.filter(isChange)).toEqual(history.map((row: object) => asLine(units, row)));
    const texts = pdf.lines.map((line) => line.join(' '));
    expect(texts).toContain(`Bot Магазин «Ёлка» (${bot.publicKey})`);
    expect(texts.join('\n')).toContain(UNIT);
    expect(texts.join('\n')).toMatch(/event \d+ of commit [\w-]+, of user 7, by rule 1/);
    expect(texts.join('\n')).toContain('returned');
    const { balance } = (await api(`balance?user_id=${REFERRER}`)).body.data;
    const closing = between(pdf, 'Closing balance', 'Checkpoint').map((line) => line.slice(1));
    // biome-ignore lint/suspicious/noExplicitAny: a row of an answer
    const shown = balance.map(({ unit_id, ...row }: any) =>
      asLine(units, { position: 0, event: 'accrued', unit_id, ...row }).slice(5),
    );
    expect(closing.toSorted()).toEqual(shown.toSorted());
  });

  it('has the proof file, its checkpoint, and the hash of the file as text and as code', async () => {
    const pdf = await pdfOf(`user_id=${REFERRER}`);
    const file = pdf.attachments.get(`proof-${REFERRER}.json`)!;
    const { origin, size, checkpointAt } = await verify(file.toString());
    const texts = pdf.lines.map((line) => line.join(' '));
    expect(texts).toContain(`Origin ${origin}`);
    expect(texts).toContain(`Size ${size}`);
    expect(texts).toContain(`Time ${new Date(checkpointAt).toISOString().slice(0, 19).replace('T', ' ')}, UTC`);
    expect(texts).toContain(`Root hash ${JSON.parse(file.toString()).checkpoint.split('\n\n')[1].split('\n')[2]}`);
    expect(texts).toContain('Cosigned by no witness');
    expect(texts).toContain(sha256(file));
    expect(readCode(pdf.bytes)).toBe(sha256(file));
  });

  it('is of a period: opens with the balance before it, and proves the balance at its end', async () => {
    const { history } = (await api(`history?user_id=${REFERRER}`)).body.data;
    const units = await unitsOf();
    const last = history.at(-1).date;
    const from = `${last.replace(' ', 'T')}Z`;
    const pdf = await pdfOf(`user_id=${REFERRER}&from=${from}&to=${from}`);
    const rows = history.filter(({ date }: { date: string }) => date === last);
    expect(pdf.lines.filter(isChange)).toEqual(rows.map((row: object) => asLine(units, row)));
    const before = new Date(Date.parse(from) - 1000).toISOString().slice(0, 19).replace('T', ' ');
    const { balance } = (await api(`balance?user_id=${REFERRER}&at=${encodeURIComponent(before)}`)).body.data;
    const opening = between(pdf, 'Opening balance', 'Changes');
    expect(opening).toHaveLength(balance.length);
    const { until, checkpointAt } = await verify(pdf.attachments.get(`proof-${REFERRER}.json`)!.toString());
    // The checkpoint may be within the last second of the period.
    expect(until).toBe(Math.min(Date.parse(from) + 999, checkpointAt));
    const empty = await pdfOf(`user_id=${REFERRER}&from=2020-01-01&to=2020-01-02`);
    expect(empty.lines.map((line) => line.join(' '))).toContain('There are no changes in this period.');
  });

  it.each([
    ['a user without an account', 'user_id=12345', 404, '12345'],
    ['a wrong user', 'user_id=x', 400, 'user_id'],
    ['no user', '', 400, 'user_id'],
    ['a wrong day', `user_id=${REFERRER}&from=2026-02-30`, 400, 'YYYY-MM-DD'],
    ['a period that ends before it begins', `user_id=${REFERRER}&from=2026-02-03&to=2026-02-02`, 400, 'from'],
    ['a period that has not begun', `user_id=${REFERRER}&from=2999-01-01`, 400, 'not begun'],
    ['a parameter that is given twice', `user_id=${REFERRER}&user_id=1`, 400, 'more than once'],
  ])('refuses %s', async (_, query, status, text) => {
    const answer = await fetchStatement(query);
    expect(answer.status).toBe(status);
    expect(await answer.text()).toContain(text);
  });

  it("does not show another bot's account", async () => {
    const other = await service.createBot({ kind: 'owner' });
    expect((await fetchStatement(`user_id=${REFERRER}`, other.apiKey)).status).toBe(404);
    const named = await fetchStatement(`user_id=${REFERRER}&resource_key=${bot.publicKey}`, other.apiKey);
    expect(named.status).toBe(403);
  });
});

describe('botledger audit statement', () => {
  it('writes the same file, and answers its hash', async () => {
    const run = administer({ ...service.env, PROOF: 'on', CHECKPOINT_KEY: proofs.keyFile });
    const output = join(proofs.folder, 'statement.pdf');
    const given = ['--bot', bot.publicKey, '--user', String(REFERRER), '--output', output];
    const answer = await run('audit', 'statement', ...given, '--to', '2999-01-01');
    const pdf = await readPdf(await readFile(output));
    expect(answer).toEqual({
      rows: pdf.lines.filter(isChange).length,
      sha256: sha256(pdf.attachments.get(`proof-${REFERRER}.json`)!),
      hash_of: 'proof',
    });
    const off = administer({ ...service.env, PROOF: 'off' });
    const first = await off('audit', 'statement', ...given);
    expect(first).toMatchObject({ hash_of: 'statement', rows: answer.rows });
    expect((await off('audit', 'statement', ...given)).sha256).not.toBe(answer.sha256);
    const withoutProof = await readPdf(await readFile(output));
    const texts = withoutProof.lines.map((line) => line.join(' '));
    expect(texts.join('\n')).toContain('There is no checkpoint: the service keeps no proofs (PROOF=off).');
    expect(withoutProof.attachments.size).toBe(0);
    await expect(off('audit', 'statement', ...given.with(3, '12345'))).rejects.toThrow(/12345 has no account/);
    await expect(off('audit', 'statement', ...given.with(1, 'nobot'))).rejects.toThrow(/there is no bot nobot/);
    const reversed = ['--from', '2026-02-02', '--to', '2026-02-01'];
    await expect(off('audit', 'statement', ...given, ...reversed)).rejects.toThrow(/--from is after --to/);
  });
});

describe('a statement without proofs', () => {
  const MADE = Date.parse('2030-05-06T07:08:09Z');
  const reader = () => createReader(service.database.pool, MANIFESTS, 1000);
  async function made(userId: number, madeAt = MADE): Promise<{ bytes: Buffer; rows: number; sha256: string | null }> {
    const db = reader();
    const opened = await openStatement(
      { db, pool: service.database.pool, now: () => madeAt, prove: null, signal: new AbortController().signal },
      {
        bot: (await findBot(await db.at('catalog'), bot.publicKey))!,
        userId,
        period: { from: null, to: Date.parse('2030-01-01') },
      },
    );
    const parts: Uint8Array[] = [];
    for await (const part of opened.parts) parts.push(part);
    return { bytes: Buffer.concat(parts), ...opened.done() };
  }

  it('is the same bytes of the same data; another time of making changes no hash', async () => {
    const [one, two, later] = [await made(REFERRER), await made(REFERRER), await made(REFERRER, MADE + 60_000)];
    expect(one.bytes.equals(two.bytes)).toBe(true);
    expect(later.bytes.equals(one.bytes)).toBe(false);
    expect(later.sha256).toBe(one.sha256);
    expect(readCode(one.bytes)).toBe(one.sha256);
    expect((await readPdf(one.bytes)).created).toContain('20300506070809');
  });

  it('pages a long history', async () => {
    const accounts = createAccounts(service.commands);
    for (let start = 0; start < 600; start += 200)
      await accrueRewards(accounts, {
        bot: bot.publicKey,
        referrer: 77,
        items: Array.from({ length: 200 }, (_, i) => item(start + i)),
      });
    await service.projected();
    const { bytes, rows } = await made(77);
    const pdf = await readPdf(bytes);
    expect(pdf.pages).toBeGreaterThan(15);
    const shown = pdf.lines.filter(isChange);
    expect(shown).toHaveLength(rows);
    const units = await unitsOf();
    const expected: string[][] = [];
    for (let offset = 0; offset < rows; offset += 200) {
      const { history } = (await api(`history?user_id=77&limit=200&offset=${offset}`)).body.data;
      expected.push(...history.map((row: object) => asLine(units, row)));
    }
    expect(shown).toEqual(expected);
  });
});
