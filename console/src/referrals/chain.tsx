import { useSignal } from '@preact/signals';
import { request } from '../api.ts';
import { number } from '../format.ts';
import { useAttempt } from '../parts/attempt.ts';
import { Failure } from '../parts/failure.tsx';
import { texts } from '../texts.ts';
import type { Chain, Commit } from './data.ts';

const words = texts.referrals;

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
    <details
      class="chain"
      onToggle={(event) => {
        if (event.currentTarget.open && head.value === null) void more();
      }}
    >
      <summary>{words.chain}</summary>
      <p class="quiet">{words.chainMeans}</p>
      {error.value !== undefined && <Failure error={error.value} retry={() => void more()} />}
      {head.value !== null && (
        <>
          <p>
            {words.head(number(head.value.position))} <code>{head.value.hash}</code>
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reachable by keyboard */}
          <section class="scroll" tabIndex={0} aria-label={words.chain}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{words.commit}</th>
                  <th scope="col">{words.date}</th>
                  <th scope="col">{words.eventsOfCommit}</th>
                  <th scope="col">{words.hash}</th>
                </tr>
              </thead>
              <tbody>
                {commits.value.map(({ position, date, events, hash }) => (
                  <tr key={position}>
                    <td>{number(position)}</td>
                    <td class="when">{date}</td>
                    <td>{events.join(', ')}</td>
                    <td>
                      <code>{hash}</code>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
          {left > 0 && (
            <button type="button" disabled={busy.value} onClick={() => void more()}>
              {words.moreCommits(number(left))}
            </button>
          )}
        </>
      )}
    </details>
  );
}
