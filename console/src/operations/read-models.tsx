import { duration, number, share } from '../format.ts';
import { Card } from '../parts/card.tsx';
import { Pill } from '../parts/pill.tsx';
import { isOver, type Job, type Overview, type Version } from './answers.ts';
import type { Ask, Change } from './confirm.tsx';
import { ErrorText } from './error-text.tsx';
import { keyOf, type Sample, Trend } from './trend.tsx';
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
  const { state, live, verified, lag, error, build } = version;
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
              {build !== null && ` ${speedOf(build)}`}
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

function speedOf({ max_rate, backs_off, events_per_second, seconds_left }: NonNullable<Version['build']>): string {
  const parts = [
    events_per_second === null ? null : words.rate(number(events_per_second)),
    max_rate === null ? null : words.maxRate(number(max_rate)),
    backs_off ? words.backsOff : null,
    seconds_left === null ? null : words.left(duration(seconds_left)),
  ];
  return parts.filter((part) => part !== null).join(' ');
}

function StatePill({ version: { state, live, build } }: Pick<RowProps, 'version'>) {
  if (build?.paused) return <Pill>{words.paused}</Pill>;
  if (state === 'stopped') return <Pill kind="bad">{words.states.stopped}</Pill>;
  if (state === 'building') return <Pill kind="now">{words.states.building}</Pill>;
  return live ? <Pill kind="good">{words.states.live}</Pill> : <Pill>{words.states[state]}</Pill>;
}

/** The next step in words, and the buttons of all steps that are possible. */
function Next({ version, versions, busy, ask }: Omit<RowProps, 'commits' | 'samples'>) {
  const { name, version: number, next } = version;
  const isNewest = versions.every((each) => each.name !== name || each.version <= number);
  const steps = ask === null ? [] : stepsOf(version, isNewest, busy !== undefined);
  return (
    <>
      {busy !== undefined && isNewest ? (
        <p>{words.jobRuns(words.kinds[busy.kind])}</p>
      ) : (
        next !== null && <p>{words.nextSteps[next]}</p>
      )}
      {steps.length > 0 && (
        <div class="btns">
          {steps.map((step) => (
            <button key={step} class="btn" type="button" onClick={() => ask?.(changeOf(step, version))}>
              {words[step]}{' '}
              <span class="hidden">
                {step === 'verify' || step === 'rebuild' ? name : `${name} ${words.version(number)}`}
              </span>
            </button>
          ))}
        </div>
      )}
    </>
  );
}

type Step = 'rebuild' | 'pause' | 'resume' | 'verify' | 'switch' | 'drop';

/** While a job works on the read model, only its build can be changed. */
function stepsOf({ state, live, verified, build }: Version, isNewest: boolean, isBusy: boolean): Step[] {
  const isBuilt = state === 'ready' && !live && verified;
  const steps: readonly (readonly [Step, boolean])[] = [
    ['rebuild', !isBusy && isNewest && live],
    ['pause', isNewest && build?.paused === false],
    ['resume', isNewest && build?.paused === true],
    ['verify', !isBusy && isNewest && state !== 'building'],
    ['switch', !isBusy && isBuilt],
    ['drop', !live && (!isBusy || build !== null)],
  ];
  return steps.filter(([, isPossible]) => isPossible).map(([step]) => step);
}

function changeOf(step: Step, { name, version }: Version): Change {
  const effect = words.effects[step];
  switch (step) {
    case 'rebuild':
    case 'verify':
      return {
        ...{ title: words.titles[step](name), effect, reason: true },
        ...{ path: 'jobs', body: { kind: step, projection: name } },
      };
    case 'pause':
    case 'resume':
      return {
        ...{ title: words.titles[step](`${name} ${words.version(version)}`), effect, reason: false },
        ...{ path: 'projections/build', body: { name, paused: step === 'pause' } },
      };
    default:
      return {
        ...{ title: words.titles[step](`${name} ${words.version(version)}`), effect, reason: true },
        ...{ path: `projections/${step}`, body: { name, version } },
      };
  }
}
