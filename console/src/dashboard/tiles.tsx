import { useComputed } from '@preact/signals';
import { href } from '../address.ts';
import type { Value } from '../api.ts';
import { money, number, perCent, figure as short, shortNumber } from '../format.ts';
import { Pending } from '../parts/failure.tsx';
import { useLoad } from '../parts/load.ts';
import { Spark, Tile } from '../parts/tile.tsx';
import { type ReportState, START, writeState } from '../reports/state.ts';
import { type Bot, currency } from '../session.ts';
import type { Figure } from './figures.ts';
import { type Counted, loadFigures } from './load-figures.ts';
import { periodOfPage } from './period-of-page.ts';
import type { DashboardPeriod } from './span.ts';
import { words } from './words.ts';

interface TilesProps {
  readonly bot: Bot;
  readonly figures: readonly Figure[];
}

/** The chosen figures of the period, each against the period before. */
export function Tiles({ bot, figures }: TilesProps) {
  const period = useComputed(() => JSON.stringify(periodOfPage()));
  const { loaded, reload } = useLoad(
    () => {
      const asked = JSON.parse(period.value) as DashboardPeriod;
      return (signal) => loadFigures(bot, figures, asked, signal);
    },
    { poll: ({ isRunning }) => (isRunning ? 'still' : 'never') },
  );
  const { data, loading } = loaded.value;
  return (
    <section class="figures" aria-label={words.figuresLabel} aria-busy={loading}>
      <Pending loaded={loaded.value} retry={reload} />
      {data !== undefined && (
        <div class="tiles">
          {data.figures.map((counted) => (
            <FigureTile key={counted.figure.id} bot={bot} counted={counted} isRunning={data.isRunning} />
          ))}
        </div>
      )}
    </section>
  );
}

interface FigureTileProps {
  readonly bot: Bot;
  readonly counted: Counted;
  readonly isRunning: boolean;
}

function FigureTile({ bot, counted: { figure, value, before, course }, isRunning }: FigureTileProps) {
  const period = periodOfPage();
  const state: ReportState = { ...START, chart: 'number', metrics: figure.metric ? [figure.metric] : [], period };
  const link =
    figure.metric === undefined ? '#growth' : href('/reports', { bot: bot.resource_key, report: writeState(state) });
  return (
    <Tile
      id={figure.id}
      name={figure.name}
      figure={
        figure.isMoney ? (
          <>
            {shown(value, figure)} <small>{currency()}</small>
          </>
        ) : (
          shown(value, figure)
        )
      }
      exact={figure.isMoney ? `${number(amount(value))} ${currency()}` : number(amount(value))}
      spark={<Spark values={course} isRunning={isRunning} />}
      change={<Change value={value} before={before} figure={figure} />}
      href={link}
    />
  );
}

/** Nothing summed up is nothing. */
const amount = (value: Value): number | string => (value === null || typeof value === 'boolean' ? 0 : value);

/** A value as a tile has it: short from 10,000 on. */
function shown(value: Value, { isMoney }: Figure): string {
  const given = amount(value);
  const float = Number(given);
  if (!isMoney) return short(float);
  return Math.abs(float) < 10_000 ? money(given, null) : shortNumber(float);
}

type ChangeProps = Pick<Counted, 'value' | 'before' | 'figure'>;

/** By how much a figure is more or less than in the period before. */
function Change({ value, before, figure }: ChangeProps) {
  const [now, then] = [Number(amount(value)), Number(amount(before))];
  const part = then > 0 ? (now - then) / then : null;
  const isUp = now > then;
  const isGood = isUp !== figure.isBad;
  return (
    <>
      {part !== null && now !== then && (
        <span class={isGood ? 'up' : 'down'}>
          {isUp ? '▲' : '▼'} {perCent(Math.abs(part))}
        </span>
      )}{' '}
      <span class="from">
        {now === then
          ? words.same
          : words.from(figure.isMoney ? `${shown(before, figure)} ${currency()}` : shown(before, figure))}
      </span>
    </>
  );
}
