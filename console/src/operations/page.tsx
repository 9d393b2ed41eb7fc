import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Pending } from '../parts/failure.tsx';
import { Head } from '../parts/head.tsx';
import { useLoad } from '../parts/load.ts';
import type { OperatorSession } from '../session.ts';
import { isBusy, loadOverview, type Overview } from './answers.ts';
import { Comparisons } from './comparison.tsx';
import { type Ask, type Change, ConfirmChange } from './confirm.tsx';
import { DeadLetters } from './dead-letters.tsx';
import { Audit, Jobs } from './jobs.tsx';
import { BotErrors, Processes } from './processes.tsx';
import { ReadModels } from './read-models.tsx';
import { Summary } from './summary.tsx';
import { type Sample, withSamples } from './trend.tsx';
import { Upgrade } from './upgrade.tsx';
import { words } from './words.ts';

/** The state of the service, and the changes of an operator who can act. It loads each second while something runs. */
export function OperationsPage({ operator }: { readonly operator: OperatorSession }) {
  const { loaded, reload } = useLoad(() => loadOverview, { poll: (found) => (isBusy(found) ? 'running' : 'still') });
  const asked = useSignal<Change | null>(null);
  const { data } = loaded.value;
  const seen = useSamples(data);
  const ask: Ask | null =
    operator.can === 'act'
      ? (change) => {
          asked.value = change;
        }
      : null;
  return (
    <div class="operations">
      <Head title={words.title} />
      {ask === null && <p class="quiet-text">{words.readOnly}</p>}
      <Pending loaded={loaded.value} retry={reload} />
      {data !== undefined && (
        <>
          <Summary overview={data} />
          <ReadModels overview={data} seen={seen} ask={ask} />
          <Comparisons overview={data} />
          <Upgrade overview={data} ask={ask} />
          <DeadLetters letters={data.letters} total={data.letterCount} ask={ask} />
          <Jobs jobs={data.jobs} />
          <Audit overview={data} ask={ask} />
          <Processes processes={data.processes} />
          <BotErrors />
        </>
      )}
      {asked.value !== null && <ConfirmChange change={asked.value} asked={asked} onDone={reload} />}
    </div>
  );
}

/** The lags that this page has seen since it was opened. */
function useSamples(data: Overview | undefined): ReadonlyMap<string, readonly Sample[]> {
  const kept = useRef<{ readonly data: Overview | undefined; readonly seen: ReadonlyMap<string, readonly Sample[]> }>({
    data: undefined,
    seen: new Map(),
  });
  if (data !== undefined && data !== kept.current.data)
    kept.current = { data, seen: withSamples(kept.current.seen, data.versions, performance.now()) };
  return kept.current.seen;
}
