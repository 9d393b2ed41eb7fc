import { useSignal } from '@preact/signals';
import type { Value } from '../api.ts';
import { cell } from '../format.ts';
import { Card } from '../parts/card.tsx';
import { type KnownEvent, loadEvents } from '../parts/catalog.ts';
import { Cut } from '../parts/cut.tsx';
import { Drawer } from '../parts/drawer.tsx';
import { eventOptions } from '../parts/event-options.ts';
import { eventNames } from '../parts/event-words.ts';
import { Icon } from '../parts/icon.tsx';
import { useLoad } from '../parts/load.ts';
import { Picker } from '../parts/picker.tsx';
import { Pill } from '../parts/pill.tsx';
import { SortedTable } from '../parts/sorted-table.tsx';
import type { Bot } from '../session.ts';
import { ChangeForm } from './change-form.tsx';
import type { Field } from './fields.tsx';
import { Listed, type Row, useList } from './list.tsx';
import { Maker } from './maker.tsx';
import { words } from './words.ts';

interface Rule extends Row {
  readonly rule_id: number;
  readonly name: string;
  readonly trigger_event_id: number;
  readonly reward_type: keyof typeof words.rewardTypes;
  readonly active: boolean;
}

/** The reward rules of the bot: create, edit, deactivate. */
export function Rules({ bot: { resource_key: bot } }: { readonly bot: Bot }) {
  const { loaded, reload } = useList<Rule>('rules', bot);
  const units = useList('units', bot);
  const events = useLoad(() => (signal) => loadEvents(bot, signal));
  const edited = useSignal<number | null>(null);
  const { data } = loaded.value;
  const known = events.loaded.value.data ?? [];
  const rule = data?.find(({ rule_id }) => rule_id === edited.value);
  return (
    <>
      <Card
        title={words.sections.rules}
        lead={words.rulesMean}
        flush={data !== undefined && data.length > 0}
        busy={loaded.value.loading}
        actions={
          <Maker
            title={words.newRule}
            form={(close) => (
              <NewRule
                bot={bot}
                events={known}
                units={units.loaded.value.data ?? []}
                onDone={() => {
                  close();
                  reload();
                  units.reload();
                }}
              />
            )}
          />
        }
      >
        <Listed list={loaded.value} reload={reload} none={words.noRules}>
          <RuleTable
            rules={data ?? []}
            events={known}
            units={units.loaded.value.data ?? []}
            onEdit={(id) => {
              edited.value = id;
            }}
          />
        </Listed>
      </Card>
      {rule !== undefined && (
        <Drawer
          title={words.editRule(rule.name)}
          sub={words.editMeans}
          onClose={() => {
            edited.value = null;
          }}
        >
          <ChangeForm
            path="rules/edit"
            bot={bot}
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
        </Drawer>
      )}
    </>
  );
}

interface Known {
  readonly events: readonly KnownEvent[];
  readonly units: readonly Row[];
}

interface RuleTableProps extends Known {
  readonly rules: readonly Rule[];
  readonly onEdit: (id: number) => void;
}

function RuleTable({ rules, events, units, onEdit }: RuleTableProps) {
  const names = eventNames(events);
  const unitCode = new Map(units.map(({ unit_id, code }) => [unit_id, String(code)]));
  return (
    <SortedTable
      name="rules"
      caption={words.sections.rules}
      textOf={({ name, event }) => `${name} ${event}`}
      columns={[
        {
          key: 'name',
          label: words.name,
          head: true,
          show: (_, { rule_id, name }) => (
            <span class="who">
              <Cut text={name} />
              <button
                type="button"
                class="btn quiet small only-icon"
                aria-label={words.editRule(name)}
                onClick={() => onEdit(rule_id)}
              >
                <Icon name="edit" />
              </button>
            </span>
          ),
        },
        { key: 'event', label: words.event, show: (event) => <Cut text={String(event)} /> },
        { key: 'reward', label: words.reward },
        { key: 'hold_days', label: words.holdDays, type: 'number' },
        {
          key: 'state',
          label: words.state,
          show: (state, { active }) => (
            <Pill kind={active ? 'good' : undefined} icon={active ? 'check' : 'close'}>
              {state}
            </Pill>
          ),
        },
        { key: 'rule_id', label: words.number, type: 'id', wide: true },
      ]}
      rows={rules.map((rule) => ({
        ...rule,
        event: names.get(rule.trigger_event_id) ?? String(rule.trigger_event_id),
        reward: rewardOf(rule, unitCode),
        state: rule.active ? words.active : words.inactive,
      }))}
    />
  );
}

interface NewRuleProps extends Known {
  readonly bot: string;
  readonly onDone: () => void;
}

function NewRule({ bot, events, units, onDone }: NewRuleProps) {
  const type = useSignal<Rule['reward_type']>('percent');
  return (
    <>
      <div class="field">
        <span class="label">{words.rewardType}</span>
        <Picker
          label={words.rewardType}
          value={type.value}
          options={Object.entries(words.rewardTypes).map(([value, label]) => ({ value, label }))}
          onPick={(picked) => {
            type.value = picked as Rule['reward_type'];
          }}
        />
      </div>
      <ChangeForm
        path="rules/create"
        bot={bot}
        submit={words.createRule}
        fields={[
          { name: 'name', label: words.name, required: true },
          { name: 'trigger_event_id', label: words.event, type: 'pick', required: true, options: eventOptions(events) },
          ...terms(type.value),
          { name: 'currency', label: words.currency, hint: words.currencyHint },
        ]}
        body={({ trigger_event_id, currency, ...given }) => ({
          ...given,
          reward_type: type.value,
          trigger_event_id: Number(trigger_event_id),
          ...(currency === '' ? {} : unitOf(String(currency), units)),
        })}
        onDone={onDone}
      />
    </>
  );
}

function terms(reward: Rule['reward_type'], of?: Rule): Field[] {
  const days = { name: 'hold_days', label: words.holdDays, value: text(of?.['hold_days'] ?? 0), hint: words.holdHint };
  if (reward === 'fixed')
    return [{ name: 'amount', label: words.amount, value: text(of?.['amount']), required: true }, days];
  if (reward !== 'percent') return [days];
  const hint = words.percentHint;
  return [{ name: 'percent', label: words.percent, value: text(of?.['percent']), required: true, hint }, days];
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
