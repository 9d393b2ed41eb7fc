import { requestText } from '../api.ts';
import { useAttempt } from '../parts/attempt.ts';
import { Card } from '../parts/card.tsx';
import { saveFile } from '../parts/download.ts';
import { Failure } from '../parts/failure.tsx';
import { session } from '../session.ts';

const words = {
  title: 'Proof',
  means: 'A file for the referrer. It proves this balance to anybody, without this service.',
  download: 'Download the proof',
  verifier: 'Page that checks it',
};

interface ProofProps {
  readonly bot: string;
  readonly user: string;
}

/** Downloads the proof of the account, if the service makes proofs. */
export function ProofOfAccount({ bot, user }: ProofProps) {
  const { error, busy, run } = useAttempt();
  if (session.value?.kind === 'operator' || session.value?.proofs !== true) return null;
  const download = (): Promise<void> =>
    run(async () => {
      const text = await requestText(`/v1/referral/proof?${new URLSearchParams({ user_id: user })}`, { bot });
      saveFile(`proof-${user}.json`, new Blob([text], { type: 'application/json' }));
    });
  return (
    <Card title={words.title} lead={words.means}>
      {error.value !== undefined && <Failure error={error.value} retry={() => void download()} />}
      <p class="btns">
        <button class="btn" type="button" disabled={busy.value} aria-busy={busy.value} onClick={() => void download()}>
          {words.download}
        </button>
        <a href="/verify">{words.verifier}</a>
      </p>
    </Card>
  );
}
