import type { RequestError } from '../api.ts';
import { texts } from '../texts.ts';

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
        <button type="button" onClick={retry}>
          {texts.errors.retry}
        </button>
      )}
    </div>
  );
}
