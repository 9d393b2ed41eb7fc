import type { ComponentChildren } from 'preact';
import { timeOfDay } from '../../format.ts';
import type { Attempt } from '../../parts/attempt.ts';
import { Icon } from '../../parts/icon.tsx';
import { Note } from '../../parts/note.tsx';
import { type Draft, isPast } from './draft.ts';
import { Refused } from './problems.tsx';
import type { OpenDraft } from './use-draft.ts';
import { words } from './words.ts';

interface SaveBarProps {
  readonly open: OpenDraft;
  readonly bot: string;
  readonly attempt: Attempt;
  /** The audience and the time in words. */
  readonly children: ComponentChildren;
  readonly onOverwrite: () => void;
  readonly onLaunch: () => void;
}

const fieldsOf = (names: readonly string[]): string =>
  [...new Set(names.map((name) => words.fields[name as keyof typeof words.fields] ?? name))].join(', ');

/** Saves and launches, at the lower edge of the window. It says what is saved, and what only this browser has. */
export function SaveBar({ open, bot, attempt, children, onOverwrite, onLaunch }: SaveBarProps) {
  const { saved, elsewhere, unsaved, keptAt } = open;
  const draft = open.draft.value;
  const { error, busy } = attempt;
  return (
    <div class="launch">
      <div class="said">
        <p>{children}</p>
        <output class="small-text">
          {saved !== null && (
            <>
              {saved.refused === undefined ? words.saved : words.savedBut(fieldsOf(unsaved))}
              {saved.warnings.map(({ path, message }) => (
                <span class="warning" key={path}>
                  {' '}
                  {message}
                </span>
              ))}
            </>
          )}
        </output>
        {unsaved.length > 0 && saved === null && (
          <p class="quiet-text small-text">
            {words.unsaved(fieldsOf(unsaved))}{' '}
            {keptAt.value === false
              ? words.notKept
              : keptAt.value !== null && words.keptAt(timeOfDay(new Date(keptAt.value).toISOString()))}
          </p>
        )}
        {error.value !== undefined && <Refused error={error.value} bot={bot} />}
      </div>
      {elsewhere.value !== null && (
        <Note
          kind="bad"
          what={words.elsewhere}
          actions={
            <>
              <button class="btn" type="button" onClick={() => elsewhere.value !== null && open.show(elsewhere.value)}>
                {words.loadOther}
              </button>
              <button class="btn" type="button" onClick={onOverwrite}>
                {words.overwrite}
              </button>
            </>
          }
        />
      )}
      <div class="btns">
        <button class="btn large" type="submit" disabled={busy.value}>
          {words.save}
        </button>
        <button type="button" class="btn large primary" disabled={busy.value} onClick={onLaunch}>
          <Icon name={isLater(draft) ? 'clock' : 'broadcast'} />{' '}
          {isLater(draft) ? words.schedule(draft.date.slice(11, 16)) : words.launch}
        </button>
      </div>
    </div>
  );
}

const isLater = (draft: Draft): boolean => draft.date !== '' && !isPast(draft);
