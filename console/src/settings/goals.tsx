import { href } from '../address.ts';
import type { Value } from '../api.ts';
import { dayName, number } from '../format.ts';
import { Card } from '../parts/card.tsx';
import { loadEvents } from '../parts/catalog.ts';
import { Cut } from '../parts/cut.tsx';
import { useLoad } from '../parts/load.ts';
import { SortedTable } from '../parts/sorted-table.tsx';
import type { Bot } from '../session.ts';
import { ChangeForm } from './change-form.tsx';
import { Listed, useList } from './list.tsx';
import { Maker } from './maker.tsx';
import { words } from './words.ts';

interface Goal {
  readonly target_id: number;
  readonly event_id: number;
  readonly name: string;
}

/** The goals of the bot, with how often they were reached. */
export function Goals({ bot: { resource_key: bot } }: { readonly bot: Bot }) {
  const { loaded, reload } = useList<Goal>('goals', bot);
  const events = useLoad(() => (signal) => loadEvents(bot, signal));
  const counts = new Map(events.loaded.value.data?.map((event) => [event.event_id, event]));
  const { data } = loaded.value;
  return (
    <Card
      title={words.sections.goals}
      lead={words.goalsMean}
      flush={data !== undefined && data.length > 0}
      actions={
        <Maker
          title={words.newGoal}
          form={(close) => (
            <ChangeForm
              path="goals/create"
              bot={bot}
              submit={words.createGoal}
              fields={[
                { name: 'target_id', label: words.targetId, type: 'integer', required: true, hint: words.targetIdHint },
                { name: 'name', label: words.name, required: true },
              ]}
              body={({ target_id, name }) => ({ target_id: Number(target_id), name })}
              onDone={() => {
                close();
                reload();
                events.reload();
              }}
            />
          )}
        />
      }
    >
      <Listed list={loaded.value} reload={reload} none={words.noGoals}>
        <SortedTable
          name="goals"
          caption={words.sections.goals}
          textOf={({ name, target_id }) => `${name} ${target_id}`}
          columns={[
            { key: 'name', label: words.name, head: true, show: (_, { name }) => <Cut text={name} /> },
            { key: 'target_id', label: words.targetId, type: 'id' },
            { key: 'count', label: words.times, type: 'number', show: (count, goal) => reached(bot, count, goal) },
            { key: 'last_seen', label: words.lastReached, show: day },
          ]}
          rows={(data ?? []).map((goal) => {
            const { count = null, last_seen = null } = counts.get(goal.event_id) ?? {};
            return { ...goal, count, last_seen };
          })}
        />
      </Listed>
    </Card>
  );
}

const day = (at: Value | undefined) => (typeof at === 'string' ? dayName(at) : '–');

/** The count of a goal, with the report that counts it. */
function reached(bot: string, count: Value | undefined, { event_id, name }: Goal) {
  if (typeof count !== 'number') return '–';
  if (count === 0) return '0';
  const report = JSON.stringify({ metrics: [{ event: event_id, name, agr: 'total' }] });
  return (
    <a class="cell" href={href('/reports/new', { bot, report })} aria-label={words.reportOf(number(count), name)}>
      {number(count)}
    </a>
  );
}
