import { afterAll, beforeAll, expect, it } from 'vitest';
import { auditResult } from '../../../src/administration/run-job.ts';
import { examine } from '../../../src/app/doctor/examine.ts';
import { recordAudit } from '../../../src/commands/operations/operator-work.ts';
import { WORK_STREAM } from '../../../src/domain/streams.ts';
import { botledger } from '../../support/operate.ts';
import { startTestService, type TestBot, type TestService } from '../../support/service.ts';

/** An audit by the command line counts as one by a job does (decisions.md#jobs). */

let service: TestService;
let bot: TestBot;
beforeAll(async () => {
  service = await startTestService();
  bot = await service.createBot();
});
afterAll(() => service.stop());

const verify = (...more: string[]) => botledger(service.env, ['audit', 'verify', ...more]);

async function recorded(): Promise<unknown[]> {
  const { commits } = await service.log.read(WORK_STREAM);
  return commits.flatMap(({ events }) => events.map(({ type, data }) => ({ type, data })));
}

async function metric(name: string): Promise<number | null> {
  const text = String((await service.get('/metrics')).body);
  const [, value] = new RegExp(`^${name} (\\S+)$`, 'm').exec(text) ?? [];
  return value === undefined ? null : Number(value);
}

async function doctor(): Promise<{ readonly state: string; readonly finding: string } | undefined> {
  const env = { DATABASE_URL: service.database.url, DATA_DIR: '/nowhere', PORT: new URL(service.address).port };
  return (await examine(env)).find(({ check }) => check === 'audit');
}

it('is not recorded for one bot, or with --no-record', async () => {
  expect(await verify('--no-record')).toMatchObject({ code: 0 });
  expect(await verify('--bot', bot.publicKey)).toMatchObject({ code: 0 });
  await service.projected();
  expect(await recorded()).toEqual([]);
  expect(await metric('botledger_audit_clean')).toBe(null);
  expect(await doctor()).toMatchObject({ state: 'warning', finding: 'the ledger was never audited' });
});

it('is recorded, and metrics and doctor know it', async () => {
  expect(await verify()).toMatchObject({ code: 0 });
  const summary = expect.stringMatching(/^looked at \d+ commits/);
  const data = { outcome: 'done', summary, findings: [], findings_count: 0 };
  expect(await recorded()).toEqual([{ type: 'ledger_audited', data }]);
  await expect.poll(() => metric('botledger_audit_clean')).toBe(1);
  expect(await metric('botledger_audit_age_seconds')).toBeLessThan(60);
  expect(await doctor()).toMatchObject({ state: 'ok' });
});

it('is recorded with its findings', async () => {
  await service.database.pool.query(`UPDATE catalog_v1.bots SET name = 'tampered'`);
  expect(await verify()).toMatchObject({ code: 1 });
  expect((await recorded()).at(-1)).toMatchObject({
    type: 'ledger_audited',
    data: { outcome: 'findings', findings_count: 1, findings: [{ kind: 'read model' }] },
  });
  await expect.poll(() => metric('botledger_audit_clean')).toBe(0);
  expect(await doctor()).toMatchObject({ state: 'wrong' });
});

it('keeps at most 100 findings, and counts all', async () => {
  const finding = { kind: 'read model', stream: null, revision: null, message: 'differs' } as const;
  await recordAudit(
    service.commands,
    auditResult({ findings: Array.from({ length: 101 }, () => finding), count: 2000, note: 'looked' }),
  );
  const { findings, findings_count } = ((await recorded()).at(-1) as { data: { findings: []; findings_count: number } })
    .data;
  expect([findings.length, findings_count]).toEqual([100, 2000]);
});

// Last, since the log takes nothing after it.
it('answers also if the log does not take the record, and says so', async () => {
  const before = (await recorded()).length;
  await service.database.pool.query('ALTER FUNCTION log.append RENAME TO former_append');
  const { out, err } = await verify();
  expect(JSON.parse(out)).toMatchObject([{ kind: 'read model' }]);
  expect(err).toMatch(/^failed to record the audit: the log does not take the append$/m);
  expect(await recorded()).toHaveLength(before);
});
