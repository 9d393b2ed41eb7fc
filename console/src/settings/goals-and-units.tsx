import type { Bot } from '../session.ts';
import { ChangeForm } from './change-form.tsx';
import { List, type Row, useList, useListPages } from './list.tsx';
import { words } from './words.ts';

const same = (row: Row): Row => row;

/** The goals of the bot. */
export function Goals({ bot }: { readonly bot: Bot }) {
  const { loaded, reload } = useList('goals', bot.resource_key);
  return (
    <>
      <h2>{words.sections.goals}</h2>
      <p class="quiet-text">{words.goalsMean}</p>
      <List
        list={loaded.value}
        reload={reload}
        caption={words.sections.goals}
        none={words.noGoals}
        columns={[
          { key: 'target_id', label: words.targetId },
          { key: 'name', label: words.name },
          { key: 'event_id', label: words.eventId },
        ]}
        row={same}
      />
      <h3>{words.newGoal}</h3>
      <ChangeForm
        path="goals/create"
        bot={bot.resource_key}
        submit={words.createGoal}
        makes
        fields={[
          { name: 'target_id', label: words.targetId, type: 'integer', required: true, hint: words.targetIdHint },
          { name: 'name', label: words.name, required: true },
        ]}
        body={({ target_id, name }) => ({ target_id: Number(target_id), name })}
        onDone={reload}
      />
    </>
  );
}

/** The units of the bot, and the exchange rates that all owners share. */
export function Units({ bot }: { readonly bot: Bot }) {
  const { loaded, reload } = useList('units', bot.resource_key);
  const rates = useListPages('exchange-rates', bot.resource_key);
  return (
    <>
      <h2>{words.sections.units}</h2>
      <p class="quiet-text">{words.unitsMean}</p>
      <List
        list={loaded.value}
        reload={reload}
        caption={words.sections.units}
        none={words.noUnits}
        columns={[
          { key: 'unit_id', label: words.number },
          { key: 'code', label: words.code },
          { key: 'name', label: words.name },
          { key: 'scale', label: words.scale, type: 'number' },
        ]}
        row={same}
      />
      <h3>{words.newUnit}</h3>
      <ChangeForm
        path="units/create"
        bot={bot.resource_key}
        submit={words.createUnit}
        makes
        fields={[
          { name: 'code', label: words.code, required: true, hint: words.codeHint },
          { name: 'name', label: words.name },
          { name: 'scale', label: words.scale, type: 'integer', value: '2', required: true },
        ]}
        body={({ code, name, scale }) => ({ code, name: name === '' ? null : name, scale: Number(scale) })}
        onDone={reload}
      />
      <h2>{words.rates}</h2>
      <p class="quiet-text">{words.ratesMean}</p>
      <List
        list={rates.list}
        reload={rates.reload}
        caption={words.rates}
        none={words.noRates}
        columns={[
          { key: 'from', label: words.from },
          { key: 'to', label: words.to },
          { key: 'rate', label: words.rate, type: 'number' },
          { key: 'date', label: words.since, type: 'date' },
        ]}
        row={same}
      />
      {rates.pager}
    </>
  );
}
