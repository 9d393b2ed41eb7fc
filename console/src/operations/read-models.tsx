import { duration, number, share } from '../format.ts';
import { Card } from '../parts/card.tsx';
import { Pill } from '../parts/pill.tsx';
import { isOver, type Job, type Overview, type Version } from './answers.ts';
import { ComparisonState } from './comparison.tsx';
import type { Ask, Change } from './confirm.tsx';
import { ErrorText } from './error-text.tsx';
import { inspectionWords as texts } from './inspection-words.ts';
import { keyOf, type Sample, Trend } from './trend.tsx';
import { words } from './words.ts';

interface ReadModelsProps {
  readonly overview: Overview;
  readonly seen: ReadonlyMap<string, readonly Sample[]>;
  /** Null: this operator can only read. */
  readonly ask: Ask | null;
}

/** Every version of every read model: its state, its lag, and the step that comes next. */
export function ReadModels({ overview, seen, ask }: ReadModelsProps) {
  const { versions, jobs } = overview;
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
                overview={overview}
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
  readonly overview: Overview;
  readonly samples: readonly Sample[];
  /** The job that works on the read model. */
  readonly busy: Job | undefined;
  readonly ask: Ask | null;
}

function VersionRow({ version, overview, samples, busy, ask }: RowProps) {
  const { commits } = overview;
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
        <Next version={version} overview={overview} busy={busy} ask={ask} />
      </td>
    </tr>
  );
}

function speedOf(build: NonNullable<Version['build']>): string {
  const { max_rate, builders, backs_off, events_per_second, seconds_left } = build;
  const parts = [
    builders > 1 ? words.builders(number(builders)) : null,
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
function Next({ version, overview, busy, ask }: Omit<RowProps, 'samples'>) {
  const { name, version: number, next } = version;
  const { versions, comparisons, results } = overview;
  const isNewest = versions.every((each) => each.name !== name || each.version <= number);
  const comparison = comparisons.find((each) => each.projection === name && each.to === number);
  const isCompared = comparison !== undefined && !isOver(comparison);
  const before = versions.find((each) => each.name === name && each.live)?.version;
  const steps = ask === null ? [] : stepsOf(version, { isNewest, isBusy: busy !== undefined, before, isCompared });
  return (
    <>
      {busy !== undefined && isNewest ? (
        <p>{words.jobRuns(words.kinds[busy.kind])}</p>
      ) : (
        next !== null && <p>{words.nextSteps[next]}</p>
      )}
      {comparison !== undefined && <ComparisonState inspection={comparison} results={results} />}
      {steps.length > 0 && (
        <div class="btns">
          {steps.map((step) => (
            <button key={step} class="btn" type="button" onClick={() => ask?.(changeOf(step, version, before))}>
              {words[step]}{' '}
              <span class="hidden">
                {step === 'verify' || step === 'rebuild' ? name : `${name} ${words.version(number)}`}
              </span>
            </button>
          ))}
        </div>
      )}
      {ask !== null && isNewest && version.build !== null && <BuildLimit version={version} ask={ask} />}
    </>
  );
}

/** The most events a second of a build. An empty field is no limit. */
function BuildLimit({ version: { name, version, build }, ask }: { readonly version: Version; readonly ask: Ask }) {
  const title = `${name} ${words.version(version)}`;
  return (
    <form
      class="btns"
      onSubmit={(event) => {
        event.preventDefault();
        const given = String(new FormData(event.currentTarget).get('limit')).trim();
        const limit = given === '' ? null : Number(given);
        ask({
          title: limit === null ? texts.noLimitTitle(title) : texts.limitTitle(title),
          effect: limit === null ? texts.noLimitEffect : texts.limitEffect(number(limit)),
          ...{ path: 'projections/build', body: { name, max_rate: limit }, reason: false },
        });
      }}
    >
      <label>
        {texts.limit}
        <input
          class="input"
          name="limit"
          inputMode="numeric"
          pattern="[1-9][0-9]{0,8}"
          size={8}
          placeholder={texts.noLimit}
          title={texts.limitHint}
          defaultValue={build?.max_rate === null ? '' : String(build?.max_rate)}
        />
      </label>
      <button class="btn" type="submit">
        {texts.setLimit} <span class="hidden">{title}</span>
      </button>
    </form>
  );
}

interface Situation {
  readonly isNewest: boolean;
  /** Whether a job works on the read model. */
  readonly isBusy: boolean;
  /** The live version. */
  readonly before: number | undefined;
  /** Whether a comparison with the live version is open. */
  readonly isCompared: boolean;
}

type Step = 'rebuild' | 'pause' | 'resume' | 'verify' | 'compare' | 'switch' | 'drop';

/** While a job works on the read model, only its build can be changed. */
function stepsOf({ state, live, verified, served, build }: Version, situation: Situation): Step[] {
  const { isNewest, isBusy, before, isCompared } = situation;
  const isBuilt = state === 'ready' && !live && (verified || served);
  const steps: readonly (readonly [Step, boolean])[] = [
    ['rebuild', !isBusy && isNewest && live],
    ['pause', isNewest && build?.paused === false],
    ['resume', isNewest && build?.paused === true],
    ['verify', !isBusy && isNewest && state !== 'building'],
    ['compare', !isCompared && state === 'ready' && !live && before !== undefined],
    ['switch', !isBusy && isBuilt],
    ['drop', !live && (!isBusy || build !== null)],
  ];
  return steps.filter(([, isPossible]) => isPossible).map(([step]) => step);
}

function changeOf(step: Step, { name, version }: Version, before: number | undefined): Change {
  if (step === 'compare')
    return {
      ...{ title: texts.compareTitle(name, before!, version), effect: texts.compareEffect, reason: false },
      ...{ path: 'inspections', body: { kind: 'diff', projection: name, from: before, to: version } },
    };
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
