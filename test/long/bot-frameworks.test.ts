import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { changeBot } from '../../src/commands/catalog/change-bot.ts';
import { createRule } from '../../src/commands/referral/change-rule.ts';
import { type PolledPlatform, polledPlatform } from '../support/polled-platform.ts';
import { startTestService, type TestBot, type TestService } from '../support/service.ts';
import { ROOT } from '../support/source-files.ts';

/** The example bots of the middlewares, as separate processes: each scene continues the one before. */

const TOKEN = '123:shop';
const [ADMIN, ADA, BO, STRANGER] = [1, 10, 11, 12];

describe.each(['grammy', 'telegraf'])('the example bot of @botledger/%s', (name) => {
  const path = join(ROOT, `packages/${name}/examples/bot.ts`);
  let platform: PolledPlatform;
  let service: TestService;
  let bot: TestBot;
  let program: ChildProcess;
  let output = '';

  beforeAll(async () => {
    platform = await polledPlatform(TOKEN);
    service = await startTestService({ TELEGRAM_API_ROOT: platform.root });
    bot = await service.createBot({ token: TOKEN });
    await changeBot(service.commands, bot.publicKey, { username: 'TestNameBot' });
    await service.post('/v1/send-event', { event: 'order_paid', user_id: STRANGER }, { 'api-key': bot.apiKey });
    await service.projected();
    const events = (await read('reports/events')).items as { event_id: number; name: string }[];
    const trigger_event_id = events.find(({ name: event }) => event === 'order_paid')!.event_id;
    const rule = {
      bot: bot.publicKey,
      name: 'A tenth',
      trigger_event_id,
      reward_type: 'percent',
      percent: '10',
    } as const;
    await createRule(service.commands, { ...rule, amount: null, unit_id: null, hold_days: '0' });
    await service.projected();
    // Instances know a bot's settings for a second: the link has the name when they have read it.
    const path = `/v1/referral/create-code?user_id=${ADMIN}`;
    await vi.waitFor(
      async () => expect((await service.get(path, { 'api-key': bot.apiKey })).body.data.link).not.toBeNull(),
      30_000,
    );
    start();
  });
  afterAll(async () => {
    await stop();
    await service.stop();
    await platform.close();
  });

  function start(): void {
    const env = {
      ...process.env,
      BOT_TOKEN: TOKEN,
      BOTLEDGER_URL: service.address,
      BOTLEDGER_KEY: bot.apiKey,
      ADMIN: String(ADMIN),
      TELEGRAM_API_ROOT: platform.root,
    };
    const parameters = ['--conditions=@botledger/source', '--import', 'tsx', path];
    program = spawn(process.execPath, parameters, { cwd: ROOT, env, stdio: 'pipe' });
    for (const stream of [program.stdout!, program.stderr!])
      stream.on('data', (part: Buffer) => {
        output += part.toString();
      });
  }

  async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (program.exitCode !== null || program.signalCode !== null) return;
    const ended = once(program, 'exit');
    program.kill(signal);
    await ended;
  }

  async function read(what: string) {
    const { status, body } = await service.get(`/v1/${what}`, { 'api-key': bot.apiKey });
    if (status !== 200) throw new Error(`${what}: ${status} ${JSON.stringify(body)}`);
    return body.data;
  }

  /** A user writes to the bot. Resolves with the next text that the user gets. */
  async function ask(user: number, text: string): Promise<string> {
    const before = platform.textsTo(user).length;
    platform.say(user, text);
    await expect.poll(() => platform.textsTo(user).length, { message: output }).toBeGreaterThan(before);
    return platform.textsTo(user)[before]!;
  }

  const orders = async () =>
    ((await read('reports/events')).items as { name: string; count: number }[]).find((e) => e.name === 'order_paid')!
      .count;

  it('has less than 60 lines', () => {
    expect(readFileSync(path, 'utf8').split('\n').length).toBeLessThanOrEqual(60);
  });

  it('gives a user a referral link, and the same one the second time', async () => {
    expect(await ask(ADA, '/start')).toMatch(/^Welcome/);
    const link = await ask(ADA, '/invite');
    expect(link).toMatch(/^Your link: https:\/\/t\.me\/TestNameBot\?start=\w+$/);
    expect(await ask(ADA, '/invite')).toBe(link);
  });

  it('brings a user by the link, whose purchase rewards the referrer', async () => {
    const [, code] = /start=(\w+)/.exec(platform.textsTo(ADA).at(-1)!)!;
    expect(await ask(BO, `/start ${code}`)).toMatch(/^Welcome/);
    expect(await ask(BO, '/buy')).toBe('Thank you!');
    await expect
      .poll(async () => (await read(`referral/balance?user_id=${ADA}`)).balance)
      .toMatchObject([{ available: 2 }]);
    expect((await read(`referral/referrals?user_id=${ADA}`)).referrals).toMatchObject([{ referral_id: BO }]);
    expect(await ask(ADA, '/balance')).toBe('2 available, 0 paid');
  });

  it('pays the reward out once, also if the platform delivers the request again', async () => {
    const requested = await ask(ADA, '/payout');
    expect(requested).toMatch(/^Requested: payout \d+$/);
    const before = platform.textsTo(ADA).length;
    platform.deliverAgain('/payout');
    await expect.poll(() => platform.textsTo(ADA).length).toBeGreaterThan(before);
    expect(platform.textsTo(ADA).at(-1)).toBe(requested);
    expect((await read(`referral/payouts?user_id=${ADA}`)).payouts).toHaveLength(1);
  });

  it('writes to all of its users when the admin says so', async () => {
    expect(await ask(ADMIN, '/news Sale today')).toMatch(/^Sending: broadcast \d+$/);
    const got = (): number[] =>
      [ADA, BO].map((user) => platform.textsTo(user).filter((text) => text === 'Sale today').length);
    await expect.poll(got).toEqual([1, 1]);
    platform.say(BO, '/news Buy from Bo');
    expect(await ask(BO, '/start')).toMatch(/^Welcome/);
    expect(platform.textsTo(ADA)).not.toContain('Buy from Bo');
  });

  it('counts an event once, if the bot handles its update again after a kill', async () => {
    expect(await ask(ADA, '/buy')).toBe('Thank you!');
    await expect.poll(orders).toBe(2);
    await stop('SIGKILL');
    platform.deliverAgain('/buy');
    start();
    platform.say(ADA, '/balance');
    await expect.poll(() => platform.textsTo(ADA).at(-1)).toMatch(/available/);
    await stop();
    await service.projected();
    expect(await orders()).toBe(2);
    start();
  });

  it('has sent all that it has queued when it ends', async () => {
    expect(await ask(ADA, '/buy')).toBe('Thank you!');
    await stop();
    expect(program.exitCode).toBe(0);
    await service.projected();
    expect(await orders()).toBe(3);
    expect(output).toBe('');
  });
});
