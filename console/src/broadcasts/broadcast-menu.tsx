import { useSignal } from '@preact/signals';
import { go, href } from '../address.ts';
import { sendChange } from '../api.ts';
import { useAttempt } from '../parts/attempt.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Failure } from '../parts/failure.tsx';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import { quoted } from '../parts/quoted.ts';
import { texts } from '../texts.ts';
import { type Broadcast, isDraft, isRunning, type Segment } from './broadcast.ts';
import { keep } from './composer/kept.ts';
import { editLink } from './links.ts';
import { words } from './words.ts';

interface BroadcastMenuProps {
  readonly bot: string;
  readonly broadcast: Broadcast;
  readonly onChanged: () => void;
}

const MAX_NAME = 250;
/** Uploaded lists belong to the broadcast that they were uploaded for. */
const isOwn = ({ type }: Segment): boolean => type === 'custom';

/** Duplicates, archives or deletes a broadcast. */
export function BroadcastMenu({ bot, broadcast, onChanged }: BroadcastMenuProps) {
  const attempt = useAttempt();
  const isAsked = useSignal(false);
  const { id, archived = false } = broadcast;
  const name = broadcast.name ?? words.unnamed(id);

  const duplicate = (): Promise<void> =>
    attempt.run(async () => {
      const { type, message, variants, settings, segmentations } = broadcast;
      const { include, exclude } = segmentations;
      const content = variants === undefined ? { message } : { variants };
      const body = {
        type,
        name: [...words.copyOf(name)].slice(0, MAX_NAME).join(''),
        ...content,
        settings,
        segmentations: {
          include: include.filter((each) => !isOwn(each)),
          exclude: exclude.filter((each) => !isOwn(each)),
        },
      };
      const { data } = await sendChange<Broadcast>('/v1/broadcast/create', body, bot);
      const without = [...include, ...exclude].some(isOwn) ? 'lists' : undefined;
      go(editLink(bot, data.id, { without }));
    });
  const archive = (): Promise<void> =>
    attempt.run(async () => {
      await sendChange('/v1/broadcast/archive', { id, archived: !archived }, bot);
      onChanged();
    });
  const remove = (): Promise<void> =>
    attempt.run(async () => {
      await sendChange('/v1/broadcast/delete', { id }, bot);
      keep(`${bot} ${id}`, null);
      go(href('/broadcasts', { bot }), { replace: true });
    });
  return (
    <>
      {attempt.error.value !== undefined && !isAsked.value && <Failure error={attempt.error.value} />}
      <button type="button" class="btn" disabled={attempt.busy.value} onClick={() => void duplicate()}>
        <Icon name="copy" /> {words.duplicate}
      </button>
      <Menu
        label={texts.more}
        items={[
          ...(isRunning(broadcast)
            ? []
            : [{ text: archived ? words.unarchive : words.toArchive, onPick: () => void archive() }]),
          ...(isDraft(broadcast)
            ? [
                {
                  text: words.delete,
                  isBad: true,
                  onPick: () => {
                    isAsked.value = true;
                  },
                },
              ]
            : []),
        ]}
      />
      {isAsked.value && (
        <Confirm
          question={words.askDelete(quoted(name))}
          action={words.delete}
          attempt={attempt}
          onYes={remove}
          onNo={() => {
            isAsked.value = false;
          }}
        />
      )}
    </>
  );
}
