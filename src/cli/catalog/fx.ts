import { setExchangeRates } from '../../commands/catalog/set-exchange-rates.ts';
import { Rejection } from '../../domain/rejection.ts';
import { listExchangeRates } from '../../queries/catalog/list-exchange-rates.ts';
import { type Cli, CliError } from '../command.ts';
import { csvRecords } from '../input-files.ts';
import { exactly } from '../output.ts';

interface Rate {
  readonly from: string;
  readonly to: string;
  readonly rate: string;
  readonly date?: string;
}

export function fx(cli: Cli): void {
  const { noun } = cli;

  noun
    .command('set')
    .description('Set the rate of two currencies from a day on.')
    .requiredOption('--from <code>')
    .requiredOption('--to <code>')
    .requiredOption('--rate <decimal>', 'Amount of --to for one of --from.')
    .option('--date <day>', 'First day of the rate, YYYY-MM-DD. Default: today, UTC.')
    .action(
      cli.action<[Rate]>(async (context, { from, to, rate, date }) => {
        const today = new Date(context.sources.now()).toISOString().slice(0, 10);
        const { position } = await setExchangeRates(context, [{ from, to, rate, date: date ?? today }]);
        return { value: {}, change: { category: 'fx', position, revalues: true } };
      }),
    );

  noun
    .command('import')
    .description('Import rates from a CSV file.')
    .argument('<file>', 'CSV with the columns from, to, rate, date')
    .action(
      cli.action<[string]>(async (context, file) => {
        const { rates, lines } = await readRates(file);
        const { position } = await setExchangeRates(context, rates).catch((error: unknown) => {
          throw error instanceof Rejection ? atLine(error, lines) : error;
        });
        return { value: {}, change: { category: 'fx', position, revalues: true } };
      }),
    );

  noun
    .command('list')
    .description('List all rates.')
    .action(
      cli.action<[]>(async ({ at }) => {
        const rates = await listExchangeRates(await at('catalog'));
        return { value: rates.map((row) => ({ ...row, rate: exactly(row.rate) })) };
      }),
    );
}

const COLUMNS = ['from', 'to', 'rate', 'date'] as const;

async function readRates(file: string): Promise<{ rates: Required<Rate>[]; lines: number[] }> {
  const rates: Required<Rate>[] = [];
  const lines: number[] = [];
  for await (const { line, cells } of csvRecords(file, COLUMNS)) {
    const [from = '', to = '', rate = '', date = ''] = COLUMNS.map((column) => cells.get(column));
    rates.push({ from, to, rate, date });
    lines.push(line);
  }
  return { rates, lines };
}

function atLine(rejection: Rejection, lines: readonly number[]): CliError {
  const index = Number.parseInt(rejection.path, 10);
  return new CliError(`line ${lines[index]}: ${rejection.message}; nothing was imported`);
}
