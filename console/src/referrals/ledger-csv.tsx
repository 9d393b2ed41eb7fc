import { useSignal } from '@preact/signals';
import { number } from '../format.ts';
import { useAttempt } from '../parts/attempt.ts';
import { csvOf } from '../parts/csv.ts';
import { downloadCsv } from '../parts/download.ts';
import { Failure } from '../parts/failure.tsx';
import { Icon } from '../parts/icon.tsx';
import { ask, type Line, MOST, type Program } from './data.ts';
import { latestLines } from './latest-lines.ts';
import { unitName } from './parts.tsx';
import { words } from './words.ts';

/** Lines of a file: each 200 are a request. */
const LINES = 20_000;

const NUMBERS = ['amount', 'available', 'on_hold', 'reserved', 'paid'] as const;

interface LedgerCsvProps {
  readonly bot: string;
  readonly user: string;
  readonly name: string;
  readonly program: Program;
  /** A unit's id or `null`, as the API names it; undefined: every unit. */
  readonly unit: string | undefined;
}

/** Gives the ledger of an account as CSV, the latest line first, with the API's digits; dates are UTC. */
export function LedgerCsv({ bot, user, name, program, unit }: LedgerCsvProps) {
  const { error, busy, run } = useAttempt();
  const isCut = useSignal(false);
  const save = (): Promise<void> =>
    run(async () => {
      const lines = await linesOf(bot, user, unit);
      isCut.value = lines.length === LINES;
      downloadCsv(words.ledgerFile(name), csvOfLedger(program, lines));
    });
  return (
    <>
      <button type="button" class="btn" disabled={busy.value} onClick={() => void save()}>
        <Icon name="export" /> {words.csv}
      </button>
      {isCut.value && <span role="status">{words.ledgerCut(number(LINES))}</span>}
      {error.value !== undefined && <Failure error={error.value} />}
    </>
  );
}

async function linesOf(bot: string, user: string, unit: string | undefined): Promise<readonly Line[]> {
  return latestLines(
    async (page) => {
      const query = { user_id: user, ...page, ...(unit === undefined ? {} : { unit_id: unit }) };
      return (await ask<{ history: Line[] }>(bot, 'history', query, new AbortController().signal)).history;
    },
    { pageSize: MOST, most: LINES },
  );
}

function csvOfLedger({ units }: Program, lines: readonly Line[]): string {
  const column = (label: string, isNumber = false) => ({ label, isNumber });
  return csvOf(
    [
      ...[column(words.dateUtc), column(words.event), column(words.unit)],
      ...NUMBERS.map((key) => column(key === 'amount' ? words.amount : words.after[key], true)),
      ...[column(words.rewardNo), column(words.payout), column(words.reasonColumn), column(words.commit)],
    ],
    lines.map((line) => [
      ...[line.date, words.events[line.event], unitName(units, line.unit_id)],
      ...NUMBERS.map((key) => line[key]),
      ...[line.accrual_id, line.payout_id, line.reason, line.position],
    ]),
  );
}
