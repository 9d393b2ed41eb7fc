import { address, go, href } from '../address.ts';
import { number } from '../format.ts';
import { curl } from '../parts/curl.ts';
import { useLoad } from '../parts/load.ts';
import { texts } from '../texts.ts';
import { ask, type Program, type Referrer, type Referrers } from './data.ts';
import { Listing, SIZE } from './listing.tsx';
import { Money, nameOf, unitName } from './parts.tsx';

const words = texts.referrals;
const ORDERS = ['referrals', 'balance', 'earned', 'paid'] as const;

/** The order of the list as the address has it: by referrals, or by an amount of a unit. An unknown one is the first, as the form shows. */
function orderOf(query: URLSearchParams, { units }: Program): { readonly order: string; readonly unit: string } {
  const known = [...units.map(({ unit_id }) => `${unit_id}`), 'null'];
  const unit = known.find((id) => id === query.get('unit')) ?? known[0]!;
  return { order: ORDERS.find((order) => order === query.get('order')) ?? 'referrals', unit };
}

/** The bot's referrers with their balances. */
export function ReferrersList({ bot, program }: { readonly bot: string; readonly program: Program }) {
  const { loaded, reload } = useLoad(
    () => {
      const { query } = address.value;
      const { order, unit } = orderOf(query, program);
      const page = { order, limit: `${SIZE}`, offset: query.get('offset') ?? '0' };
      return (signal) =>
        ask<Referrers>(bot, 'referrers', order === 'referrals' ? page : { ...page, unit_id: unit }, signal);
    },
    { poll: () => 'still' },
  );
  const { order, unit } = orderOf(address.value.query, program);
  const first = { bot, order, unit };
  const change = (changes: Readonly<Record<string, string>>): void => go(href('/referrals', { ...first, ...changes }));
  const referrers = loaded.value.data?.referrers;
  return (
    <Listing
      loaded={loaded.value}
      reload={reload}
      count={referrers?.length}
      first={first}
      none={order === 'referrals' ? <NoReferrers bot={bot} /> : <p>{words.nothingOfUnit}</p>}
      filters={
        <>
          <label>
            {words.orderedBy}
            <select value={order} onChange={(event) => change({ order: event.currentTarget.value })}>
              {ORDERS.map((each) => (
                <option key={each} value={each}>
                  {words.orders[each]}
                </option>
              ))}
            </select>
          </label>
          {order !== 'referrals' && (
            <label>
              {words.unit}
              <select value={unit} onChange={(event) => change({ unit: event.currentTarget.value })}>
                {program.units.map(({ unit_id, code }) => (
                  <option key={unit_id} value={unit_id}>
                    {code}
                  </option>
                ))}
                <option value="null">{words.noUnit}</option>
              </select>
            </label>
          )}
        </>
      }
    >
      <Table bot={bot} program={program} referrers={referrers ?? []} />
    </Listing>
  );
}

interface TableProps {
  readonly bot: string;
  readonly program: Program;
  readonly referrers: readonly Referrer[];
}

const AMOUNTS = ['available', 'on_hold', 'reserved', 'paid', 'earned'] as const;

/** A line for each unit of a referrer; the name stands once. */
function Table({ bot, program: { units }, referrers }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label={words.views.referrers}>
      <table>
        <thead>
          <tr>
            <th scope="col">{words.referrer}</th>
            <th scope="col" class="number">
              {words.referrals}
            </th>
            <th scope="col">{words.unit}</th>
            {AMOUNTS.map((key) => (
              <th key={key} scope="col" class="number">
                {words.amounts[key]}
              </th>
            ))}
          </tr>
        </thead>
        {referrers.map((referrer) => {
          const rows = referrer.balance.length === 0 ? [undefined] : referrer.balance;
          return (
            <tbody key={referrer.user_id}>
              {rows.map((row, index) => (
                <tr key={index}>
                  {index === 0 && (
                    <>
                      <th scope="rowgroup" rowSpan={rows.length}>
                        <a href={href('/referrals', { bot, user: `${referrer.user_id}` })}>
                          <bdi>{nameOf(referrer)}</bdi>
                        </a>
                      </th>
                      <td class="number" rowSpan={rows.length}>
                        {number(referrer.referrals)}
                      </td>
                    </>
                  )}
                  <td>{row === undefined ? '–' : unitName(units, row.unit_id)}</td>
                  {AMOUNTS.map((key) => (
                    <td key={key} class="number">
                      {row === undefined ? '–' : <Money amount={row[key]} />}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          );
        })}
      </table>
    </section>
  );
}

function NoReferrers({ bot }: { readonly bot: string }) {
  return (
    <section class="empty">
      <p>{words.noReferrers}</p>
      <pre>
        <code>{curl('referral/create-code', bot, '{"user_id":4242}')}</code>
      </pre>
    </section>
  );
}
