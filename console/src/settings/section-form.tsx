import { Fragment } from 'preact';
import { Card, type CardProps } from '../parts/card.tsx';
import { Failure } from '../parts/failure.tsx';
import { Icon } from '../parts/icon.tsx';
import { type Change, sendSetting, useChange } from './change.ts';
import { FieldRows } from './field-rows.tsx';
import { type Field, problemAt } from './fields.tsx';
import { words } from './words.ts';

/** Fields that belong together, with what they are for. */
export interface FormSection {
  readonly title: string;
  readonly about?: string;
  readonly fields: readonly Field[];
}

interface SectionFormProps extends Pick<CardProps, 'title' | 'lead'> {
  readonly sections: readonly FormSection[];
  /** The path below `/v1/settings/`. */
  readonly path: string;
  readonly bot: string;
  /** After the new values are there. */
  readonly onDone: () => Promise<void>;
}

/** Settings in sections. A bar at the lower edge counts what is not saved; only changed fields are sent. */
export function SectionForm({ sections, path, bot, onDone, title, lead }: SectionFormProps) {
  const form = useChange(
    sections.flatMap(({ fields }) => fields),
    `${path} ${bot}`,
  );
  const { changed } = form;
  const save = (): Promise<void> =>
    form.run(async () => {
      await sendSetting(path, form.given(changed), bot);
      // Before the new values are there: what was typed is kept for the former ones.
      form.forget();
      await onDone();
      form.clear();
    });
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (changed.length > 0) void save();
      }}
    >
      <Card title={title} lead={lead}>
        <div class="form">
          {sections.map((section, index) => (
            <Fragment key={section.title}>
              {index > 0 && <hr />}
              <p class="about">
                <b>{section.title}</b>
                {section.about}
              </p>
              <div class={section.fields.length > 1 ? 'two' : undefined}>
                <FieldRows form={form} fields={section.fields} />
              </div>
            </Fragment>
          ))}
        </div>
      </Card>
      <SaveBar form={form} />
    </form>
  );
}

/** Counts what is not saved, and saves it or takes it back. */
function SaveBar({ form: { changed, attempt, done, clear } }: { readonly form: Change }) {
  const { error, busy } = attempt;
  const wrong = changed.filter(({ name }) => problemAt(error.value, name) !== undefined).length;
  if (changed.length === 0) return <span role="status">{done.value && words.saved}</span>;
  return (
    <div class="saves">
      <span role="status">
        <Icon name="edit" /> <b>{words.unsaved(changed.length)}</b>{' '}
        <span class="quiet-text">{changed.map(({ label }) => label).join(', ')}</span>
        {wrong > 0 && <span class="down"> · {words.toCorrect(wrong)}</span>}
      </span>
      {error.value !== undefined && wrong === 0 && <Failure error={error.value} />}
      <span class="btns">
        <button type="button" class="btn quiet" onClick={clear}>
          {words.undo}
        </button>
        <button type="submit" class="btn primary" disabled={busy.value}>
          {words.save}
        </button>
      </span>
    </div>
  );
}
