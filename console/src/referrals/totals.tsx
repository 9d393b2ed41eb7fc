import { figure, number, perCent } from '../format.ts';
import { Pending } from '../parts/failure.tsx';
import { useLoad } from '../parts/load.ts';
import { Tile } from '../parts/tile.tsx';
import { ask, type Program, type Totals } from './data.ts';
import { Money, unitName } from './parts.tsx';
import { words } from './words.ts';

/** Below this, a per cent says too little. */
const FEW = 30;

/** How far the program reaches: from visits by a link to rewards, and its amounts. */
export function ProgramTotals({ bot, program: { units } }: { readonly bot: string; readonly program: Program }) {
  const { loaded, reload } = useLoad(() => (signal) => ask<Totals>(bot, 'totals', {}, signal), {
    poll: () => 'seldom',
  });
  const { data } = loaded.value;
  if (data === undefined) return <Pending loaded={loaded.value} retry={reload} />;
  const { visited, came, referred, referrers, rewarded, amounts } = data;
  if (visited === 0 && referred === 0 && amounts.length === 0) return null;
  const step = (name: keyof typeof words.steps, count: number, change: string) => (
    <Tile id={name} name={words.steps[name]} figure={figure(count)} exact={number(count)} change={change} />
  );
  return (
    <section class="tiles" aria-label={words.program}>
      {step('visited', visited, words.came(number(came)))}
      {step('referred', referred, words.byReferrers(number(referrers)))}
      {step(
        'rewarded',
        rewarded,
        referred < FEW ? words.ofBrought(number(referred)) : words.partOfBrought(perCent(rewarded / referred)),
      )}
      {amounts.map(({ unit_id, earned, reserved, paid }) => (
        <Tile
          key={unit_id}
          id={`earned-${unit_id}`}
          name={words.earnedIn(unitName(units, unit_id))}
          figure={<Money amount={earned} />}
          change={
            <>
              <span>
                {words.amounts.paid} <Money amount={paid} />
              </span>
              <span>
                {words.inOpenPayouts} <Money amount={reserved} />
              </span>
            </>
          }
        />
      ))}
    </section>
  );
}
