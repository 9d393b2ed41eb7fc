import { isDeepStrictEqual } from 'node:util';
import { type AccountEvent, account } from '../domain/referral/account/account.ts';
import { type HistoryRow, historyOf } from '../domain/referral/account/history.ts';
import { accountStream } from '../domain/streams.ts';
import type { EventLog } from '../log/port.ts';
import { accountsReadModel } from '../projections/accounts/read-model.ts';
import { historyRows } from '../queries/referral/history.ts';
import { verifyLedger } from './audit-verify.ts';
import type { Cli } from './cli.ts';
import type { CliContext } from './context.ts';
import { CliError } from './errors.ts';
import { namedBots } from './named-bots.ts';
import { exactly } from './output.ts';
import { botOption, endOf, once, positiveInteger } from './values.ts';

interface Balance {
  readonly bot: string;
  readonly user: number;
  readonly unit?: number;
  readonly at?: number;
}

export function audit(cli: Cli): void {
  const { noun } = cli;

  noun
    .command('balance')
    .description("a referrer's history, reckoned from the log anew and compared with what the service answers from")
    .addOption(botOption())
    .requiredOption('--user <id>', 'the referrer', positiveInteger)
    .option('--unit <id>', 'of this unit alone', positiveInteger)
    .option('--at <date>', 'up to then, to its end: YYYY-MM-DD or YYYY-MM-DD HH:MM:SS (UTC), or RFC 3339', endOf)
    .action(
      cli.action<[Balance]>(async (context, given) => {
        await namedBots(await context.catalog(), [given.bot]);
        const { told, answered } = await bothHistories(context, given);
        const value = told.map(shown);
        const index = told.findIndex((row, index) => !isDeepStrictEqual(row, answered[index]));
        const row = index >= 0 ? index : told.length;
        if (index < 0 && answered.length === told.length) return { value };
        const [log, table] = [told[row], answered[row]].map((each) => (each === undefined ? 'none' : line(each)));
        return { value, failure: new CliError(`row ${row + 1} is ${log} in the log and ${table} in the read model`) };
      }),
    );

  noun
    .command('verify')
    .description('proves the ledger: every chain to its end, every account, every read model against a replay')
    .option('--bot <public key>', 'the streams and accounts of this bot alone, and no replays', once)
    .action(
      cli.action<[{ readonly bot?: string }]>(async (context, { bot }) => {
        if (bot !== undefined) await namedBots(await context.catalog(), [bot]);
        return verifyLedger(context, bot);
      }),
    );
}

/** What is recorded while the two are read is in one of them alone: then they are read again. */
const ROUNDS = 3;

async function bothHistories(context: CliContext, { bot, user, unit, at }: Balance) {
  const { pool, schema } = await context.projected(accountsReadModel);
  const until = at ?? context.sources.now();
  for (let round = 1; ; round++) {
    const told = (await historyInLog(context.log, accountStream(bot, user), until)).filter(
      ({ unit_id }) => unit === undefined || unit_id === unit,
    );
    const query = { unitId: unit, until, limit: null, offset: 0 };
    const answered = await historyRows({ pool, accounts: schema }, { bot, userId: user }, query, until);
    if (isDeepStrictEqual(told, answered) || round === ROUNDS) return { told, answered };
  }
}

async function historyInLog(log: EventLog, stream: string, until: number): Promise<HistoryRow[]> {
  const { commits } = await log.read(stream);
  const read = commits.map(({ revision, events }) => ({
    revision: revision!,
    events: events.map((event): AccountEvent => account.read(event)),
  }));
  return historyOf(read, until);
}

function shown({ position, date, amount, on_hold, available, reserved, paid, ...row }: HistoryRow): object {
  return {
    position,
    date: new Date(date).toISOString(),
    ...row,
    amount: exactly(amount),
    on_hold: exactly(on_hold),
    available: exactly(available),
    reserved: exactly(reserved),
    paid: exactly(paid),
  };
}

function line({ event, accrual_id, payout_id, amount, unit_id, available }: HistoryRow): string {
  const what = accrual_id === null ? `payout ${payout_id}` : `accrual ${accrual_id}`;
  return `"${event} ${what}: ${amount} of unit ${unit_id ?? '-'}, ${available} available"`;
}
