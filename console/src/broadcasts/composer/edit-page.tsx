import { address, href } from '../../address.ts';
import { Head } from '../../parts/head.tsx';
import { Note } from '../../parts/note.tsx';
import { BroadcastMenu } from '../broadcast-menu.tsx';
import { StatusPill } from '../status-pill.tsx';
import { words as pageWords } from '../words.ts';
import { Composer, type ComposerProps } from './composer.tsx';

/** The page of a draft. */
export function EditPage({ bot, broadcast, onChanged }: ComposerProps) {
  const key = bot.resource_key;
  const title = broadcast === null ? pageWords.new : (broadcast.name ?? pageWords.unnamed(broadcast.id));
  return (
    <>
      <Head
        title={title}
        crumb={{
          ...{ href: href('/broadcasts', { bot: key }), text: pageWords.title },
          ...(broadcast === null ? {} : { here: pageWords.no(broadcast.id) }),
        }}
        status={broadcast === null ? undefined : <StatusPill broadcast={broadcast} />}
      >
        {broadcast !== null && <BroadcastMenu bot={key} broadcast={broadcast} onChanged={onChanged} />}
      </Head>
      {address.value.query.get('without') === 'lists' && <Note kind="warn" what={pageWords.listsNotCopied} />}
      <Composer bot={bot} broadcast={broadcast} onChanged={onChanged} />
    </>
  );
}
