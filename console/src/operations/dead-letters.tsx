import { instant, number } from '../format.ts';
import { Card } from '../parts/card.tsx';
import { Pill } from '../parts/pill.tsx';
import type { Letter } from './answers.ts';
import type { Ask } from './confirm.tsx';
import { ErrorText } from './error-text.tsx';
import { words } from './words.ts';

interface DeadLettersProps {
  readonly letters: readonly Letter[];
  readonly total: number;
  readonly ask: Ask | null;
}

/** Commits that a read model cannot apply: the error, the events, retry and skip. */
export function DeadLetters({ letters, total, ask }: DeadLettersProps) {
  return (
    <Card title={words.letters} id="dead-letters">
      {letters.length === 0 ? (
        <p>{words.noLetters}</p>
      ) : (
        <>
          <p class="quiet-text">{words.lettersMeans}</p>
          {total > letters.length && (
            <p class="quiet-text">{words.lettersCut(number(letters.length), number(total))}</p>
          )}
          <ul class="jobs">
            {letters.map((letter) => (
              <li key={letter.id}>
                <div>
                  <strong>{`${letter.projection} ${words.version(letter.version)}`}</strong>{' '}
                  <Pill kind={letter.blocking || letter.quarantined ? 'bad' : undefined}>
                    {letter.blocking ? words.blocking : letter.quarantined ? words.botWaits : words.passedOver}
                  </Pill>
                </div>
                <ErrorText text={letter.error} />
                <div class="quiet-text">
                  {words.letterAt(letter.stream, letter.position, instant(letter.recorded_at))}
                </div>
                <details>
                  <summary>{words.letterEvents(number(letter.events_count))}</summary>
                  {letter.events.map(({ type, v, data, data_bytes, data_whole }, index) => (
                    <div key={index}>
                      <code>{words.event(type, v)}</code>
                      {!data_whole && <div class="quiet-text">{words.eventCut(number(data_bytes), data === null)}</div>}
                      {data !== null && <pre>{typeof data === 'string' ? data : JSON.stringify(data, null, 2)}</pre>}
                    </div>
                  ))}
                </details>
                {ask !== null && (
                  <div class="btns">
                    <button
                      class="btn"
                      type="button"
                      onClick={() =>
                        ask({
                          title: words.titles.retry,
                          effect: words.effects.retry,
                          path: 'dead-letters/retry',
                          body: { id: letter.id },
                          reason: false,
                        })
                      }
                    >
                      {words.retry}
                    </button>
                    <button
                      class="btn"
                      type="button"
                      onClick={() =>
                        ask({
                          title: words.titles.skip,
                          effect: words.effects.skip,
                          path: 'dead-letters/skip',
                          body: { id: letter.id },
                          reason: true,
                        })
                      }
                    >
                      {words.skip}
                    </button>
                  </div>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}
