import { duration, instant, number } from '../format.ts';
import { Note } from '../parts/note.tsx';
import { Tile } from '../parts/tile.tsx';
import type { Overview } from './answers.ts';
import { words } from './words.ts';

/** The answer first: whether a read model waits, and the figures that an operator looks for. */
export function Summary({ overview: { versions, commits, audit } }: { readonly overview: Overview }) {
  const stopped = versions.filter(({ state }) => state === 'stopped');
  const [slowest] = versions.filter(({ live }) => live).toSorted((a, b) => b.lag.seconds - a.lag.seconds);
  const isBehind = slowest !== undefined && slowest.lag.events > 0;
  return (
    <>
      {stopped.map(({ name, version }) => (
        <Note
          key={`${name} ${version}`}
          kind="bad"
          what={words.waits(name)}
          actions={
            <a class="btn small" href="#dead-letters">
              {words.seeLetters}
            </a>
          }
        >
          <p>{words.waitsMeans}</p>
        </Note>
      ))}
      {versions
        .filter(({ quarantined }) => quarantined.length > 0)
        .map(({ name, version, quarantined }) => (
          <Note
            key={`${name} ${version} bots`}
            kind="bad"
            what={words.botsWait(name, number(quarantined.length))}
            actions={
              <a class="btn small" href="#dead-letters">
                {words.seeLetters}
              </a>
            }
          >
            <p>{words.botsWaitMeans}</p>
          </Note>
        ))}
      <div class="tiles">
        <Tile name={words.commits} figure={number(commits)} />
        <Tile
          name={words.furthestBehind}
          figure={isBehind ? duration(slowest.lag.seconds) : '0'}
          change={isBehind ? slowest.name : words.noneBehind}
        />
        <Tile
          name={words.lastAudit}
          figure={
            audit === undefined
              ? '–'
              : audit.state === 'failed'
                ? words.auditFailed
                : words.foundCount(number(audit.findings_count))
          }
          change={audit === undefined ? words.noneYet : instant(audit.finished_at!)}
        />
      </div>
    </>
  );
}
