import { requestBlob } from '../api.ts';
import { useAttempt } from '../parts/attempt.ts';
import { Card } from '../parts/card.tsx';
import { saveFile } from '../parts/download.ts';
import { Failure } from '../parts/failure.tsx';
import { session } from '../session.ts';

const words = {
  title: 'Statement',
  means: 'The history of this account for a period, as PDF for the referrer. Days are UTC.',
  from: 'First day',
  to: 'Last day',
  download: 'Download the statement',
};

interface StatementProps {
  readonly bot: string;
  readonly user: string;
}

/** Downloads a statement of the account. Without days it is about all of the history. */
export function StatementOfAccount({ bot, user }: StatementProps) {
  const { error, busy, run } = useAttempt();
  if (session.value?.kind === 'operator') return null;
  const download = (form: HTMLFormElement): Promise<void> =>
    run(async () => {
      const given = [...new FormData(form)].map(([name, value]): [string, string] => [name, String(value)]);
      const period = given.filter(([, value]) => value !== '');
      const query = new URLSearchParams([['user_id', user], ...period]);
      saveFile(`statement-${user}.pdf`, await requestBlob(`/v1/referral/statement?${query}`, { bot }));
    });
  return (
    <Card title={words.title} lead={words.means} stack>
      {error.value !== undefined && <Failure error={error.value} />}
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void download(event.currentTarget);
        }}
      >
        <div class="row">
          <label class="field">
            {words.from}
            <input class="input" type="date" name="from" />
          </label>
          <label class="field">
            {words.to}
            <input class="input" type="date" name="to" />
          </label>
        </div>
        <p class="btns">
          <button class="btn" type="submit" disabled={busy.value} aria-busy={busy.value}>
            {words.download}
          </button>
        </p>
      </form>
    </Card>
  );
}
