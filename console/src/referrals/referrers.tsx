import { address, go, href } from '../address.ts';
import { date, number } from '../format.ts';
import { Failure } from '../parts/failure.tsx';
import { useLoad } from '../parts/load.ts';
import { Pager } from '../parts/pager.tsx';
import { texts } from '../texts.ts';
import { ask, type Program, type Referrer, type Referrers } from './data.ts';
import { Money, nameOf, unitName } from './parts.tsx';

const words = texts.referrals;
const SIZE = 50;
const ORDERS = ['referrals', 'balance', 'earned', 'paid'] as const;

/** The order of the list as the address has it: by referrals, or by an amount of a unit. */
function orderOf(query: URLSearchParams, { units }: Program): { readonly order: string; readonly unit: string } {
  const unit = query.get('unit') ?? String(units[0]?.unit_id ?? 'null');
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
  const { query } = address.value;
  const { order, unit } = orderOf(query, program);
  const offset = Number(query.get('offset') ?? 0);
  const change = (changes: Readonly<Record<string, string>>): void =>
    go(href('/referrals', { bot, order, unit, ...changes }));
  const { data, error, loading } = loaded.value;
  return (
    <section aria-busy={loading}>
      <div class="row filters">
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
      </div>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {data === undefined && error === undefined && <p class="quiet">{texts.loading}</p>}
      {data?.referrers.length === 0 && (order === 'referrals' ? <NoReferrers /> : <p>{words.nothingOfUnit}</p>)}
      {data !== undefined && data.referrers.length > 0 && (
        <>
          <Table bot={bot} program={program} referrers={data.referrers} />
          <Pager
            offset={offset}
            size={SIZE}
            more={data.referrers.length === SIZE}
            onOffset={(to) => change({ offset: `${to}` })}
          />
        </>
      )}
      {data !== undefined && <p class="quiet">{words.asOf(date(data.data_as_of))}</p>}
    </section>
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

function NoReferrers() {
  return (
    <section class="empty">
      <p>{words.noReferrers}</p>
      <pre>
        <code>{`curl ${window.location.origin}/v1/referral/create-code -H "Api-Key: $KEY" -H 'Content-Type: application/json' \\
  -d '{"user_id":4242}'`}</code>
      </pre>
    </section>
  );
}
