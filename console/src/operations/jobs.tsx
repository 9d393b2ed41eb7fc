import { address } from '../address.ts';
import { instant, number } from '../format.ts';
import { Card } from '../parts/card.tsx';
import { words as referralsWords } from '../referrals/words.ts';
import { isOver, type Job, type Overview } from './answers.ts';
import type { Ask } from './confirm.tsx';
import { Progress } from './progress.tsx';
import { words } from './words.ts';

interface JobsProps {
  readonly overview: Overview;
  readonly ask: Ask | null;
}

/** The last audit, with a button for the next one. */
export function Audit({ overview: { audit, accountAudit, moreAudits, jobs }, ask }: JobsProps) {
  const runs = jobs.some((job) => job.kind === 'audit' && !isOver(job));
  return (
    <Card title={words.audit} lead={words.auditMeans} stack>
      {audit === undefined ? (
        <p>{moreAudits ? words.noRecentAudit : words.noAudit}</p>
      ) : (
        <>
          <p>
            <Result job={audit} /> {words.auditAt(instant(audit.finished_at!))}
          </p>
          <Findings job={audit} />
        </>
      )}
      {ask !== null && (
        <button
          class="btn"
          type="button"
          disabled={runs}
          onClick={() =>
            ask({
              title: words.titles.audit,
              effect: words.effects.audit,
              path: 'jobs',
              body: { kind: 'audit' },
              reason: true,
            })
          }
        >
          {runs ? words.auditRuns : words.auditNow}
        </button>
      )}
      {accountAudit !== undefined && (
        <>
          <p>
            {words.lastAccount(subjectOf(accountAudit))} <Result job={accountAudit} />{' '}
            {words.auditAt(instant(accountAudit.finished_at!))}
          </p>
          <Findings job={accountAudit} />
        </>
      )}
      {ask !== null && <AuditAccount ask={ask} />}
    </Card>
  );
}

/** Audits one referrer's account, which takes seconds. The result is the job's. A link from the account's page names it. */
function AuditAccount({ ask }: { readonly ask: Ask }) {
  const { query } = address.value;
  return (
    <form
      class="btns"
      onSubmit={(event) => {
        event.preventDefault();
        const given = new FormData(event.currentTarget);
        const [bot, user] = [String(given.get('bot')).trim(), Number(given.get('user'))];
        ask({
          title: words.titles.auditAccount(words.account(bot, user)),
          effect: words.effects.auditAccount,
          path: 'jobs',
          body: { kind: 'audit', bot, user_id: user },
          reason: true,
        });
      }}
    >
      <label>
        {words.publicKey}
        <input class="input" name="bot" required defaultValue={query.get('bot') ?? ''} />
      </label>
      <label>
        {referralsWords.userId}
        <input
          class="input"
          name="user"
          inputMode="numeric"
          pattern="[1-9][0-9]{0,14}"
          required
          size={12}
          defaultValue={query.get('user') ?? ''}
        />
      </label>
      <button class="btn" type="submit">
        {words.auditAccount}
      </button>
    </form>
  );
}

/** The newest jobs: those that wait and run with their progress, the others with their result. */
export function Jobs({ jobs }: { readonly jobs: readonly Job[] }) {
  return (
    <Card title={words.jobs}>
      {jobs.length === 0 ? (
        <p>{words.noJobs}</p>
      ) : (
        <ul class="jobs" aria-live="polite">
          {jobs.map((job) => (
            <li key={job.job_id}>
              <div>
                <strong>{words.jobTitle(words.kinds[job.kind], subjectOf(job))}</strong> <Result job={job} />
              </div>
              {!isOver(job) && <Progress progress={job.progress} />}
              {job.kind !== 'audit' && <Findings job={job} />}
              <div class="quiet-text">{words.askedBy(job.operator, instant(job.requested_at), job.reason)}</div>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Result({ job: { state, summary, findings_count } }: { readonly job: Job }) {
  const isBad = state === 'failed' || state === 'findings';
  return (
    <span class={isBad ? 'bad' : undefined}>
      {state === 'findings' ? words.found(number(findings_count)) : words.jobStates[state]}
      {summary !== null && ` ${summary}.`}
    </span>
  );
}

function subjectOf({ projection, bot, user_id }: Job): string {
  if (bot !== null && user_id !== null) return words.account(bot, user_id);
  return projection ?? bot ?? words.wholeLog;
}

const SHOWN = 20;

function Findings({ job: { findings, findings_count } }: { readonly job: Job }) {
  if (findings.length === 0) return null;
  return (
    <details>
      <summary>{words.findings(number(findings_count))}</summary>
      <ul>
        {findings.slice(0, SHOWN).map(({ kind, stream, message }, index) => (
          <li key={index}>
            {stream === null ? kind : `${kind}, ${stream}`}: {message}
          </li>
        ))}
      </ul>
      {findings_count > SHOWN && <p class="quiet-text">{words.moreFindings}</p>}
    </details>
  );
}
