import { useMemo } from 'preact/hooks';
import { address, go, here } from '../address.ts';
import { instant, localOf, number, utcOf } from '../format.ts';
import { AsOf } from '../parts/as-of.tsx';
import { Card } from '../parts/card.tsx';
import { Failure } from '../parts/failure.tsx';
import { useLoad } from '../parts/load.ts';
import { Seg } from '../parts/seg.tsx';
import { ask, type Balances, type Line, type Program } from './data.ts';
import { Money, unitName } from './parts.tsx';
import { Slider } from './slider.tsx';
import { StepLine } from './step-line.tsx';
import { words } from './words.ts';

interface BalanceAtProps {
  readonly bot: string;
  readonly user: string;
  readonly program: Program;
  /** The latest lines of the history, the oldest of them first. */
  readonly lines: readonly Line[];
  /** Whether `lines` is the whole history. */
  readonly complete: boolean;
}

const AMOUNTS = ['available', 'on_hold', 'reserved', 'paid'] as const;

/** The balance now or at a moment, which a date field and a slider over the history choose. */
export function BalanceAt({ bot, user, program: { units }, lines, complete }: BalanceAtProps) {
  const at = address.value.query.get('at') ?? '';
  // A moment of the history is past, whatever the browser's clock says.
  const isAhead = Date.parse(`${at}Z`) > Date.now() && at > (lines.at(-1)?.date ?? '');
  const { loaded, reload } = useLoad(
    () => {
      const asked = address.value.query.get('at') ?? '';
      return async (signal) => {
        const get = (query: Readonly<Record<string, string>>) =>
          ask<Balances>(bot, 'balance', { user_id: user, ...query }, signal);
        const [then, now] = await Promise.all([get(asked === '' ? {} : { at: asked }), asked === '' ? null : get({})]);
        return { asked, ...then, now: now?.balance };
      };
    },
    // The heading says which moment the balance is of.
    { poll: () => 'still', keep: true },
  );
  const { data, error, loading } = loaded.value;
  const shown = data?.asked ?? at;
  const ids = useMemo(() => [...new Set(lines.map(({ unit_id }) => unit_id))], [lines]);
  const unit = ids.find((id) => `${id}` === address.value.query.get('unit')) ?? ids[0] ?? null;
  const row = isAhead ? undefined : data?.balance.find(({ unit_id }) => unit_id === unit);
  const now = data?.now?.find(({ unit_id }) => unit_id === unit);
  return (
    <Card
      title={shown === '' || isAhead ? words.balance : words.balanceThen(instant(shown))}
      busy={loading}
      actions={
        <>
          {ids.length > 1 && (
            <Seg
              label={words.unit}
              value={String(unit)}
              of={Object.fromEntries(ids.map((id) => [String(id), unitName(units, id)]))}
              onPick={(picked) => go(here({ unit: picked }), { replace: true })}
            />
          )}
          <MomentField at={at} />
        </>
      }
      footer={!isAhead && data?.data_as_of !== undefined ? <AsOf at={data.data_as_of} /> : undefined}
    >
      {isAhead && <p role="alert">{words.future}</p>}
      {error !== undefined && <Failure error={error} retry={reload} />}
      {!isAhead && data !== undefined && row === undefined && <p>{shown === '' ? words.nothing : words.nothingThen}</p>}
      {row !== undefined && (
        <dl class="balances">
          {AMOUNTS.map((key) => (
            <div key={key}>
              <dt>{key === 'available' ? words.availableIn(unitName(units, unit)) : words.amounts[key]}</dt>
              <dd class="figure">
                <Money amount={row[key]} />
              </dd>
              {now !== undefined && (
                <dd class="quiet-text small-text">
                  {words.nowIs} <Money amount={now[key]} />
                </dd>
              )}
            </div>
          ))}
        </dl>
      )}
      {ids.length > 0 && <StepLine lines={lines} unitId={unit} units={units} at={at} />}
      {!complete && <p class="warning">{words.charted(number(lines.length), instant(lines[0]!.date))}</p>}
      <Moments at={at} lines={lines} />
    </Card>
  );
}

const choose = (moment: string, replace: boolean): void => go(here({ at: moment, offset: '' }), { replace });

/** Any moment, by a date. */
function MomentField({ at }: { readonly at: string }) {
  return (
    <>
      <label>
        {words.at}
        <input
          class="input"
          type="datetime-local"
          step={1}
          max={localOf(new Date().toISOString())}
          value={at && localOf(at)}
          onChange={(event) => {
            const { value } = event.currentTarget;
            choose(value && utcOf(value), false);
          }}
        />
      </label>
      {at !== '' && (
        <button class="btn quiet" type="button" onClick={() => choose('', false)}>
          {words.backToNow}
        </button>
      )}
    </>
  );
}

/** The moments of the history, by a slider. */
function Moments({ at, lines }: { readonly at: string; readonly lines: readonly Line[] }) {
  const moments = useMemo(() => [...new Set(lines.map((line) => line.date))], [lines]);
  // The last moment that is not later; all of them: now.
  const index = at === '' ? moments.length : moments.filter((moment) => moment <= at).length - 1;
  if (moments.length === 0) return null;
  return (
    <Slider
      last={moments.length}
      value={Math.max(0, index)}
      text={at === '' ? words.now : instant(at)}
      onMove={(to) => choose(moments[to] ?? '', true)}
    />
  );
}
