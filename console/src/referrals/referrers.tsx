import { address, href } from '../address.ts';
import { number } from '../format.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { curl } from '../parts/curl.ts';
import { Cut } from '../parts/cut.tsx';
import { Choice, Listing, usePages } from '../parts/pages.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { texts } from '../texts.ts';
import { ask, type Program, type Referrer, type Referrers } from './data.ts';
import { Money, nameOf, unitName } from './parts.tsx';
import { ProgramTotals } from './totals.tsx';
import { UnitChoice } from './unit-choice.tsx';
import { words } from './words.ts';

/** The order of the list as the address has it: by referrals, or by an amount of a unit. An unknown one is the first, as the form shows. */
function orderOf(query: URLSearchParams, { units }: Program): { readonly order: string; readonly unit: string } {
  const known = [...units.map(({ unit_id }) => `${unit_id}`), 'null'];
  const unit = known.find((id) => id === query.get('unit')) ?? known[0]!;
  return { order: Object.keys(words.orders).find((order) => order === query.get('order')) ?? 'referrals', unit };
}

/** The bot's referrers with their balances. */
export function ReferrersList({ bot, program }: { readonly bot: string; readonly program: Program }) {
  const pages = usePages(
    (page) => {
      const { order, unit } = orderOf(address.value.query, program);
      const search = address.value.query.get('find') ?? '';
      const query = { order, search, ...page, ...(order === 'referrals' ? {} : { unit_id: unit }) };
      return (signal) => ask<Referrers>(bot, 'referrers', query, signal);
    },
    ({ referrers }) => referrers,
    { poll: () => 'still' },
  );
  const { order, unit } = orderOf(address.value.query, program);
  const isSearched = address.value.query.has('find');
  return (
    <>
      <ProgramTotals bot={bot} program={program} />
      <Listing
        title={words.views.referrers}
        pages={pages}
        none={
          isSearched ? (
            <p>{words.noneFound}</p>
          ) : order === 'referrals' ? (
            <NoReferrers bot={bot} />
          ) : (
            <p>{words.nothingOfUnit}</p>
          )
        }
        filters={
          <>
            <SearchField label={words.find} />
            <Choice label={words.orderedBy} name="order" of={words.orders} value={order} />
            {order !== 'referrals' && <UnitChoice program={program} value={unit} />}
          </>
        }
      >
        <Table bot={bot} program={program} referrers={pages.rows ?? []} />
      </Listing>
    </>
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
    // biome-ignore lint/a11y/useSemanticElements: a table is no group of fields
    <div class="scroll" role="group" tabIndex={0} aria-label={words.views.referrers}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{words.referrer}</th>
            <th scope="col" class="n number">
              {words.referrals}
            </th>
            <th scope="col">{words.unit}</th>
            {AMOUNTS.map((key) => (
              <th key={key} scope="col" class="n number">
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
                          <Cut text={nameOf(referrer)} />
                        </a>
                      </th>
                      <td class="n number" rowSpan={rows.length}>
                        {number(referrer.referrals)}
                      </td>
                    </>
                  )}
                  <td>{row === undefined ? '–' : unitName(units, row.unit_id)}</td>
                  {AMOUNTS.map((key) => (
                    <td key={key} class="n number">
                      {row === undefined ? '–' : <Money amount={row[key]} />}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          );
        })}
      </table>
    </div>
  );
}

function NoReferrers({ bot }: { readonly bot: string }) {
  return (
    <section class="empty">
      <p>{words.noReferrers}</p>
      <CodeBlock name={texts.terminal} code={curl('referral/create-code', bot, '{"user_id":4242}')} />
    </section>
  );
}
