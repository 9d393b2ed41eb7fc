import { date, number } from '../../format.ts';
import { Failure } from '../../parts/failure.tsx';
import type { Loaded } from '../../parts/load.ts';
import { words } from './words.ts';

/** How many an audience has now, with some of them. */
export interface Size {
  readonly count: number;
  readonly sample: readonly Person[];
  readonly data_as_of: string;
}

export interface Person {
  readonly chat_id: number;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly username: string | null;
}

interface AudienceSizeProps {
  readonly loaded: Loaded<Size>;
  readonly retry: () => void;
  /** The audience has no segment yet. */
  readonly isEmpty: boolean;
}

const SHOWN = 5;

/** The size of the audience as of now. */
export function AudienceSize({ loaded: { data, error }, retry, isEmpty }: AudienceSizeProps) {
  return (
    <section class="size" aria-live="polite" aria-label={words.size}>
      {data !== undefined && !isEmpty && (
        <>
          <div>
            <p>
              <span class="figure">{number(data.count)}</span>{' '}
              <span class="quiet-text">
                {words.people(data.count)} {words.asOf(date(data.data_as_of))}
              </span>
            </p>
            <p class="quiet-text small-text">{words.blockedCounted}</p>
          </div>
          {data.sample.length > 0 && (
            <details>
              <summary class="small-text">{words.some}</summary>
              <ul class="sample">
                {data.sample.slice(0, SHOWN).map((person) => (
                  <li key={person.chat_id}>
                    <bdi class="cut">{nameOf(person)}</bdi>
                  </li>
                ))}
              </ul>
            </details>
          )}
        </>
      )}
      {error !== undefined && error.status !== 400 && <Failure error={error} retry={retry} />}
      {isEmpty && <p class="quiet-text">{words.noAudience}</p>}
    </section>
  );
}

/** A name where there is one, and the id. */
export function nameOf({ chat_id, first_name, last_name, username }: Person): string {
  const name = [first_name, last_name].filter(Boolean).join(' ');
  return [name, username === null ? '' : `@${username}`, String(chat_id)].filter(Boolean).join(' · ');
}
