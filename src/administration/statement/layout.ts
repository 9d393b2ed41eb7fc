import { utcDate } from '../../domain/local-time.ts';
import type { BalanceRow } from '../../queries/referral/find-balance.ts';
import type { AccrualCause, StatementRow } from '../../queries/referral/statement-rows.ts';
import type { Cell, Sheet } from './sheet.ts';
import type { StatementHead, StatementProof } from './statement-data.ts';

/** Sizes of letters in points. */
const TITLE = 15;
const SECTION = 10;
const TEXT = 7;
const SMALL = 6;
const CODE_SIZE = 92;

interface Column {
  readonly title: string;
  readonly x: number;
  readonly width: number;
  readonly isAmount?: boolean;
}

const COLUMNS: readonly Column[] = [
  { title: 'Commit', x: 0, width: 40 },
  { title: 'Date, UTC', x: 42, width: 90 },
  { title: 'Change', x: 134, width: 84 },
  { title: 'Of', x: 220, width: 86 },
  { title: 'Amount', x: 306, width: 84, isAmount: true },
  { title: 'Unit', x: 398, width: 62 },
  { title: 'Available', x: 462, width: 84, isAmount: true },
  { title: 'On hold', x: 550, width: 70, isAmount: true },
  { title: 'Reserved', x: 624, width: 70, isAmount: true },
  { title: 'Paid', x: 698, width: 72, isAmount: true },
];
const CAUSE_X = 134;
/** The columns of a table of balances. */
const BALANCE_COLUMNS = [{ title: 'Name', x: CAUSE_X, width: 250 }, ...COLUMNS.slice(5)];

const EVENTS: Readonly<Record<StatementRow['event'], string>> = {
  accrued: 'accrued',
  hold_passed: 'hold passed',
  cancelled: 'taken back',
  compensated: 'taken back, paid',
  payout_requested: 'payout requested',
  payout_paid: 'payout paid',
  payout_cancelled: 'payout cancelled',
};

/** Draws the parts of a statement on a sheet, from the top down. */
export function drawHead(sheet: Sheet, head: StatementHead): void {
  const { bot, userId, from, until, madeAt, opening } = head;
  sheet.line([{ text: 'Statement of account', x: 0, width: sheet.width }], { size: TITLE });
  sheet.gap(4);
  field(sheet, 'Bot', `${bot.name} (${bot.public_key})`);
  field(sheet, 'Referrer', `user ${userId}`);
  field(sheet, 'Period', `${from === null ? 'the beginning' : utcDate(from)} to ${utcDate(until)}, UTC`);
  field(sheet, 'Made', `${utcDate(madeAt)}, UTC`);
  drawBalances(sheet, head, 'Opening balance', from === null ? [] : opening);
  section(sheet, 'Changes');
  const titles = (): void => drawTitles(sheet, COLUMNS);
  titles();
  sheet.heading(titles);
}

export function drawRow(sheet: Sheet, units: StatementHead['units'], row: StatementRow): void {
  const { position, date, event, accrual_id, payout_id, amount, unit_id, cause, reason } = row;
  const values = [
    position === null ? '-' : `${position}`,
    utcDate(date),
    EVENTS[event],
    accrual_id === null ? `payout ${payout_id}` : `accrual ${accrual_id}`,
    ...[amount, unitCode(units, unit_id), row.available, row.on_hold, row.reserved, row.paid],
  ];
  const why = [cause === null ? [] : causeOf(cause), reason ?? []].flat().join('; ');
  sheet.line(cells(COLUMNS, values), { size: TEXT, keep: why === '' ? 0 : SMALL * 1.4 });
  if (why !== '') sheet.line([{ text: why, x: CAUSE_X, width: sheet.width - CAUSE_X }], { size: SMALL, isGrey: true });
}

export interface StatementEnd {
  /** The number of changes. */
  readonly rows: number;
  readonly proof: StatementProof | null;
  /** SHA-256 of the data, in hex. */
  readonly dataHash: string;
  /** Whether the statement has commits that the checkpoint lacks. */
  readonly hasLater: boolean;
}

export function drawEnd(sheet: Sheet, head: StatementHead, { rows, proof, dataHash, hasLater }: StatementEnd): void {
  sheet.heading(null);
  if (rows === 0) text(sheet, 'There are no changes in this period.');
  drawBalances(sheet, head, 'Closing balance', head.closing);
  section(sheet, 'Checkpoint', CODE_SIZE);
  sheet.code(proof?.sha256 ?? dataHash, CODE_SIZE);
  if (proof === null) {
    text(sheet, 'There is no checkpoint: the service keeps no proofs (PROOF=off).');
    text(sheet, 'SHA-256 of the data of this statement (botledger-statement/v1), also as the code at the right:');
    text(sheet, dataHash);
    text(sheet, 'Once the period has ended, each statement of this account and period has the same hash.');
    return;
  }
  field(sheet, 'Origin', proof.origin);
  field(sheet, 'Size', `${proof.size}`);
  field(sheet, 'Root hash', proof.root);
  field(sheet, 'Time', `${utcDate(proof.at)}, UTC`);
  if (proof.cosignatures.length === 0) field(sheet, 'Cosigned by', 'no witness');
  for (const { name, at } of proof.cosignatures) field(sheet, 'Cosigned by', `${name} at ${utcDate(at)}, UTC`);
  text(
    sheet,
    `SHA-256 of the proof file ${proof.fileName}, which is attached to this document, also as the code at the right:`,
  );
  text(sheet, proof.sha256);
  text(
    sheet,
    `The file proves the commits 1 to ${proof.commits} of the account. verify.mjs checks it without the service.`,
  );
  if (hasLater) text(sheet, 'Later commits are newer than the checkpoint: it does not prove them.');
}

function drawBalances(sheet: Sheet, { units }: StatementHead, title: string, balances: readonly BalanceRow[]): void {
  section(sheet, title, 2 * TEXT);
  if (balances.length === 0) text(sheet, 'No amounts.');
  else drawTitles(sheet, BALANCE_COLUMNS);
  for (const { unit_id, available, on_hold, reserved, paid } of balances) {
    const unit = unit_id === null ? undefined : units.get(unit_id);
    const values = [unit?.name ?? '-', unitCode(units, unit_id), available, on_hold, reserved, paid];
    sheet.line(cells(BALANCE_COLUMNS, values), { size: TEXT });
  }
}

function drawTitles(sheet: Sheet, columns: readonly Column[]): void {
  sheet.line(
    columns.map(({ title, ...place }) => ({ text: title, ...place })),
    { size: SMALL, isGrey: true, keep: TEXT * 2 },
  );
  sheet.rule();
}

/** @param keep room below the title that must be on its page */
function section(sheet: Sheet, title: string, keep = 30): void {
  sheet.gap(8);
  sheet.line([{ text: title, x: 0, width: sheet.width }], { size: SECTION, keep });
}

function field(sheet: Sheet, name: string, value: string): void {
  const nameWidth = 70;
  sheet.line(
    [
      { text: name, x: 0, width: nameWidth },
      { text: value, x: nameWidth, width: sheet.width - nameWidth - CODE_SIZE },
    ],
    { size: TEXT },
  );
}

const text = (sheet: Sheet, sentence: string): void =>
  sheet.line([{ text: sentence, x: 0, width: sheet.width - CODE_SIZE }], { size: TEXT });

const cells = (columns: readonly Column[], values: readonly string[]): Cell[] =>
  columns.map(({ x, width, isAmount = false }, i) => ({ text: values[i]!, x, width, isAmount }));

/** As the API names it, where the bot has no such unit. */
const unitCode = (units: StatementHead['units'], id: number | null): string =>
  id === null ? '-' : (units.get(id)?.code ?? `unit ${id}`);

/** In the words of the verifier, so that a reader finds the event. */
const causeOf = ({ commit_id, index, user_id, rule_id, compensates }: AccrualCause): string =>
  compensates === null
    ? `event ${index} of commit ${commit_id}, of user ${user_id}, by rule ${rule_id}`
    : `makes accrual ${compensates} good, by rule ${rule_id}`;
