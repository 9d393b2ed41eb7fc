import { type BotledgerFlavor, botledger } from '@botledger/grammy';
import { Bot, type Context } from 'grammy';

/** A shop that rewards its users for buyers that they bring. ADMIN is the user who may write to all. */
const { BOT_TOKEN, BOTLEDGER_URL, BOTLEDGER_KEY, ADMIN, TELEGRAM_API_ROOT } = process.env;

const ledger = botledger({ baseUrl: BOTLEDGER_URL!, apiKey: BOTLEDGER_KEY! });
const bot = new Bot<BotledgerFlavor<Context>>(BOT_TOKEN!, {
  client: { apiRoot: TELEGRAM_API_ROOT ?? 'https://api.telegram.org' },
});
bot.use(ledger);

// Users, and the link that brought them, come from the forwarded updates.
bot.command('start', (ctx) => ctx.reply('Welcome! /buy, /invite, /balance, /payout'));

bot.command('invite', async (ctx) => {
  await ctx.reply(`Your link: ${await ctx.botledger.referralLink()}`);
});

bot.command('buy', async (ctx) => {
  // The user is thanked when Botledger has the order.
  await ctx.botledger.event('order_paid', { value_num: 2000, unit: 'USD' }).sent;
  await ctx.reply('Thank you!');
});

bot.command('balance', async (ctx) => {
  const { balance } = await ledger.client.get('/v1/referral/balance', { user_id: ctx.from!.id });
  const lines = balance.map(({ available, paid }) => `${available} available, ${paid} paid`);
  await ctx.reply(lines.join('\n') || 'Nothing yet');
});

bot.command('payout', async (ctx) => {
  // An update that comes again pays once.
  const options = { idempotencyKey: `update ${ctx.update.update_id}` };
  const body = { user_id: ctx.from!.id, method: 'manual' } as const;
  const { payout_ids } = await ledger.client.post('/v1/referral/payout', body, options);
  await ctx.reply(`Requested: payout ${payout_ids.join()}`);
});

bot.command('news', async (ctx) => {
  if (String(ctx.from!.id) !== ADMIN) return;
  const segmentations = { include: [{ type: 'all' as const }] };
  const news = { type: 'sendMessage' as const, message: { text: ctx.match }, segmentations, activate: true };
  const options = { idempotencyKey: `update ${ctx.update.update_id}` };
  const { id } = await ledger.client.post('/v1/broadcast/create', news, options);
  await ctx.reply(`Sending: broadcast ${id}`);
});

bot.catch(({ ctx, error }) => console.error(`update ${ctx.update.update_id}`, error));

process.once('SIGTERM', async () => {
  await bot.stop();
  await ledger.close();
});
await bot.start();
