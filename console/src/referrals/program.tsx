import type { Value } from '../api.ts';
import { cell } from '../format.ts';
import { type DataColumn, DataTable } from '../parts/data-table.tsx';
import type { Program } from './data.ts';
import { unitName } from './parts.tsx';
import { words } from './words.ts';

/** The columns that rules and a referrer's rates share. */
export function rateColumns({ units }: Program): DataColumn[] {
  return [
    {
      key: 'reward_type',
      label: words.reward,
      show: (value) => words.rewards[value as keyof typeof words.rewards],
    },
    {
      key: 'reward_amount',
      label: words.rate,
      type: 'number',
      show: (value, row) => {
        if (value !== null) return `${cell(value, 'number')} ${unitName(units, row['unit_id'] as number | null)}`;
        return row['reward_percent'] === null ? '–' : `${cell(row['reward_percent'], 'number')} %`;
      },
    },
  ];
}

const yesNo = (value: Value | undefined): string => (value === true ? words.yes : words.no);

/** The rules and their rates; they are changed elsewhere. */
export function Rules({ program }: { readonly program: Program }) {
  if (program.rules.length === 0)
    return (
      <section class="empty">
        <p>{words.noRules}</p>
        <pre>
          <code>npx botledger rule create --name "Orders" --trigger-event-id 3 --type percent --percent 5</code>
        </pre>
      </section>
    );
  return (
    <DataTable
      caption={words.views.rules}
      columns={[
        { key: 'name', label: words.rule, show: (value) => <bdi>{String(value)}</bdi> },
        {
          key: 'trigger_event',
          label: words.trigger,
          show: (value, row) => <bdi>{String(value ?? row['trigger_event_id'])}</bdi>,
        },
        ...rateColumns(program),
        { key: 'hold_days', label: words.hold, type: 'number' },
        { key: 'active', label: words.active, show: yesNo },
      ]}
      rows={program.rules.map(({ amount, percent, ...rule }) => ({
        ...rule,
        reward_amount: amount,
        reward_percent: percent,
      }))}
    />
  );
}
