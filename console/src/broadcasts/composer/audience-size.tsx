import { type Signal, useComputed } from '@preact/signals';
import { request } from '../../api.ts';
import { date, number } from '../../format.ts';
import { Failure } from '../../parts/failure.tsx';
import { filterWords } from '../../parts/filter-words.ts';
import { type Loaded, useLoad } from '../../parts/load.ts';
import type { Draft } from './draft.ts';
import { segmentationsOf, unfinishedIn } from './segments.ts';
import { useSettled } from './settled.ts';
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
  /** A condition has no value yet, so there is nothing to count. */
  readonly isUnfinished: boolean;
}

/** People of the audience that a preview offers. */
const SAMPLE = 20;
const SHOWN = 5;

/** The size of the audience as of now. */
export function AudienceSize({ loaded: { data, error }, retry, isEmpty, isUnfinished }: AudienceSizeProps) {
  return (
    <section class="size" aria-live="polite" aria-label={words.size}>
      {data !== undefined && !isEmpty && !isUnfinished && (
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
      {isUnfinished && <p class="quiet-text">{filterWords.unfinished}</p>}
      {isEmpty && <p class="quiet-text">{words.noAudience}</p>}
    </section>
  );
}

/** A name where there is one, and the id. */
export function nameOf({ chat_id, first_name, last_name, username }: Person): string {
  const name = [first_name, last_name].filter(Boolean).join(' ');
  return [name, username === null ? '' : `@${username}`, String(chat_id)].filter(Boolean).join(' · ');
}

/** The size of the audience. It follows the editor after a moment; an audience that is not finished has none. */
export function useSize(bot: string, id: number | null, draft: Signal<Draft>) {
  const audience = useSettled(
    useComputed(() => {
      const given = draft.value.audience;
      return unfinishedIn(given).length > 0 ? '' : JSON.stringify(segmentationsOf(given));
    }),
  );
  return useLoad<Size>(() => {
    if (audience.value === '') return null;
    const segmentations = JSON.parse(audience.value);
    if (segmentations.include.length === 0) return null;
    const body = { segmentations, sample: SAMPLE, ...(id === null ? {} : { task_id: id }) };
    return (signal) => request('/v1/broadcast/audience-size', { method: 'POST', bot, body, signal });
  });
}
