import { duration, instant, number } from '../format.ts';
import { Card } from '../parts/card.tsx';
import { type DataColumn, DataTable } from '../parts/data-table.tsx';
import { Note } from '../parts/note.tsx';
import { isolated } from '../parts/quoted.ts';
import { type Inspected, isOver, type Overview, type UpgradePlan } from './answers.ts';
import { Lines, OpenInspection } from './comparison.tsx';
import type { Ask } from './confirm.tsx';
import { ErrorText } from './error-text.tsx';
import { inspectionWords as words } from './inspection-words.ts';
import { words as pageWords } from './words.ts';

type Planned = UpgradePlan['read_models'][number];

const BUILD_COLUMNS: readonly DataColumn<Planned>[] = [
  { key: 'name', label: pageWords.readModel, head: true },
  {
    key: 'changes',
    label: words.why,
    show: (_, { from_shape, to_shape, changes }) =>
      [from_shape === null ? words.whyNew : words.whyShape(from_shape, to_shape), changes.join('; ')].join(' '),
  },
  { key: 'commits', label: words.commits, type: 'number' },
  {
    key: 'seconds',
    label: words.time,
    type: 'number',
    show: (_, { seconds }) => (seconds === null ? words.unknown : duration(Math.ceil(Number(seconds)))),
  },
  {
    key: 'disk_bytes',
    label: words.disk,
    type: 'number',
    show: (_, { disk_bytes }) =>
      disk_bytes === null ? words.unknown : words.megabytes(number(Math.ceil(Number(disk_bytes) / 1e6))),
  },
];

interface UpgradeProps {
  readonly overview: Overview;
  /** Null: this operator can only read. */
  readonly ask: Ask | null;
}

/** The plan of an upgrade, with a button for the next one. */
export function Upgrade({ overview: { plan, results }, ask }: UpgradeProps) {
  const found = plan && (results.get(plan.inspection_id) as Inspected<UpgradePlan> | undefined);
  return (
    <Card
      title={words.upgrade}
      lead={
        <>
          {words.upgradeMeans} <code>{words.planCommand}</code>
        </>
      }
      stack
    >
      {plan === undefined && <p>{words.noPlan}</p>}
      {plan !== undefined && plan.state !== 'done' && (
        <OpenInspection inspection={plan} runs={words.planning} failed={words.planFailed} />
      )}
      {found !== undefined && (
        <>
          <p class="quiet-text">{words.plannedBy(isolated(found.operator), instant(found.finished_at!))}</p>
          <Plan plan={found.result} />
        </>
      )}
      {ask !== null && (
        <button
          class="btn"
          type="button"
          disabled={plan !== undefined && !isOver(plan)}
          onClick={() =>
            ask({
              title: words.planTitle,
              effect: words.planEffect,
              path: 'inspections',
              body: { kind: 'upgrade_plan' },
              reason: false,
            })
          }
        >
          {words.plan}
        </button>
      )}
    </Card>
  );
}

function Plan({ plan: { release, migrations, read_models, events, steps } }: { readonly plan: UpgradePlan }) {
  const built = read_models.filter(({ is_built }) => is_built);
  const unreadable = (events?.types ?? []).filter((type) => type.unreadable !== null);
  const isBad = unreadable.length > 0;
  const hasWork = built.length + migrations.length > 0;
  return (
    <>
      <Note
        kind={isBad ? 'bad' : hasWork ? 'warn' : 'good'}
        what={isBad ? words.unreadable(release) : hasWork ? words.hasWork(release) : words.nothingToDo(release)}
      >
        {!isBad && (
          <p>{events === null ? words.notRead : words.read(number(events.commits), number(events.types.length))}</p>
        )}
      </Note>
      {isBad && (
        <section>
          <h3>{words.events}</h3>
          {unreadable.map(({ type, v, events: count, unreadable: first }) => (
            <div key={`${type} ${v}`}>
              {words.event(type, v, number(count), first!.position)} <ErrorText text={first!.error} />
            </div>
          ))}
        </section>
      )}
      <Lines
        title={words.migrations}
        lines={migrations.map(({ schema, names }) => words.migration(schema, names.join(', ')))}
      />
      {built.length > 0 && (
        <section>
          <h3>{words.builds}</h3>
          <DataTable caption={words.builds} columns={BUILD_COLUMNS} rows={built} />
        </section>
      )}
      {hasWork && <Lines title={words.final} lines={finalOf(migrations, built)} />}
      {(hasWork || isBad) && (
        <section>
          <h3>{words.steps}</h3>
          <ol>
            {steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </section>
      )}
    </>
  );
}

/** A migration of this name only adds what the former release need not know. */
const EXPANDS = /^\d{4}_expand_/;

function finalOf(migrations: UpgradePlan['migrations'], built: readonly Planned[]): string[] {
  const gone = built.filter(({ serves_former, from_shape }) => !serves_former && from_shape !== null);
  const isFinal = migrations.some(({ names }) => names.some((name) => !EXPANDS.test(name)));
  const lines = [
    ...(isFinal ? [words.finalMigration] : []),
    ...(gone.length > 0 ? [words.finalBuild(gone.map(({ name }) => name).join(', '))] : []),
  ];
  return lines.length > 0 ? lines : [words.nothingFinal];
}
