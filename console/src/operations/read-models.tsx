import { duration, number, share } from '../format.ts';
import { Card } from '../parts/card.tsx';
import { Pill } from '../parts/pill.tsx';
import { isOver, type Job, type Overview, type Version } from './answers.ts';
import type { Ask } from './confirm.tsx';
import { ErrorText } from './error-text.tsx';
import { keyOf, type Sample, secondsLeft, Trend } from './trend.tsx';
import { words } from './words.ts';

interface ReadModelsProps {
  readonly overview: Overview;
  readonly seen: ReadonlyMap<string, readonly Sample[]>;
  /** Null: this operator can only read. */
  readonly ask: Ask | null;
}

/** Every version of every read model: its state, its lag, and the step that comes next. */
export function ReadModels({ overview: { versions, commits, jobs }, seen, ask }: ReadModelsProps) {
  return (
    <Card title={words.readModels} lead={words.readModelsMeans} flush>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reachable by keyboard */}
      {/* biome-ignore lint/a11y/useSemanticElements: a table is no group of fields */}
      <div class="scroll" role="group" tabIndex={0} aria-label={words.readModels}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{words.readModel}</th>
              <th scope="col">{words.state}</th>
              <th scope="col">{words.lag}</th>
              <th scope="col">{words.next}</th>
            </tr>
          </thead>
          <tbody>
            {versions.map((version) => (
              <VersionRow
                key={keyOf(version)}
                version={version}
                versions={versions}
                commits={commits}
                samples={seen.get(keyOf(version)) ?? []}
                busy={jobs.find((job) => !isOver(job) && job.projection === version.name)}
                ask={ask}
              />
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

interface RowProps {
  readonly version: Version;
  readonly versions: readonly Version[];
  readonly commits: number;
  readonly samples: readonly Sample[];
  /** The job that works on the read model. */
  readonly busy: Job | undefined;
  readonly ask: Ask | null;
}

function VersionRow({ version, versions, commits, samples, busy, ask }: RowProps) {
  const { state, live, verified, lag, error } = version;
  const left = secondsLeft(samples);
  const done = Math.max(0, commits - lag.events);
  return (
    <tr>
      <th scope="row">
        {version.name} <span class="sub">{words.version(version.version)}</span>
      </th>
      <td>
        <StatePill version={version} />
        {state === 'ready' && !live && <span class="sub">{verified ? words.verified : words.notVerified}</span>}
        {error !== null && <ErrorText text={error} />}
      </td>
      <td class={state === 'building' ? undefined : 'lag'}>
        {state === 'building' ? (
          <>
            <progress max={Math.max(commits, 1)} value={done} aria-label={words.building(version.name)} />
            <div class="quiet-text">
              {words.built(share(commits === 0 ? 1 : done / commits), number(done), number(commits))}
              {left !== null && ` ${words.left(duration(left))}`}
            </div>
          </>
        ) : (
          <>
            {lag.events === 0 ? words.upToDate : words.behind(duration(lag.seconds), number(lag.events))}{' '}
            <Trend samples={samples} />
          </>
        )}
      </td>
      <td>
        <Next version={version} versions={versions} busy={busy} ask={ask} />
      </td>
    </tr>
  );
}

function StatePill({ version: { state, live } }: Pick<RowProps, 'version'>) {
  if (state === 'stopped') return <Pill kind="bad">{words.states.stopped}</Pill>;
  if (state === 'building') return <Pill kind="now">{words.states.building}</Pill>;
  return live ? <Pill kind="good">{words.states.live}</Pill> : <Pill>{words.states[state]}</Pill>;
}

/** The next step in words, and the buttons of all steps that are possible. */
function Next({ version, versions, busy, ask }: Omit<RowProps, 'commits' | 'samples'>) {
  const { name, state, live, verified, next } = version;
  const newest = Math.max(...versions.filter((each) => each.name === name).map((each) => each.version));
  const isNewest = version.version === newest;
  const steps = busy === undefined && ask !== null ? ask : null;
  const job = (kind: 'rebuild' | 'verify') => () =>
    steps?.({
      title: words.titles[kind](name),
      effect: words.effects[kind],
      path: 'jobs',
      body: { kind, projection: name },
      reason: true,
    });
  const change = (kind: 'switch' | 'drop') => () =>
    steps?.({
      title: words.titles[kind](`${name} ${words.version(version.version)}`),
      effect: words.effects[kind],
      path: `projections/${kind}`,
      body: { name, version: version.version },
      reason: true,
    });
  return (
    <>
      {busy !== undefined && isNewest ? (
        <p>{words.jobRuns(words.kinds[busy.kind])}</p>
      ) : (
        next !== null && <p>{words.nextSteps[next]}</p>
      )}
      {steps !== null && (
        <div class="btns">
          {isNewest && live && (
            <button class="btn" type="button" onClick={job('rebuild')}>
              {words.rebuild} <span class="hidden">{name}</span>
            </button>
          )}
          {isNewest && state !== 'building' && (
            <button class="btn" type="button" onClick={job('verify')}>
              {words.verify} <span class="hidden">{name}</span>
            </button>
          )}
          {!live && verified && state === 'ready' && (
            <button class="btn" type="button" onClick={change('switch')}>
              {words.switch} <span class="hidden">{`${name} ${words.version(version.version)}`}</span>
            </button>
          )}
          {!live && (
            <button class="btn" type="button" onClick={change('drop')}>
              {words.drop} <span class="hidden">{`${name} ${words.version(version.version)}`}</span>
            </button>
          )}
        </div>
      )}
    </>
  );
}
