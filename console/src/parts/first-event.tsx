import { texts } from '../texts.ts';
import { CodeBlock } from './code-block.tsx';
import { curl } from './curl.ts';
import { Empty } from './empty.tsx';

const now = Math.floor(Date.now() / 1000);
const user = { id: 4242, is_bot: false, first_name: 'Ada' };
/** It makes a user, too: an event of an unknown user is a bot error. */
const update = { update_id: 1, message: { message_id: 1, date: now, chat: { id: 4242, type: 'private' }, from: user } };

/** The same by the TypeScript client. */
const clientCode = (bot: string): string => `// npm install @botledger/client
import { createClient } from '@botledger/client';

const botledger = createClient({
  baseUrl: '${window.location.origin}',
  apiKey: process.env.BOTLEDGER_KEY,
  resourceKey: '${bot}',
});

// In the handler of your bot: the update makes the user, then your own events count.
await botledger.post('/v1/send-update', { update });
await botledger.post('/v1/send-event', { event: 'order_paid', user_id: update.message.from.id, value_num: 1999, unit: 'USD' });`;

/** How to send a bot's first event. */
export function FirstEvent({ bot }: { readonly bot: string }) {
  return (
    <Empty title={texts.firstEvent.title}>
      <p>{texts.firstEvent.none}</p>
      <CodeBlock name={texts.terminal} code={curl('send-update', bot, JSON.stringify({ update }))} />
      <p>{texts.firstEvent.client}</p>
      <CodeBlock name={texts.firstEvent.clientName} code={clientCode(bot)} />
      <p class="quiet-text">{texts.firstEvent.demo}</p>
    </Empty>
  );
}
