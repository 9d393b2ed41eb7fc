import type { CustomEvent, ForwarderOptions, UserTools } from '@botledger/client';
import { folderSpool } from '@botledger/client/spool';
import { botledger as grammyLedger } from '@botledger/grammy';
import { botledger as telegrafLedger } from '@botledger/telegraf';
import { Bot, type Context } from 'grammy';
import { Telegraf } from 'telegraf';
import type { ForwarderTask, Handled, Step, StepResult } from './forwarder-task.ts';

/** Drives a middleware in its framework, whose name is the parameter, as README.md of this folder says. */

const BOT = { id: 123, is_bot: true as const, first_name: 'Shop', username: 'shop_bot' };

let input = '';
for await (const part of process.stdin) input += part;
const task = JSON.parse(input) as ForwarderTask;
const failed: string[] = [];
const options: ForwarderOptions = {
  baseUrl: task.base_url,
  apiKey: task.api_key,
  forwardUpdates: task.forward_updates ?? true,
  queue: {
    capacity: task.capacity ?? 10_000,
    maxDelayMs: task.max_delay_ms,
    ...(task.spool !== undefined && { spool: folderSpool(task.spool) }),
  },
  onFailed: (error, items) => void failed.push(...items.map(() => (error as Error).message)),
};

/** The handler of the next update. */
let handle: (tools: UserTools) => Promise<void>;

function framework() {
  if (process.argv[2] === 'grammy') {
    const ledger = grammyLedger(options);
    const bot = new Bot<Context & { botledger: UserTools }>('123:token', { botInfo: BOT as never });
    bot.use(ledger);
    bot.use((ctx) => handle(ctx.botledger));
    return { ledger, receive: (update: object) => bot.handleUpdate(update as never) };
  }
  const ledger = telegrafLedger(options);
  const bot = new Telegraf<import('@botledger/telegraf').BotledgerContext>('123:token');
  bot.botInfo = BOT as never;
  // Its own handler of errors ends the program with exit code 1.
  bot.catch((error) => {
    throw error;
  });
  bot.use(ledger);
  bot.use((ctx) => handle(ctx.botledger));
  return { ledger, receive: (update: object) => bot.handleUpdate(update as never) };
}
const { ledger, receive } = framework();

async function perform(step: Step): Promise<StepResult> {
  switch (step.do) {
    case 'update': {
      const handled: Handled[] = [];
      handle = async (tools) => {
        for (const { name, fields = {}, await_sent } of step.events ?? []) {
          const given = { ...fields, ...(fields['value_num'] === 'NaN' && { value_num: Number.NaN }) };
          handled.push(await eventOf(tools, name, given, await_sent === true));
        }
        if (step.links) handled.push(...(await Promise.all(Array.from({ length: step.links }, () => linkOf(tools)))));
        if (step.fails) throw new Error('the handler fails');
      };
      await receive(step.update).catch((error: unknown) => {
        if (!step.fails) throw error;
      });
      return { handled };
    }
    case 'kill':
      await new Promise((resolve) => setTimeout(resolve, step.after_ms));
      process.kill(process.pid, 'SIGKILL');
      return {};
    case 'flush':
      await ledger.flush();
      return {};
    case 'close':
      await ledger.close();
      return {};
  }
}

async function eventOf(tools: UserTools, name: string, fields: object, isAwaited: boolean): Promise<Handled> {
  try {
    const receipt = tools.event(name, fields as Partial<CustomEvent>);
    if (isAwaited) await receipt.sent;
    return { taken: receipt.taken };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

async function linkOf(tools: UserTools): Promise<Handled> {
  try {
    return { link: await tools.referralLink() };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

const results: StepResult[] = [];
for (const step of task.steps) results.push(await perform(step));
process.stdout.write(JSON.stringify({ results, failed }));
