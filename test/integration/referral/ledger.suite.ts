import { randomUUID } from 'node:crypto';
import Big from 'big.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccounts } from '../../../src/commands/referral/accounts.ts';
import { changeRule, setRate } from '../../../src/commands/referral/change-rule.ts';
import { setPayoutWebhook } from '../../../src/commands/referral/payout-webhook.ts';
import { administerPayout, PAYOUT_ACTIONS } from '../../../src/commands/referral/payouts.ts';
import { account } from '../../../src/domain/referral/account/account.ts';
import type { AccountEvent, Payout } from '../../../src/domain/referral/account/state.ts';
import { Rejection } from '../../../src/domain/rejection.ts';
import { accountStream } from '../../../src/domain/streams.ts';
import { accruals } from '../../../src/processes/accruals/accrual-process.ts';
import { accountsReadModel } from '../../../src/projections/accounts/read-model.ts';
import { pause } from '../../../src/util/pause.ts';
import { accrued, requested } from '../../support/account-samples.ts';
import { appendOnTop } from '../../support/log.ts';
import { botledger } from '../../support/operate.ts';
import { processed } from '../../support/processes.ts';
import { firstSchema } from '../../support/read-model-tables.ts';
import { newUser, type RewardProgram, rewardProgram } from '../../support/reward-program.ts';
import type { TestService } from '../../support/service.ts';
import { type WebhookReceiver, webhookReceiver } from '../../support/webhook-receiver.ts';

/** The ledger of a whole service, through its own doors, and what an audit finds in it. */

interface Balance {
  readonly unit_id: number | null;
  readonly available: number;
  readonly reserved: number;
  readonly paid: number;
  readonly on_hold: number;
}

type Step =
  | { readonly type: 'order'; readonly pick: number; readonly key: number; readonly value: number }
  | { readonly type: 'mark'; readonly pick: number }
  | { readonly type: 'payout'; readonly pick: number; readonly manual: boolean }
  | { readonly type: 'administer'; readonly pick: number; readonly action: (typeof PAYOUT_ACTIONS)[number] }
  | { readonly type: 'reverse'; readonly pick: number }
  | { readonly type: 'rule'; readonly amount: number }
  | { readonly type: 'rate'; readonly pick: number; readonly amount: number }
  /** The HTTP status that the client's webhook answers from then on. */
  | { readonly type: 'client'; readonly answers: number };

const pick = fc.nat({ max: 5 });
const tenths = fc.integer({ min: 1, max: 9 });
const STEPS: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant('order' as const),
        pick,
        key: fc.nat({ max: 6 }),
        value: fc.integer({ min: -1, max: 500 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('mark' as const), pick }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('payout' as const), pick, manual: fc.boolean() }) },
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant('administer' as const),
        pick,
        action: fc.constantFrom(...PAYOUT_ACTIONS),
      }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('reverse' as const), pick }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('rule' as const), amount: tenths }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('rate' as const), pick, amount: tenths }) },
    {
      weight: 1,
      arbitrary: fc.record({ type: fc.constant('client' as const), answers: fc.constantFrom(200, 202, 410, 503) }),
    },
  ),
  { minLength: 20, maxLength: 30, size: 'max' },
);

/** Brings payouts to every end that they can have, and has an order earn nothing, before anything happens by chance. */
const EVERY_END: readonly Step[] = [
  { type: 'order', pick: 0, key: 0, value: -1 },
  { type: 'payout', pick: 0, manual: true },
  { type: 'administer', pick: 0, action: 'cancel' },
  { type: 'payout', pick: 0, manual: true },
  { type: 'administer', pick: 0, action: 'confirm' },
  { type: 'reverse', pick: 0 },
  { type: 'client', answers: 410 },
  { type: 'payout', pick: 1, manual: false },
  { type: 'client', answers: 202 },
  { type: 'administer', pick: 1, action: 'retry' },
  { type: 'administer', pick: 1, action: 'fail' },
  { type: 'client', answers: 200 },
  { type: 'administer', pick: 1, action: 'retry' },
  { type: 'client', answers: 503 },
];

/** All that can happen to an account. */
const EVERY_EVENT: readonly AccountEvent['type'][] = [
  'reward_accrued',
  'reward_rate_locked',
  'reward_refused',
  'payout_requested',
  'payout_attempted',
  'payout_attempt_failed',
  'payout_accepted',
  'payout_paid',
  'payout_failed',
  'payout_retried',
  'payout_cancelled',
  'accrual_reversed',
];

/** Each announcement has two attempts, without a delay. */
const DELIVERIES = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', WEBHOOK_RETRY_DELAYS: '0,0' };

export function describeLedger(start: (env: Record<string, string>) => Promise<TestService>): void {
  describe('the ledger', () => {
    let service: TestService;
    let program: RewardProgram;
    let client: WebhookReceiver;
    beforeAll(async () => {
      service = await start(DELIVERIES);
      program = await rewardProgram(service);
      client = await webhookReceiver();
    });
    afterAll(async () => {
      await service.stop();
      await client.close();
    });

    /** Runs `audit verify`. @returns each finding as `kind stream revision message` */
    async function audited(...more: string[]): Promise<string[]> {
      const { code, out, err } = await botledger(service.env, ['audit', 'verify', ...more]);
      const rows = JSON.parse(out) as { kind: string; stream: string; revision: number; message: string }[];
      const looked = `looked at \\d+ commits, \\d+ heads of streams, \\d+ accounts?${more.length > 0 ? '' : ', \\d\\d+ tables of \\d+ read models'} in .+\n`;
      const findings = rows.length === 0 ? '' : `botledger: ${rows.length} findings?\n`;
      const said = expect.stringMatching(new RegExp(`^${looked}${findings}$`));
      expect({ code, err }, out).toEqual({ code: rows.length === 0 ? 0 : 1, err: said });
      return rows.map(({ kind, stream, revision, message }) => `${kind} ${stream} ${revision} ${message}`);
    }

    test('under random requests, money is neither lost nor spent twice, and a replay gives the same answers', async () => {
      const told = await rewardProgram(service);
      const { call, bot } = told;
      await setPayoutWebhook(service.commands, bot.publicKey, client.url);
      const referrers = [newUser(), newUser()];
      const referred: number[] = [];
      for (const referrer of referrers) referred.push(await told.referral(referrer));
      const fixed = await told.rule({ amount: '0.1', unit_id: told.usd, hold_days: '0.00001' });
      await told.rule({ reward_type: 'percent', amount: null, percent: '33.3' });
      for (const user_id of referred)
        await told.send({ user_id, event_key: `${user_id} first`, value_num: 100, unit: 'USD' });
      await processed(service, accruals.name);
      const accounts = createAccounts(service.commands);
      const key = { 'api-key': bot.apiKey };

      async function take(step: Step): Promise<void> {
        const referrer = referrers['pick' in step ? step.pick % 2 : 0]!;
        const ignored = (error: unknown): void => {
          if (!(error instanceof Rejection)) throw error;
        };
        switch (step.type) {
          case 'order': {
            const user_id = referred[step.pick % referred.length]!;
            await told.send({ user_id, event_key: `${user_id} ${step.key}`, value_num: step.value, unit: 'USD' });
            return processed(service, accruals.name);
          }
          case 'mark': {
            const referral_user_id = newUser();
            await call.data('mark-referral', { referral_user_id, referrer_user_id: referrer });
            referred.push(referral_user_id);
            return call.message(referral_user_id);
          }
          case 'payout': {
            const body = { user_id: referrer, ...(step.manual ? { method: 'manual' } : {}) };
            const { status } = await service.post('/v1/referral/payout', body, key);
            expect([200, 400]).toContain(status);
            return;
          }
          case 'administer': {
            await delivered(referrer);
            const { payouts } = await call.data(`payouts?user_id=${referrer}`);
            if (payouts.length === 0) return;
            const payoutId = payouts[step.pick % payouts.length].payout_id;
            const of = { bot: bot.publicKey, userId: referrer, payoutId };
            await administerPayout(accounts, { ...of, action: step.action, force: step.pick === 0 }).catch(ignored);
            return;
          }
          case 'reverse': {
            const { accruals: all } = await call.data(`accruals?user_id=${referrer}`);
            if (all.length === 0) return;
            const accrual_id = all[step.pick % all.length].id;
            const { status } = await service.post('/v1/referral/reverse-accrual', { accrual_id }, key);
            expect([200, 409]).toContain(status);
            return;
          }
          case 'rule':
            await changeRule(service.commands, { bot: bot.publicKey, ruleId: fixed }, { amount: `0.${step.amount}` });
            return;
          case 'rate': {
            const of = { bot: bot.publicKey, userId: referrer, ruleId: fixed };
            await setRate(accounts, { ...of, amount: `0.${step.amount}` });
            return;
          }
          case 'client':
            client.answers(step.answers);
        }
      }

      /** Resolves when no payout is left to announce for now. */
      async function delivered(userId: number): Promise<void> {
        const isUnderWay = ({ method, status, attempt }: Payout): boolean =>
          method === 'webhook' && (status === 0 || (status === 1 && attempt !== 'accepted'));
        const isBusy = () =>
          accounts.view({ bot: bot.publicKey, userId }, ({ payouts }) => [...payouts.values()].some(isUnderWay));
        while (await isBusy()) await pause(20);
        await service.projected();
      }

      /** That the parts of a balance are all that was accrued and not cancelled, as `history` tells it. */
      async function expectBalanced(referrer: number): Promise<void> {
        await service.projected();
        const { balance } = (await call.data(`balance?user_id=${referrer}`)) as { balance: Balance[] };
        const { history } = await call.data(`history?user_id=${referrer}&limit=200`);
        const accruedIn = new Map<number | null, Big>();
        for (const { event, amount, unit_id } of history)
          if (['accrued', 'cancelled', 'compensated'].includes(event))
            accruedIn.set(unit_id, (accruedIn.get(unit_id) ?? new Big(0)).plus(amount));
        for (const { unit_id, available, reserved, paid, on_hold } of balance) {
          const sum = new Big(available).plus(reserved).plus(paid).plus(on_hold);
          expect(sum.toFixed()).toBe(accruedIn.get(unit_id)!.toFixed());
          expect(Math.min(reserved, paid, on_hold)).toBeGreaterThanOrEqual(0);
        }
        expect(balance.map(({ unit_id }) => unit_id).sort()).toEqual([...accruedIn.keys()].sort());
      }

      await fc.assert(
        fc.asyncProperty(STEPS, async (taken) => {
          for (const step of [...EVERY_END, ...taken]) {
            await take(step);
            for (const referrer of referrers) await expectBalanced(referrer);
          }
        }),
        { numRuns: 1 },
      );
      for (const referrer of referrers) await delivered(referrer);
      const seen = new Set<string>();
      for (const referrer of referrers) {
        const { commits } = await service.log.read(accountStream(bot.publicKey, referrer));
        for (const { events } of commits) for (const { type } of events) seen.add(type);
      }
      expect([...seen].sort()).toEqual([...EVERY_EVENT].sort());
      expect(await audited()).toEqual([]);
    }, 90_000);

    test('one order reported twice earns once; a referral of one bot earns nothing in another', async () => {
      const other = await rewardProgram(service);
      await other.rule({ amount: '1' });
      const [referrer, stranger] = [newUser(), newUser()];
      const user_id = await other.referral(referrer);
      await program.call.message(user_id);
      await Promise.all([1, 2, 3].map(() => other.send({ user_id, event_key: 'order 1' })));
      await program.send({ user_id, event_key: 'order 1' });
      await other.send({ user_id: stranger, event_key: 'order 2' });
      await processed(service, accruals.name);
      await service.projected();
      const { accruals: all } = await other.call.data(`accruals?user_id=${referrer}`);
      expect(all).toMatchObject([{ amount: 1 }]);
      expect((await program.call.data(`accruals?user_id=${referrer}`)).accruals).toEqual([]);
      const { commits } = await service.log.read(accountStream(other.bot.publicKey, referrer));
      expect(commits.flatMap(({ events }) => events.map(({ type }) => type))).toEqual([
        'reward_rate_locked',
        'reward_accrued',
      ]);
      expect(await audited('--bot', other.bot.publicKey)).toEqual([]);
    });

    test('the audit finds an account that earns twice, earns what another account earned, or pays out too much, and a wrong row', async () => {
      const { publicKey } = program.bot;
      const userId = newUser();
      const stream = accountStream(publicKey, userId);
      const append = (to: string, ...events: AccountEvent[]): Promise<unknown> =>
        appendOnTop(service.log, {
          id: randomUUID(),
          stream: to,
          expected: { revision: 0, hash: '' },
          at: Date.now(),
          events: events.map(account.write),
        });
      const id = userId * 1000;
      const lock = {
        rule_id: 1,
        reward_type: 'fixed',
        amount: '5',
        percent: null,
        unit_id: 1,
        source: 'auto',
      } as const;
      const locked: AccountEvent = { type: 'reward_rate_locked', data: { ...lock, at: Date.now() } };
      await append(stream, locked, accrued(id, '5', { at: Date.now() }));
      await append(stream, accrued(id + 1, '5', { at: Date.now(), event: causeOf(id) }));
      await append(stream, requested(id, '11', { at: Date.now() }));
      const twin = accountStream(publicKey, newUser());
      await append(twin, locked, accrued(id + 2, '5', { at: Date.now(), event: causeOf(id) }));
      await service.projected();
      // A fault between two accounts is reported for the one that is read later.
      const twice = new RegExp(
        `^account (${stream} 2|${twin} 1) reward 1:${causeOf(id).commit_id}:${id} is one of .*, too$`,
      );
      const wrong = [
        expect.stringMatching(twice),
        `account ${stream} 2 rule 1 has decided on event ${id} of commit ${causeOf(id).commit_id} before`,
        `account ${stream} 3 payout ${id} is of 11, and 10 was available`,
      ];
      expect((await audited('--bot', publicKey)).sort(sharedFirst)).toEqual(wrong);

      const tables = firstSchema(accountsReadModel);
      const { pool } = service.database;
      await pool.query(`UPDATE ${tables}.balances SET accrued = accrued + 1 WHERE user_id = $1`, [userId]);
      expect((await audited()).sort(sharedFirst)).toEqual([
        ...wrong,
        expect.stringMatching(
          /^balance .* unit 1 is -1 available, 11 reserved.* in the log and 0 available, 11 reserved/,
        ),
        expect.stringMatching(/^read model .*accounts version 1: balances differs from a replay of the log/),
      ]);
    });
  });
}

const sharedFirst = (a: string, b: string): number => Number(b.endsWith(', too')) - Number(a.endsWith(', too'));

/** The event that a sample accrual of this number was earned by. */
function causeOf(id: number) {
  const sample = accrued(id, '5');
  if (sample.type !== 'reward_accrued') throw new Error('no accrual');
  return sample.data.event;
}
