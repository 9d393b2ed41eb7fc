import type { ConversionsAnswer, StatisticsAnswer } from '../../../src/api/broadcast/statistics-schemas.ts';
import { address, go, here } from '../address.ts';
import { request } from '../api.ts';
import { number, perCent } from '../format.ts';
import { Card } from '../parts/card.tsx';
import { loadEvents } from '../parts/catalog.ts';
import { eventOptions } from '../parts/event-options.ts';
import { nameOfEvent } from '../parts/event-words.ts';
import { Pending } from '../parts/failure.tsx';
import { Icon } from '../parts/icon.tsx';
import { useLoad } from '../parts/load.ts';
import { Picker } from '../parts/picker.tsx';
import { Seg } from '../parts/seg.tsx';
import { currency } from '../session.ts';
import { type Broadcast, isRunning } from './broadcast.ts';
import { type Column, Judgement } from './judgement.tsx';
import { FEW, type Rate, wilson } from './wilson.ts';
import { words } from './words.ts';

interface ResultsCardProps {
  readonly bot: string;
  readonly broadcast: Broadcast;
  readonly statistics: StatisticsAnswer | undefined;
}

const DAYS = { 1: words.days(1), 7: words.days(7), 30: words.days(30) } as const;

/** The results of the message: clicks and conversions, of each variant side by side, with the uncertainty. */
export function ResultsCard({ bot, broadcast, statistics }: ResultsCardProps) {
  const { id } = broadcast;
  const events = useLoad(() => (signal) => loadEvents(bot, signal));
  const conversions = useLoad(
    () => {
      const { query } = address.value;
      const event = query.get('event');
      const body = {
        task_id: id,
        event_id: event === null ? null : Number(event),
        days: Number(query.get('days') ?? 7),
      };
      return (signal) => request<ConversionsAnswer>('/v1/broadcast/conversions', { method: 'POST', bot, body, signal });
    },
    { keep: true, poll: () => (isRunning(broadcast) ? 'still' : 'seldom') },
  );
  const { query } = address.value;
  const event = query.get('event') ?? '';
  const chosen = events.loaded.value.data?.find(({ event_id }) => String(event_id) === event);
  const goal = chosen === undefined ? words.anyEvent : nameOfEvent(chosen);
  const counted = conversions.loaded.value.data;
  const columns = columnsOf(statistics, counted);
  return (
    <Card
      title={columns.length > 1 ? words.aOrB : words.results}
      busy={conversions.loaded.value.loading}
      actions={
        <>
          <Picker
            label={words.goal}
            look="btn quiet small"
            value={event}
            options={[
              { value: '', label: words.anyEvent },
              ...eventOptions(events.loaded.value.data ?? [], chosen?.event_id),
            ]}
            onPick={(picked) => go(here({ event: picked }))}
          >
            <bdi class="cut">{goal}</bdi> <Icon name="down" />
          </Picker>
          <Seg
            label={words.within}
            value={query.get('days') ?? '7'}
            of={DAYS as Readonly<Record<string, string>>}
            onPick={(days) => go(here({ days: days === '7' ? '' : days }))}
          />
        </>
      }
      footer={<span>{words.clicksMean}</span>}
    >
      <Pending loaded={conversions.loaded.value} retry={conversions.reload} />
      {statistics !== undefined && counted !== undefined && (
        <div class="stack">
          {columns.length > 1 && <Judgement broadcast={broadcast} columns={columns} goal={goal} />}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reachable by keyboard */}
          <section class="scroll" tabIndex={0} aria-label={words.byVariant}>
            <ResultsTable columns={columns} goal={words.goalWithin(goal, counted.days)} />
          </section>
          {counted.warnings.map(({ message }) => (
            <p class="warning" key={message}>
              {message}
            </p>
          ))}
        </div>
      )}
    </Card>
  );
}

function columnsOf(statistics: StatisticsAnswer | undefined, counted: ConversionsAnswer | undefined): Column[] {
  if (statistics === undefined || counted === undefined) return [];
  const all = [{ name: words.allRecipients, ...statistics.total }];
  const one = [{ name: words.allRecipients, ...counted.total }];
  const hasVariants = statistics.variants.length > 0;
  return (hasVariants ? statistics.variants : all).map(({ name, count_delivered, clicked }, index) => {
    const converted = (hasVariants ? counted.variants : one)[index]!;
    return {
      name,
      delivered: count_delivered,
      clicked: clicked === null ? null : { name, hits: clicked, all: count_delivered },
      converted: { name, hits: converted.converted, all: converted.delivered },
      inWindow: converted.in_window,
      value: converted.value,
    };
  });
}

interface ResultsTableProps {
  readonly columns: readonly Column[];
  /** The event and its window in words. */
  readonly goal: string;
}

function ResultsTable({ columns, goal }: ResultsTableProps) {
  const top = Math.max(...columns.flatMap(({ clicked, converted }) => [highOf(clicked), highOf(converted)]));
  return (
    <table class="table ab">
      <caption class="hidden">{words.results}</caption>
      <thead>
        <tr>
          <td />
          {columns.map(({ name }, index) => (
            <th key={index} scope="col">
              <span class={`key k${index + 1}`} />{' '}
              <bdi class="cut" title={name}>
                {name}
              </bdi>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">{words.parts.delivered}</th>
          {columns.map(({ delivered }, index) => (
            <td key={index}>
              <span class="figure">{number(delivered)}</span>
            </td>
          ))}
        </tr>
        <tr>
          <th scope="row">{words.clicked}</th>
          {columns.map(({ clicked }, index) => (
            <td key={index}>
              {clicked === null ? (
                <span class="quiet-text">{words.notCounted}</span>
              ) : (
                <Shown rate={clicked} top={top} color={index} />
              )}
            </td>
          ))}
        </tr>
        <tr>
          <th scope="row">
            <bdi class="cut" title={goal}>
              {goal}
            </bdi>
          </th>
          {columns.map(({ converted, inWindow, value }, index) => (
            <td key={index}>
              <Shown rate={converted} top={top} color={index} />
              <small>
                {Number(value) !== 0 && `${number(value)} ${currency() ?? ''} · `}
                {inWindow > 0 && words.haveTime(number(inWindow))}
              </small>
            </td>
          ))}
        </tr>
      </tbody>
    </table>
  );
}

const highOf = (rate: Rate | null): number => (rate === null || rate.all < FEW ? 0 : wilson(rate.hits, rate.all).high);

interface ShownProps {
  readonly rate: Rate;
  /** The end of the scale, a part of 1. */
  readonly top: number;
  /** Index of the colour. */
  readonly color: number;
}

/** A share with its base and its 95 % interval. Of few people it shows only the count. */
function Shown({ rate: { hits, all }, top, color }: ShownProps) {
  if (all < FEW) return <span class="figure">{words.ofAll(number(hits), number(all))}</span>;
  const { low, high } = wilson(hits, all);
  const at = (part: number): string => `${(100 * part) / top}%`;
  const range = words.range(perCent(low), perCent(high));
  return (
    <>
      <span class="figure">{perCent(hits / all)}</span>
      <small>
        {words.people(number(hits))} · {range}
      </small>
      <svg class={`interval k${color + 1}`} role="img" aria-label={words.intervalOf(range)}>
        <line x1="0" x2="100%" y1="50%" y2="50%" class="axis" />
        <line x1={at(low)} x2={at(high)} y1="50%" y2="50%" class="range" />
        <circle cx={at(hits / all)} cy="50%" r="5" />
      </svg>
    </>
  );
}
