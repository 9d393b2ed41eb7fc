import type { ReferralCodes } from '../../../src/api/referral/schemas.ts';
import { sendChange } from '../api.ts';
import { dayName } from '../format.ts';
import { useAttempt } from '../parts/attempt.ts';
import { Card } from '../parts/card.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Cut } from '../parts/cut.tsx';
import { Failure, Pending } from '../parts/failure.tsx';
import { useLoad } from '../parts/load.ts';
import { ask } from './data.ts';
import { words } from './words.ts';

/** Codes that are shown at once; the others are folded. */
const SHOWN = 5;

interface CodesCardProps {
  readonly bot: string;
  readonly user: string;
}

/** The codes of a referrer with their links, to copy and to share. */
export function CodesCard({ bot, user }: CodesCardProps) {
  const { loaded, reload } = useLoad(() => (signal) => ask<ReferralCodes>(bot, 'codes', { user_id: user }, signal));
  const { error, busy, run } = useAttempt();
  const { data, loading } = loaded.value;
  const make = (): Promise<void> =>
    run(async () => {
      await sendChange('/v1/referral/create-code', { user_id: Number(user) }, bot, data?.codes.length);
      reload();
    });
  return (
    <Card
      title={words.codes}
      busy={loading}
      actions={
        <button type="button" class="btn small" disabled={busy.value} onClick={() => void make()}>
          {words.makeCode}
        </button>
      }
    >
      <div class="stack">
        <Pending loaded={loaded.value} retry={reload} />
        {error.value !== undefined && <Failure error={error.value} retry={() => void make()} />}
        {data?.codes.length === 0 && <p class="quiet-text">{words.noCodes}</p>}
        {data?.codes.slice(0, SHOWN).map((code) => (
          <Code key={code.code} {...code} />
        ))}
        {data !== undefined && data.codes.length > SHOWN && (
          <details>
            <summary>{words.moreCodes(data.codes.length - SHOWN)}</summary>
            <div class="stack">
              {data.codes.slice(SHOWN).map((code) => (
                <Code key={code.code} {...code} />
              ))}
            </div>
          </details>
        )}
      </div>
    </Card>
  );
}

function Code({ code, link, date_create }: ReferralCodes['codes'][number]) {
  return (
    <div class="code-line">
      <div>
        <Cut text={link?.replace(/^https:\/\//, '') ?? code} />
        <p class="quiet-text small-text">
          {link === null ? words.noLink : words.code(code)} · {dayName(date_create)}
        </p>
      </div>
      <CopyButton text={link ?? code} label={link === null ? words.copyCode : words.copyLink} />
    </div>
  );
}
