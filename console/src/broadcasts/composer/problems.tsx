import { href } from '../../address.ts';
import { type Detail, RequestError } from '../../api.ts';
import { Failure } from '../../parts/failure.tsx';
import { texts } from '../../texts.ts';
import { words as composerWords } from './words.ts';

/** The problems of a field or of anything within it, beside it. */
export function Problems({ of, at }: { readonly of: readonly Detail[]; readonly at: string }) {
  const found = of.filter(({ path }) => path === at || path.startsWith(`${at}.`));
  return (
    <>
      {[...new Set(found.map(({ message }) => message))].map((message) => (
        <span class="failure" role="alert" key={message}>
          {message}
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
    <p class="warning" role="alert">
      {composerWords.noToken} <a href={href('/settings', { bot })}>{texts.nav.settings}</a>
    </p>
  );
}
