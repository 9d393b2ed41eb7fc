import { useSignal } from '@preact/signals';
import type { Value } from '../api.ts';
import { cell } from '../format.ts';
import { loadEvents } from '../parts/catalog.ts';
import { useLoad } from '../parts/load.ts';
import type { Bot } from '../session.ts';
import { texts } from '../texts.ts';
import { ChangeForm } from './change-form.tsx';
import { List, type Row, useList } from './list.tsx';
import { words } from './words.ts';

interface Rule extends Row {
  readonly rule_id: number;
  readonly name: string;
  readonly trigger_event_id: number;
  readonly reward_type: keyof typeof words.rewardTypes;
  readonly active: boolean;
}

/** The reward rules of the bot: create, edit, deactivate. */
export function Rules({ bot }: { readonly bot: Bot }) {
  const key = bot.resource_key;
  const { loaded, reload } = useList<Rule>('rules', key);
  const units = useList('units', key);
  const events = useLoad(() => (signal) => loadEvents(key, signal));
  const edited = useSignal<number | null>(null);
  const type = useSignal<Rule['reward_type']>('percent');
  const eventName = new Map(events.loaded.value.data?.map(({ event_id, name }) => [event_id, name]));
  const unitCode = new Map(units.loaded.value.data?.map(({ unit_id, code }) => [unit_id, String(code)]));
  const rule = loaded.value.data?.find(({ rule_id }) => rule_id === edited.value);

  const terms = (reward: Rule['reward_type'], of?: Rule) => [
    ...(reward === 'fixed'
      ? [{ name: 'amount', label: words.amount, value: text(of?.['amount']), required: true }]
      : []),
    ...(reward === 'percent'
      ? [
          {
            name: 'percent',
            label: words.percent,
            value: text(of?.['percent']),
            required: true,
            hint: words.percentHint,
          },
        ]
      : []),
    { name: 'hold_days', label: words.holdDays, value: text(of?.['hold_days'] ?? 0), hint: words.holdHint },
  ];
  return (
    <>
      <h2>{words.sections.rules}</h2>
      <p class="quiet-text">{words.rulesMean}</p>
      <List
        list={loaded.value}
        reload={reload}
        caption={words.sections.rules}
        none={words.noRules}
        columns={[
          { key: 'rule_id', label: words.number },
          { key: 'name', label: words.name },
          {
            key: 'actions',
            label: words.actions,
            show: (_, row) => (
              <button
                type="button"
                class="btn quiet small"
                onClick={() => {
                  edited.value = Number(row['rule_id']);
                }}
              >
                {words.edit}
                <span class="hidden"> {String(row['name'])}</span>
              </button>
            ),
          },
          { key: 'event', label: words.event },
          { key: 'reward', label: words.reward },
          { key: 'hold_days', label: words.holdDays, type: 'number' },
          { key: 'state', label: words.state },
        ]}
        row={(each) => ({
          ...each,
          event: eventName.get(each.trigger_event_id) ?? String(each.trigger_event_id),
          reward: rewardOf(each, unitCode),
          state: each.active ? words.active : words.inactive,
          actions: null,
        })}
      />
      {rule !== undefined && (
        <section key={rule.rule_id}>
          <h3>{words.editRule(rule.name)}</h3>
          <p class="quiet-text">{words.editMeans}</p>
          <ChangeForm
            path="rules/edit"
            bot={key}
            submit={words.save}
            fields={[
              { name: 'name', label: words.name, value: rule.name, required: true },
              ...terms(rule.reward_type, rule),
              { name: 'active', label: words.activeLabel, type: 'flag', value: rule.active },
            ]}
            body={(given) => ({ rule_id: rule.rule_id, ...given })}
            onDone={() => {
              edited.value = null;
              reload();
            }}
          />
          <button
            class="btn"
            type="button"
            onClick={() => {
              edited.value = null;
            }}
          >
            {texts.back}
          </button>
        </section>
      )}
      <section>
        <h3>{words.newRule}</h3>
        <p>
          <label>
            {words.rewardType}
            <select
              class="input"
              value={type.value}
              onChange={(event) => {
                type.value = event.currentTarget.value as Rule['reward_type'];
              }}
            >
              {Object.entries(words.rewardTypes).map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </label>
        </p>
        <ChangeForm
          path="rules/create"
          bot={key}
          submit={words.createRule}
          makes
          fields={[
            { name: 'name', label: words.name, required: true },
            {
              name: 'trigger_event_id',
              label: words.event,
              type: 'choice',
              required: true,
              options: (events.loaded.value.data ?? []).map(({ event_id, name }) => ({
                value: String(event_id),
                label: name,
              })),
            },
            ...terms(type.value),
            { name: 'currency', label: words.currency, hint: words.currencyHint },
          ]}
          body={({ trigger_event_id, currency, ...given }) => ({
            ...given,
            reward_type: type.value,
            trigger_event_id: Number(trigger_event_id),
            ...(currency === '' ? {} : unitOf(String(currency), units.loaded.value.data ?? [])),
          })}
          onDone={() => {
            reload();
            units.reload();
          }}
        />
      </section>
    </>
  );
}

/** A unit of the bot by its code, else a currency, which the service checks. */
function unitOf(code: string, units: readonly Row[]): object {
  const found = units.find((unit) => unit['code'] === code.toUpperCase());
  return found === undefined ? { currency: code } : { unit_id: found['unit_id'] };
}

const text = (value: Value | undefined): string => (value === null || value === undefined ? '' : String(value));

function rewardOf(rule: Rule, unitCode: ReadonlyMap<Value | undefined, string>): string {
  if (rule.reward_type === 'percent') return `${cell(rule['percent'], 'number')} %`;
  if (rule.reward_type === 'external') return words.rewardTypes.external;
  return `${cell(rule['amount'], 'number')} ${unitCode.get(rule['unit_id']) ?? ''}`.trim();
}
