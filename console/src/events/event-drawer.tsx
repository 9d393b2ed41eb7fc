import type { KnownEvent } from '../parts/catalog.ts';
import { Cut } from '../parts/cut.tsx';
import { Drawer } from '../parts/drawer.tsx';
import { ChangeForm } from '../settings/change-form.tsx';
import { words } from './words.ts';

interface EventDrawerProps {
  readonly bot: string;
  readonly event: KnownEvent;
  /** Its name for people. */
  readonly label: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Changes the words that people read for an event. */
export function EventDrawer({ bot, event, label, onClose, onDone }: EventDrawerProps) {
  const { event_id, name, title, description, hidden } = event;
  return (
    <Drawer title={<Cut text={label} />} sub={<Cut text={words.asSent(name)} />} onClose={onClose}>
      <ChangeForm
        path="events/describe"
        bot={bot}
        submit={words.save}
        fields={[
          { name: 'title', label: words.eventTitle, value: title ?? '', hint: words.titleHint },
          { name: 'description', label: words.description, value: description ?? '', hint: words.descriptionHint },
          { name: 'hidden', label: words.hide, type: 'flag', value: hidden, hint: words.hideHint },
        ]}
        body={(given) => ({ event_id, ...given })}
        onDone={() => {
          onDone();
          onClose();
        }}
      />
    </Drawer>
  );
}
