import type { ComponentChildren } from 'preact';
import { address, go, href } from '../address.ts';
import { number } from '../format.ts';
import { useLoad } from '../parts/load.ts';
import { texts } from '../texts.ts';
import { ask, type Payout, type Payouts, type Program } from './data.ts';
import { Listing, SIZE } from './listing.tsx';
import { Money, nameOf, unitName } from './parts.tsx';

const words = texts.referrals;
/** Those that payouts of one referrer and of all have. */
const COLUMNS = [words.unit, words.status, words.method, words.requested, words.processed, words.deliveries];
const STATUSES = [0, 1, 2, 3, 4] as const;

/** The payouts of all referrers, the latest first. */
export function PayoutsOfAll({ bot, program }: { readonly bot: string; readonly program: Program }) {
  const { loaded, reload } = useLoad(
    () => {
      const { query } = address.value;
      const status = query.get('status');
      const page = { limit: `${SIZE}`, offset: query.get('offset') ?? '0' };
      return (signal) => ask<Payouts>(bot, 'all-payouts', status === null ? page : { ...page, status }, signal);
    },
    { poll: ({ payouts }) => (payouts.some(isUnderWay) ? 'running' : 'still') },
  );
  const status = address.value.query.get('status') ?? '';
  const first = { bot, view: 'payouts', status };
  const payouts = loaded.value.data?.payouts;
  return (
    <Listing
      loaded={loaded.value}
      reload={reload}
      count={payouts?.length}
      first={first}
      none={<p>{status === '' ? words.noPayouts : words.noPayoutsOfStatus}</p>}
      filters={
        <label>
          {words.status}
          <select
            value={status}
            onChange={(event) => go(href('/referrals', { ...first, status: event.currentTarget.value }))}
          >
            <option value="">{words.every}</option>
            {STATUSES.map((each) => (
              <option key={each} value={each}>
                {words.payoutStatuses[each]}
              </option>
            ))}
          </select>
        </label>
      }
    >
      <PayoutTable payouts={payouts ?? []} program={program} bot={bot} />
    </Listing>
  );
}

/** The service calls the client's webhook by itself. */
const isUnderWay = ({ status, method }: Payout): boolean => method === 'webhook' && status < 2;

interface PayoutTableProps {
  readonly payouts: readonly Payout[];
  readonly program: Program;
  /** Names each payout's referrer, with a link; absent: the payouts are of one. */
  readonly bot?: string;
  /** The accruals that a payout has, as links. */
  readonly accrualsOf?: (payout: Payout) => ComponentChildren;
}

export function PayoutTable({ payouts, program: { units }, bot, accrualsOf }: PayoutTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label={words.payouts}>
      <table>
        <thead>
          <tr>
            <th scope="col">{words.payout}</th>
            {bot !== undefined && <th scope="col">{words.referrer}</th>}
            <th scope="col" class="number">
              {words.amount}
            </th>
            {COLUMNS.map((label) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
            {accrualsOf !== undefined && <th scope="col">{words.accruals}</th>}
          </tr>
        </thead>
        <tbody>
          {payouts.map((payout) => (
            <tr key={payout.payout_id} id={`payout-${payout.payout_id}`} tabIndex={-1}>
              <td>{payout.payout_id}</td>
              {bot !== undefined && (
                <td>
                  <a href={href('/referrals', { bot, user: `${payout.user_id}` })}>
                    <bdi>{nameOf(payout)}</bdi>
                  </a>
                </td>
              )}
              <td class="number">
                <Money amount={payout.amount} />
              </td>
              <td>{unitName(units, payout.unit_id)}</td>
              <td>
                <span class={`state state-${payout.status}`}>{words.payoutStatuses[payout.status]}</span>
              </td>
              <td>
                {words.methods[payout.method as keyof typeof words.methods]}, {words.initiators[payout.initiated_by]}
              </td>
              <td class="when">{payout.requested_at}</td>
              <td class="when">{payout.processed_at ?? '–'}</td>
              <td>
                <Deliveries payout={payout} />
                <NextStep payout={payout} />
              </td>
              {accrualsOf !== undefined && <td>{accrualsOf(payout)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The next step of a payout that the service does not take by itself. */
function NextStep({ payout: { payout_id, status, method } }: { readonly payout: Payout }) {
  const isByHand = method === 'manual' && status === 0;
  if (!isByHand && status !== 3) return null;
  return (
    <span class="reason">
      {isByHand ? words.payByHand : words.sendAgain}{' '}
      <code>
        npx botledger payout {isByHand ? 'confirm' : 'retry'} --payout {payout_id}
      </code>{' '}
      {status === 3 && (
        <a href={href('/settings', { bot: address.value.query.get('bot') ?? undefined, section: 'webhook' })}>
          {words.webhookSettings}
        </a>
      )}
    </span>
  );
}

/** The calls of the client's webhook, and why the payout is where it is. */
function Deliveries({ payout: { deliveries, error, method } }: { readonly payout: Payout }) {
  if (deliveries.length === 0) return <>{error ?? (method === 'manual' ? words.byHand : '–')}</>;
  const last = deliveries.at(-1)!;
  return (
    <details>
      <summary>
        {words.attempts(number(deliveries.length), deliveries.length)}: {outcome(last)}
      </summary>
      <ol>
        {deliveries.map((delivery) => (
          <li key={delivery.attempt} value={delivery.attempt}>
            {delivery.at}: {outcome(delivery)}
          </li>
        ))}
      </ol>
    </details>
  );
}

function outcome({ status, error }: Payout['deliveries'][number]): string {
  return error ?? (status === null ? words.noAnswerYet : words.answered(status));
}
