import { request } from '../api.ts';
import { duration, instant, number } from '../format.ts';
import { Pending } from '../parts/failure.tsx';
import { useLoad } from '../parts/load.ts';
import { texts } from '../texts.ts';
import type { BackgroundProcess, BotErrorGroup } from './answers.ts';

const words = texts.operations;

/** The background processes, the instance that does the work of each, and the work that fails. */
export function Processes({ processes }: { readonly processes: readonly BackgroundProcess[] }) {
  return (
    <section>
      <h2>{words.processes}</h2>
      {processes.length === 0 ? (
        <p>{words.noProcesses}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reachable by keyboard
        <section class="scroll" tabIndex={0} aria-label={words.processes}>
          <table>
            <thead>
              <tr>
                <th scope="col">{words.process}</th>
                <th scope="col">{words.state}</th>
                <th scope="col">{words.lag}</th>
                <th scope="col">{words.lease}</th>
              </tr>
            </thead>
            <tbody>
              {processes.map(({ name, state, lag, error, lease, failures }) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>
                    {state === 'live' ? words.runs : <strong class="bad">{words.fails}</strong>}
                    {failures.length === 0 && error !== null && <div class="failure">{error}</div>}
                    {failures.map((failure) => (
                      <div class="failure" key={failure.subject}>
                        {`${failure.subject}: ${failure.error}`}
                      </div>
                    ))}
                  </td>
                  <td class="lag">
                    {lag.events === 0 ? words.upToDate : words.behind(duration(lag.seconds), number(lag.events))}
                  </td>
                  <td>{lease === null ? words.noLease : words.instance(lease.holder.slice(0, 8))}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </section>
  );
}

/** Bot errors of all bots, grouped by message. They are loaded once: the query looks through all errors of a week. */
export function BotErrors() {
  const { loaded, reload } = useLoad(
    () => (signal) => request<{ readonly items: readonly BotErrorGroup[] }>('/admin/v1/bot-errors', { signal }),
  );
  const { data } = loaded.value;
  return (
    <section>
      <h2>{words.botErrors}</h2>
      <Pending loaded={loaded.value} retry={reload} />
      {data?.items.length === 0 && <p>{words.noBotErrors}</p>}
      {data !== undefined && data.items.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reachable by keyboard
        <section class="scroll" tabIndex={0} aria-label={words.botErrors}>
          <table>
            <thead>
              <tr>
                <th scope="col">{words.message}</th>
                <th scope="col">{words.source}</th>
                <th scope="col" class="number">
                  {words.count}
                </th>
                <th scope="col" class="number">
                  {words.unresolved}
                </th>
                <th scope="col" class="number">
                  {words.bots}
                </th>
                <th scope="col">{words.last}</th>
              </tr>
            </thead>
            <tbody>
              {data.items.map(({ message, source, kind, count, unresolved, bots, last }) => (
                <tr key={`${source} ${kind} ${message}`}>
                  <th scope="row" class="message">
                    {message}
                  </th>
                  <td>{source}</td>
                  <td class="number">{number(count)}</td>
                  <td class="number">{number(unresolved)}</td>
                  <td class="number">{number(bots)}</td>
                  <td>{instant(last)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {data !== undefined && (
        <button type="button" onClick={reload}>
          {words.refresh}
        </button>
      )}
    </section>
  );
}
