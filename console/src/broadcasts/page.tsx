import { address, href } from '../address.ts';
import { request } from '../api.ts';
import { number } from '../format.ts';
import { Pending } from '../parts/failure.tsx';
import { useLoad } from '../parts/load.ts';
import type { Bot } from '../session.ts';
import { texts } from '../texts.ts';
import { type Broadcast, isRunning } from './broadcast.ts';
import { Composer } from './composer/composer.tsx';
import { BroadcastDetail } from './detail.tsx';

const words = texts.broadcasts;

/** The bot's broadcasts, the latest first; or one of them, where the address names it. */
export function BroadcastsPage({ bot }: { readonly bot: Bot }) {
  const id = address.value.query.get('id');
  if (id === 'new') return <New bot={bot} />;
  return id === null ? <List bot={bot} /> : <BroadcastDetail key={id} bot={bot} id={id} />;
}

function New({ bot }: { readonly bot: Bot }) {
  return (
    <>
      <p>
        <a href={href('/broadcasts', { bot: bot.resource_key })}>{words.title}</a>
      </p>
      <h1>{words.new}</h1>
      <Composer key="new" bot={bot} broadcast={null} onChanged={() => {}} />
    </>
  );
}

function List({ bot }: { readonly bot: Bot }) {
  const key = bot.resource_key;
  const { loaded, reload } = useLoad(
    () => (signal) => request<{ items: Broadcast[] }>('/v1/broadcast/list?limit=100', { bot: key, signal }),
    { poll: ({ items }) => (items.some(isRunning) ? 'running' : 'still') },
  );
  const { data } = loaded.value;
  return (
    <>
      <div class="row">
        <h1>{words.title}</h1>
        <a class="button" href={href('/broadcasts', { bot: key, id: 'new' })}>
          {words.new}
        </a>
      </div>
      <Pending loaded={loaded.value} retry={reload} />
      {data?.items.length === 0 && (
        <section class="empty">
          <p>{words.none}</p>
        </section>
      )}
      {data !== undefined && data.items.length > 0 && (
        <section class="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">{words.name}</th>
                <th scope="col">{words.status}</th>
                <th scope="col" class="number">
                  {words.recipients}
                </th>
                <th scope="col" class="number">
                  {words.parts.delivered}
                </th>
                <th scope="col">{words.created}</th>
              </tr>
            </thead>
            <tbody>
              {data.items.map((broadcast) => (
                <tr key={broadcast.id}>
                  <th scope="row">
                    <a href={href('/broadcasts', { bot: key, id: String(broadcast.id) })}>
                      {broadcast.name ?? words.unnamed(broadcast.id)}
                    </a>
                  </th>
                  <td>{words.statuses[broadcast.status]}</td>
                  <td class="number">{number(broadcast.count_recipients)}</td>
                  <td class="number">{number(broadcast.count_delivered)}</td>
                  <td>{broadcast.date_create}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </>
  );
}
