import { texts } from '../texts.ts';
import { curl } from './curl.ts';

/** How to send a bot's first event. */
export function FirstEvent({ bot }: { readonly bot: string }) {
  return (
    <>
      <p>{texts.firstEvent.none}</p>
      <pre>
        <code>{curl('send-event', bot, '{"event":"hello","user_id":4242}')}</code>
      </pre>
      <p class="quiet">{texts.firstEvent.demo}</p>
    </>
  );
}
