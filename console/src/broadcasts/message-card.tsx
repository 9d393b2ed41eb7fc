import { useSignal } from '@preact/signals';
import type { RecipientsAnswer } from '../../../src/api/broadcast/schemas.ts';
import { request } from '../api.ts';
import { Card } from '../parts/card.tsx';
import { Pending } from '../parts/failure.tsx';
import { Icon } from '../parts/icon.tsx';
import { useLoad } from '../parts/load.ts';
import { loadPeople } from '../parts/people.ts';
import { Picker } from '../parts/picker.tsx';
import { nameOfUser } from '../parts/user-link.tsx';
import type { Bot } from '../session.ts';
import type { Broadcast } from './broadcast.ts';
import { type MessagePreview, Preview } from './composer/preview.tsx';
import { words } from './words.ts';

/** Recipients that the preview offers. */
const OFFERED = 50;

/** The message, or one of its variants, as a recipient gets it. */
export function MessageCard({ bot, broadcast }: { readonly bot: Bot; readonly broadcast: Broadcast }) {
  const key = bot.resource_key;
  const { id, type, message, variants = [] } = broadcast;
  const at = useSignal(0);
  const asUser = useSignal('');
  const recipients = useLoad(() => async (signal) => {
    const { items } = await request<RecipientsAnswer>(`/v1/broadcast/recipients?id=${id}&limit=${OFFERED}`, {
      ...{ bot: key, signal },
    });
    // Groups and channels are no users.
    const ids = items.flatMap(({ chat_id }) => (chat_id > 0 ? [chat_id] : []));
    const people = await loadPeople(key, ids, signal);
    return ids.map((user_id) => people.get(user_id) ?? { user_id });
  });
  const { loaded, reload } = useLoad(
    () => {
      const user = asUser.value === '' ? {} : { user_id: Number(asUser.value) };
      const body = { type, message: variants[at.value]?.message ?? message, ...user };
      return (signal) => request<MessagePreview>('/v1/broadcast/preview', { method: 'POST', bot: key, body, signal });
    },
    { keep: true },
  );
  const { data } = loaded.value;
  const people = recipients.loaded.value.data ?? [];
  return (
    <Card
      title={words.message}
      actions={
        variants.length > 0 && (
          <Picker
            label={words.variant}
            look="btn small"
            value={String(at.value)}
            options={variants.map(({ name }, index) => ({ value: String(index), label: name }))}
            onPick={(picked) => {
              at.value = Number(picked);
            }}
          >
            <bdi class="cut">{variants[at.value]?.name}</bdi> <Icon name="down" />
          </Picker>
        )
      }
      footer={
        people.length > 0 && (
          <Picker
            label={words.seeAs}
            look="btn quiet small"
            value={asUser.value}
            options={[
              { value: '', label: words.firstUser },
              ...people.map((user) => ({
                value: String(user.user_id),
                label: nameOfUser(user),
                small: String(user.user_id),
              })),
            ]}
            onPick={(user) => {
              asUser.value = user;
            }}
          >
            {words.seeAs}
          </Picker>
        )
      }
    >
      <Pending loaded={loaded.value} retry={reload} />
      {data !== undefined && <Preview preview={data} bot={bot.name} />}
    </Card>
  );
}
