import { useSignal } from '@preact/signals';
import { href } from '../address.ts';
import { request } from '../api.ts';
import { number } from '../format.ts';
import { useAttempt } from '../parts/attempt.ts';
import { Card } from '../parts/card.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { type DataColumn, DataTable } from '../parts/data-table.tsx';
import { Failure } from '../parts/failure.tsx';
import type { Chain, Commit } from './data.ts';
import { words } from './words.ts';

const COLUMNS: readonly DataColumn[] = [
  { key: 'position', label: words.commit, type: 'number' },
  { key: 'date', label: words.date, type: 'when' },
  { key: 'events', label: words.eventsOfCommit },
  { key: 'hash', label: words.hash, show: (hash) => <code>{hash}</code> },
];

interface ChainProps {
  readonly bot: string;
  readonly user: string;
}

/** The commits of the account in the log with their hashes, on demand: they are what an auditor compares. */
export function ChainOfAccount({ bot, user }: ChainProps) {
  const head = useSignal<Chain['head']>(null);
  const commits = useSignal<readonly Commit[]>([]);
  const { error, busy, run } = useAttempt();
  const more = (): Promise<void> =>
    run(async () => {
      const last = commits.value.at(-1);
      const from = last === undefined ? {} : { position: `${last.position}`, hash: last.hash };
      const query = new URLSearchParams({ user_id: user, ...from });
      const chain = await request<Chain>(`/v1/referral/chain?${query}`, { bot });
      head.value = chain.head;
      commits.value = [...commits.value, ...chain.commits];
    });
  const left = (head.value?.position ?? 0) - (commits.value.at(-1)?.position ?? 0);
  return (
    <Card title={words.chain}>
      <details
        class="chain"
        onToggle={(event) => {
          if (event.currentTarget.open && head.value === null && !busy.value) void more();
        }}
      >
        <summary>{words.chainShow}</summary>
        <p class="quiet-text">{words.chainMeans}</p>
        {error.value !== undefined && <Failure error={error.value} retry={() => void more()} />}
        {head.value !== null && (
          <>
            <p class="hash">
              {words.head(number(head.value.position))} <code>{head.value.hash}</code>
              <CopyButton text={head.value.hash} label={words.copyHash} />
            </p>
            <DataTable
              caption={words.chain}
              columns={COLUMNS}
              rows={commits.value.map(({ events, ...commit }) => ({ ...commit, events: events.join(', ') }))}
            />
            {left > 0 && (
              <button class="btn" type="button" disabled={busy.value} onClick={() => void more()}>
                {words.moreCommits(number(left))}
              </button>
            )}
          </>
        )}
      </details>
      <p>
        <a href={href('/operations', { bot, user })}>{words.audit}</a>
      </p>
    </Card>
  );
}
