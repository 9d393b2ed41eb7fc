import { createHash } from 'node:crypto';
import type pg from 'pg';
import { type Snapshot, snapshotPages } from '../../database/snapshot.ts';
import type { Reader } from '../../projections/reader.ts';
import { type BotRow, listUnits } from '../../queries/catalog/bots.ts';
import type { ExportPeriod } from '../../queries/export/columns.ts';
import { balanceAt } from '../../queries/referral/find-balance.ts';
import { findAccount, statementRows } from '../../queries/referral/statement-rows.ts';
import { workInSlices } from '../../util/work-in-slices.ts';
import { SETTINGS } from '../export/open-export.ts';
import { withFirst } from '../export/with-first.ts';
import type { ProofFile } from '../proof/prove-account.ts';
import { drawEnd, drawHead, drawRow } from './layout.ts';
import type { Sheet } from './sheet.ts';
import { closingText, headText, rowText, type StatementHead, type StatementProof } from './statement-data.ts';
import { proofOf } from './statement-proof.ts';

export interface StatementContext {
  readonly db: Reader;
  /** The connections of statements. */
  readonly pool: pg.Pool;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Makes the proof of the account as it was at a time. Null: the service keeps no proofs. */
  readonly prove: ((at: number | null) => Promise<ProofFile>) | null;
  /** Ends the statement: later reads reject. */
  readonly signal: AbortSignal;
}

export interface StatementRequest {
  readonly bot: BotRow;
  readonly userId: number;
  readonly period: ExportPeriod;
}

export interface OpenedStatement {
  /** The PDF. The caller must read the parts to the end, or `return()`: until then a connection and a snapshot are held. */
  readonly parts: AsyncIterableIterator<Uint8Array>;
  /** The rows of the parts so far, and at the end the hash. */
  readonly done: () => { readonly rows: number; readonly sha256: string | null };
}

/** There is no such statement. The message says why. */
export class NoStatementError extends Error {
  override readonly name = 'NoStatementError';
  constructor(
    readonly reason: 'no account' | 'not begun',
    message: string,
  ) {
    super(message);
  }
}

/** Rows that are read in one go. */
const PAGE_ROWS = 250;
/** Requests of the service wait for at most this time. */
const SLICE_MS = 5;

/**
 * Begins a statement of an account as PDF (decisions.md#statement): one snapshot for all its rows. The first part is made before this
 * resolves, so an unknown account is an error here.
 * @throws NoStatementError @throws NoProofError
 */
export async function openStatement(context: StatementContext, request: StatementRequest): Promise<OpenedStatement> {
  const { db, pool, now, prove, signal } = context;
  const { bot, userId, period } = request;
  const madeAt = now();
  if (period.from !== null && period.from > madeAt)
    throw new NoStatementError('not begun', 'the period has not begun yet');
  const tables = await db.at('accounts', 'catalog');
  const units = new Map((await listUnits(tables, bot.bot_id)).map((unit) => [unit.unit_id, unit]));
  const { accounts } = tables;
  // Proves first: the snapshot then has each commit that the proof has.
  const proof = prove === null ? null : await proofOf(await prove(period.to === null ? null : period.to - 1), userId);
  const { openSheet } = await import('./sheet.ts');
  let done: ReturnType<OpenedStatement['done']> = { rows: 0, sha256: null };

  async function* read({ transaction }: Snapshot): AsyncGenerator<Uint8Array> {
    const tx = await transaction();
    const account = { bot: bot.public_key, userId };
    const found = await findAccount(tx, accounts, account);
    if (found === null)
      throw new NoStatementError('no account', `user ${userId} has no account: nothing was ever earned`);
    const { from } = period;
    const until = Math.min((period.to ?? Number.POSITIVE_INFINITY) - 1, Math.max(madeAt, found.clock));
    const at = (time: number) => balanceAt({ pool: tx, accounts }, account, time);
    const [opening, closing] = [from === null ? [] : await at(from - 1), await at(until)];
    const head: StatementHead = { bot, userId, from, until, madeAt, units, opening, closing };
    const sheet = openSheet(`Statement of ${bot.public_key}/${userId}`, `${bot.public_key}/${userId}`, madeAt);
    const pages = statementRows(tx, { accounts, account, pageRows: PAGE_ROWS }, { from: from ?? 0, until });
    yield* draw(sheet, head, pages);
  }

  async function* draw(sheet: Sheet, head: StatementHead, pages: ReturnType<typeof statementRows>) {
    const nextSlice = workInSlices(SLICE_MS);
    const hash = createHash('sha256').update(headText(head));
    let [rows, position] = [0, 0];
    drawHead(sheet, head);
    for await (const page of pages)
      for (const row of page) {
        drawRow(sheet, head.units, row);
        hash.update(rowText(row));
        rows++;
        position = Math.max(position, row.position ?? 0);
        await nextSlice();
        const bytes = sheet.taken();
        if (bytes !== null) yield bytes;
      }
    const dataHash = hash.update(closingText(head)).digest('hex');
    if (proof !== null) attachProof(sheet, proof);
    drawEnd(sheet, head, { rows, proof, dataHash, hasLater: position > (proof?.commits ?? position) });
    yield* sheet.end();
    done = { rows, sha256: proof?.sha256 ?? dataHash };
  }

  const parts = snapshotPages(pool, { cancel: { signal, others: tables.pool }, settings: SETTINGS }, read);
  const first = await parts.next();
  return { parts: withFirst(first, parts), done: () => done };
}

function attachProof(sheet: Sheet, { fileName: name, deflated, sizeBytes }: StatementProof): void {
  const description = 'Proves the balance; verify.mjs checks it';
  sheet.attach({ name, type: 'application/json', description, deflated, sizeBytes });
}
