import { useSignalEffect } from '@preact/signals';
import { RequestError, request, SESSION } from '../api.ts';
import { useAttempt } from '../parts/attempt.ts';
import { Failure } from '../parts/failure.tsx';
import { endedElsewhere, type Session, session } from '../session.ts';
import { linkToken } from './link-token.ts';
import { words as loginWords } from './words.ts';

export function Login() {
  const { error, busy, run } = useAttempt();

  const logIn = (credential: { readonly key: string } | { readonly token: string }): Promise<void> =>
    run(async () => {
      try {
        await request(SESSION, { method: 'POST', body: credential });
      } catch (problem) {
        const isSpent = 'token' in credential && problem instanceof RequestError && problem.status === 401;
        throw isSpent ? new RequestError(loginWords.linkUsed, problem.status) : problem;
      }
      const found = await request<Session>(SESSION);
      endedElsewhere.value = false;
      session.value = found;
    });

  useSignalEffect(() => {
    const token = linkToken.value;
    linkToken.value = null;
    if (token !== null) void logIn({ token });
  });

  return (
    <main id="main" class="login">
      <h1>{loginWords.title}</h1>
      {endedElsewhere.value && (
        <p class="warning" role="alert">
          {loginWords.ended}
        </p>
      )}
      <p>{loginWords.intro}</p>
      {!window.isSecureContext && <p class="failure">{loginWords.notSecure}</p>}
      {error.value !== undefined && <Failure error={error.value} />}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void logIn({ key: String(new FormData(event.currentTarget).get('key')).trim() });
        }}
      >
        <label>
          {loginWords.key}
          <input
            class="input"
            name="key"
            type="password"
            autocomplete="current-password"
            required
            aria-describedby="key-hint"
          />
        </label>
        <p id="key-hint" class="quiet-text">
          {loginWords.hint}
        </p>
        <button type="submit" class="btn primary" disabled={busy.value}>
          {loginWords.submit}
        </button>
      </form>
    </main>
  );
}
