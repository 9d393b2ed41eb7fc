import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { digestOf } from '../../administration/proof/stored-digest.ts';
import type { Stamp } from '../../commands/intake/append-intake.ts';
import type { Appended } from '../../log/port.ts';
import { sha256 } from '../../proof/merkle-tree.ts';
import type { Receipt } from '../../proof/receipt.ts';
import { principalOf } from '../access.ts';
import { invalid } from '../api-errors.ts';
import { idempotently, underKey } from '../idempotency.ts';

/** Signs a receipt (decisions.md#receipts). Null: the service has no key of checkpoints. */
export type SignReceipt = ((promised: Pick<Receipt, 'position' | 'commit' | 'request'>) => Promise<string>) | null;

const RECEIPT_HEADER = 'receipt';
/** The header that asks for a receipt. */
export const receiptHeaders = z.object({
  [RECEIPT_HEADER]: z
    .literal('signed')
    .optional()
    .describe('Asks for `receipt`: a signed promise that the log has these events, with PROOF=on'),
});

/** The field of an answer. */
export const receiptField = {
  receipt: z
    .string()
    .nullable()
    .optional()
    .describe('Only with the header `Receipt: signed`: a signed note. Null: nothing of the request is kept'),
};

export interface Acknowledged {
  readonly ok: true;
  readonly receipt?: string | null;
}

type Outcome = Pick<Appended, 'position' | 'repeated' | 'digest'>;
const ACCEPTED = { ok: true } as const;

/**
 * Appends what a request sends, once for an Idempotency-Key, and answers with a receipt if the request asks for one. A repeat gets
 * a receipt of the commit that it repeats. Without the header it costs nothing. Throws as `idempotently`.
 */
export function acknowledge(
  sign: SignReceipt,
  request: FastifyRequest,
  route: string,
  append: (stamp: Stamp) => Promise<Outcome | null>,
): Promise<Acknowledged> {
  const { keyId } = principalOf(request);
  const asked = request.headers[RECEIPT_HEADER];
  if (asked === undefined) return idempotently(request, route, ACCEPTED, (command) => append({ keyId, command }));
  if (asked !== 'signed') throw refusal('must be signed, or absent');
  if (sign === null) throw refusal('this service signs no receipts; its operator turns them on with PROOF=on');
  const body = sha256(request.rawBody ?? '');
  return underKey<Outcome | null, Acknowledged>(
    request,
    route,
    async (command, first) => {
      if (first !== null) return { position: first.position, repeated: first, digest: digestOf(first) };
      return append({ keyId, command: command && { ...command, answer: ACCEPTED }, digest: true });
    },
    async (done) => {
      if (done === null) return { ...ACCEPTED, receipt: null };
      return { ...ACCEPTED, receipt: await sign({ position: done.position, commit: done.digest!, request: body }) };
    },
  );
}

const refusal = (message: string): Error => invalid([{ path: 'Receipt', message }]);
