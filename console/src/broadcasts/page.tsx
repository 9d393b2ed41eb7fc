import { useEffect } from 'preact/hooks';
import { address, go, href } from '../address.ts';
import { request } from '../api.ts';
import { Pending } from '../parts/failure.tsx';
import { useLoad } from '../parts/load.ts';
import type { Bot } from '../session.ts';
import { texts } from '../texts.ts';
import { type Broadcast, isDraft, isRunning } from './broadcast.ts';
import { EditPage } from './composer/edit-page.tsx';
import { BroadcastDetail } from './detail.tsx';
import { broadcastLink, editLink } from './links.ts';
import { BroadcastList } from './list.tsx';
import './broadcasts.css';

/** The bot's broadcasts; or one of them, or its composer, as the address says. */
export function BroadcastsPage({ bot }: { readonly bot: Bot }) {
  const { path, query } = address.value;
  const { resource_key: key } = bot;
  const former = query.get('id') ?? (query.has('new') ? 'new' : null);
  useEffect(() => {
    // Links of former versions named the broadcast in the query.
    if (former !== null && path === '/broadcasts') go(href(`/broadcasts/${former}`, { bot: key }), { replace: true });
  }, [former, path]);
  const [id, page] = path.slice('/broadcasts/'.length).split('/');
  if (id === undefined || id === '') return former === null ? <BroadcastList bot={bot} /> : null;
  if (id === 'new') return <EditPage key="new" bot={bot} broadcast={null} onChanged={() => {}} />;
  if (!/^[1-9]\d*$/.test(id) || (page !== undefined && page !== 'edit')) return <h1>{texts.notFound}</h1>;
  return <OneBroadcast key={id} bot={bot} id={Number(id)} isEdited={page === 'edit'} />;
}

interface OneBroadcastProps {
  readonly bot: Bot;
  readonly id: number;
  /** Whether the address is that of the composer. */
  readonly isEdited: boolean;
}

/** A draft in the composer, any other broadcast with its results; the address follows. */
function OneBroadcast({ bot, id, isEdited }: OneBroadcastProps) {
  const key = bot.resource_key;
  const { loaded, reload } = useLoad(
    () => (signal) => request<Broadcast>(`/v1/broadcast/get?id=${id}`, { bot: key, signal }),
    { poll: (broadcast) => (isRunning(broadcast) ? 'running' : 'still') },
  );
  const { data } = loaded.value;
  const isDraftNow = data === undefined ? isEdited : isDraft(data);
  useEffect(() => {
    if (isDraftNow === isEdited) return;
    const entries = Object.fromEntries(address.peek().query);
    go((isDraftNow ? editLink : broadcastLink)(key, id, entries), { replace: true });
  }, [isDraftNow, isEdited]);
  return (
    <>
      <Pending loaded={loaded.value} retry={reload} />
      {data !== undefined &&
        (isDraftNow ? (
          <EditPage bot={bot} broadcast={data} onChanged={reload} />
        ) : (
          <BroadcastDetail bot={bot} broadcast={data} onChanged={reload} />
        ))}
    </>
  );
}
