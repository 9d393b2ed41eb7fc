import type { ClientBase } from 'pg';
import type { UpdateItem } from '../../domain/intake/intake-events.ts';
import { SYSTEM_EVENTS } from '../../domain/intake/system-events.ts';
import { partitionOf } from '../../log/port.ts';
import { copyInto, copyLine } from '../batch-sql.ts';
import type { ReadCommit } from '../read-model.ts';
import { rowsByKey } from '../rows-by-key.ts';
import type { Bot, RefundedPayment } from './batch.ts';
import type { ItemOrigin } from './draft.ts';

/**
 * Payments and refunds by the platform's id of the charge (decisions.md#refunds): each counts once. A payment whose refund
 * counts has a row in `refunded_payments`, at the position of the later of the two.
 */
export const CHARGES_DDL = `
CREATE TABLE charges (
  bot_id int NOT NULL,
  charge_id text COLLATE "C" NOT NULL,
  refunded boolean NOT NULL,
  /* the payment; null: only its refund has arrived */
  user_id bigint,
  received bigint,
  commit_id uuid,
  idx smallint,
  PRIMARY KEY (bot_id, charge_id)
);
CREATE TABLE refunded_payments (
  user_id bigint NOT NULL,
  received bigint NOT NULL,
  commit_id uuid NOT NULL,
  bot_id int NOT NULL,
  lane int NOT NULL,
  idx smallint NOT NULL,
  position text COLLATE "C" NOT NULL,
  PRIMARY KEY (lane, position, bot_id, commit_id, idx)
);
`;

export function nameCharges(names: Set<string>, event: ReadCommit['events'][number]): void {
  if (event.type !== 'updates_received') return;
  for (const { charge_id } of event.data.items) if (charge_id !== undefined) names.add(charge_id);
}

/** @returns whether the item counts: false for a payment or a refund whose charge had one before */
export function takeCharge(
  { bot_id, charges }: Bot,
  { charge_id, event_id, user_id }: Pick<UpdateItem, 'charge_id' | 'event_id' | 'user_id'>,
  { commit_id, idx, at: received, position }: ItemOrigin,
  refundedPayments: RefundedPayment[],
): boolean {
  if (charge_id === undefined) return true;
  const charge = charges.get(charge_id) ?? { payment: null, refunded: false, changed: true };
  charges.set(charge_id, charge);
  if (event_id === SYSTEM_EVENTS.refund) {
    if (charge.refunded) return false;
    charge.refunded = true;
  } else {
    if (charge.payment !== null) return false;
    charge.payment = { user_id, received, commit_id, idx };
  }
  charge.changed = true;
  if (charge.refunded && charge.payment !== null) refundedPayments.push({ bot_id, ...charge.payment, position });
  return true;
}

type ChargeRow = [refunded: boolean, user_id: number | null, received: number, commit_id: string, idx: number];

/** Adds the named charges that the table has to `charges` of their bots. */
export async function loadCharges(
  tx: ClientBase,
  wanted: readonly { readonly bot: Bot; readonly id: string }[],
): Promise<void> {
  const bots = wanted.map(({ bot }) => bot);
  const ids = wanted.map(({ id }) => id);
  const columns = 'refunded, user_id::float8, received::float8, commit_id, idx';
  const table = { table: 'charges', key: 'charge_id', columns };
  const rows = await rowsByKey<ChargeRow>(tx, 'events.load_charges', table, bots, ids);
  for (const [i, refunded, user_id, received, commit_id, idx] of rows) {
    const { bot, id } = wanted[i]!;
    const payment = user_id === null ? null : { user_id, received, commit_id, idx };
    bot.charges.set(id, { payment, refunded, changed: false });
  }
}

export async function writeCharges(tx: ClientBase, bots: readonly Bot[]): Promise<void> {
  const rows = bots.flatMap(({ bot_id, charges }) =>
    [...charges]
      .filter(([, { changed }]) => changed)
      .map(([charge_id, { refunded, payment }]) => ({ bot_id, charge_id, refunded, ...payment })),
  );
  if (rows.length === 0) return;
  await tx.query({
    name: 'events.write_charges',
    text: `INSERT INTO charges SELECT * FROM jsonb_populate_recordset(NULL::charges, $1)
           ON CONFLICT (bot_id, charge_id) DO UPDATE SET refunded = EXCLUDED.refunded, user_id = EXCLUDED.user_id,
             received = EXCLUDED.received, commit_id = EXCLUDED.commit_id, idx = EXCLUDED.idx`,
    values: [JSON.stringify(rows)],
  });
}

export async function writeRefundedPayments(tx: ClientBase, payments: readonly RefundedPayment[]): Promise<void> {
  const lines = payments.map(({ user_id, received, commit_id, bot_id, idx, position }) =>
    copyLine([user_id, received, commit_id, bot_id, partitionOf(position), idx, position]),
  );
  await copyInto(tx, 'refunded_payments', 'user_id, received, commit_id, bot_id, lane, idx, position', lines);
}
