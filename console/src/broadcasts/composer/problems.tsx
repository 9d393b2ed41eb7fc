import { href } from '../../address.ts';
import { type Detail, RequestError } from '../../api.ts';
import { Failure } from '../../parts/failure.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Note } from '../../parts/note.tsx';
import { texts } from '../../texts.ts';
import { words as composerWords } from './words.ts';

/** Whether a field, or anything within it, has a problem. */
export const hasProblem = (of: readonly Detail[], at: string): boolean =>
  of.some(({ path }) => path === at || path.startsWith(`${at}.`));

/** The problems of a field or of anything within it, beside it. */
export function Problems({ of, at }: { readonly of: readonly Detail[]; readonly at: string }) {
  const found = of.filter(({ path }) => path === at || path.startsWith(`${at}.`));
  return (
    <>
      {[...new Set(found.map(({ message }) => message))].map((message) => (
        <span class="wrong" role="alert" key={message}>
          <Icon name="warn" /> {message}
        </span>
      ))}
    </>
  );
}

/** An error without the places of the request: its problems stand beside their fields. */
export function Refused({ error, bot }: { readonly error: RequestError; readonly bot: string }) {
  const messages = [...new Set(error.details.map(({ message }) => message))].join('; ');
  if (messages.includes('no token')) return <NoToken bot={bot} />;
  return <Failure error={new RequestError(messages || error.message, error.status)} />;
}

export function NoToken({ bot }: { readonly bot: string }) {
  return (
    <Note
      kind="warn"
      what={composerWords.noToken}
      actions={
        <a class="btn" href={href('/settings', { bot })}>
          {texts.nav.settings}
        </a>
      }
    />
  );
}
