import type { Value } from '../api.ts';
import { cell } from '../format.ts';
import { Card } from '../parts/card.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { Cut } from '../parts/cut.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { texts } from '../texts.ts';
import type { Program, Rate } from './data.ts';
import { unitName } from './parts.tsx';
import { words } from './words.ts';

/** The reward of a rule: an amount with its unit, or a part of the value. */
function rewardText(
  { reward_amount, reward_percent, unit_id }: Pick<Rate, 'reward_amount' | 'reward_percent' | 'unit_id'>,
  { units }: Program,
): string {
  if (reward_amount !== null) return `${cell(reward_amount, 'number')} ${unitName(units, unit_id)}`;
  return reward_percent === null ? '–' : `${cell(reward_percent, 'number')}\u2009%`;
}

/** The rates of a referrer: those of the rules, or what was locked. */
export function RatesCard({ program, rates }: { readonly program: Program; readonly rates: readonly Rate[] }) {
  return (
    <Card title={words.rates}>
      <ul class="stack">
        {rates.map((rate) => (
          <li key={rate.rule_id} class="row-between">
            <div>
              <Cut text={rate.rule_name ?? words.ruleNo(rate.rule_id)} />
              <p class="quiet-text small-text">
                {rate.locked && rate.source !== null ? words.lockedBy[rate.source] : words.asTheRuleSays}
              </p>
            </div>
            <span>
              <b>{rewardText(rate, program)}</b> {words.rewards[rate.reward_type]}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

const yesNo = (value: Value | undefined): string => (value === true ? words.yes : words.no);

/** The rules and their rates; they are changed elsewhere. */
export function Rules({ program }: { readonly program: Program }) {
  if (program.rules.length === 0)
    return (
      <section class="empty">
        <p>{words.noRules}</p>
        <CodeBlock
          name={texts.terminal}
          code='npx botledger rule create --name "Orders" --trigger-event-id 3 --type percent --percent 5'
        />
      </section>
    );
  return (
    <section class="card" aria-label={words.views.rules}>
      <div class="body flush">
        <DataTable
          caption={words.views.rules}
          columns={[
            { key: 'name', label: words.rule, type: 'string', head: true },
            {
              key: 'trigger_event',
              label: words.trigger,
              show: (_, { trigger_event, trigger_event_id }) => <Cut text={trigger_event ?? `${trigger_event_id}`} />,
            },
            { key: 'reward_type', label: words.reward, show: (_, rule) => words.rewards[rule.reward_type] },
            {
              key: 'amount',
              label: words.rate,
              type: 'number',
              show: (_, { amount, percent, unit_id }) =>
                rewardText({ reward_amount: amount, reward_percent: percent, unit_id }, program),
            },
            { key: 'hold_days', label: words.hold, type: 'number' },
            { key: 'active', label: words.active, show: yesNo },
          ]}
          rows={program.rules}
        />
      </div>
    </section>
  );
}
