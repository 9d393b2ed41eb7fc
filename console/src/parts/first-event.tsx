import { texts } from '../texts.ts';
import { CodeBlock } from './code-block.tsx';
import { curl } from './curl.ts';
import { Empty } from './empty.tsx';

const now = Math.floor(Date.now() / 1000);
const user = { id: 4242, is_bot: false, first_name: 'Ada' };
/** It makes a user, too: an event of an unknown user is a bot error. */
const update = { update_id: 1, message: { message_id: 1, date: now, chat: { id: 4242, type: 'private' }, from: user } };

/** How to send a bot's first event. */
export function FirstEvent({ bot }: { readonly bot: string }) {
  return (
    <Empty title={texts.firstEvent.title}>
      <p>{texts.firstEvent.none}</p>
      <CodeBlock name={texts.terminal} code={curl('send-update', bot, JSON.stringify({ update }))} />
      <p class="quiet-text">{texts.firstEvent.demo}</p>
    </Empty>
  );
}
