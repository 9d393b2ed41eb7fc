import type { RequestError } from '../api.ts';
import { texts } from '../texts.ts';
import type { Loaded } from './load.ts';

/** Shows the error of a request in the service's words, with a button to try again. */
export function Failure({ error, retry }: { readonly error: RequestError; readonly retry?: () => void }) {
  return (
    <div class="failure" role="alert">
      <p>{error.message}</p>
      {error.details.length > 1 && (
        <ul>
          {error.details.map(({ path, message }) => (
            <li key={path}>
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {retry !== undefined && (
        <button class="btn" type="button" onClick={retry}>
          {texts.errors.retry}
        </button>
      )}
    </div>
  );
}

interface PendingProps {
  readonly loaded: Loaded<unknown>;
  readonly retry: () => void;
  /** Keeps the room of a chart. */
  readonly chart?: boolean;
}

/** Where there are no data yet: that they are loaded, or why they are not. */
export function Pending({ loaded: { data, error }, retry, chart }: PendingProps) {
  if (error !== undefined) return <Failure error={error} retry={retry} />;
  return data === undefined ? <p class={chart === true ? 'chart quiet-text' : 'quiet-text'}>{texts.loading}</p> : null;
}
