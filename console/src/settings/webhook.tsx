import { useSignal } from '@preact/signals';
import { request, type Value } from '../api.ts';
import { instant } from '../format.ts';
import { useAttempt } from '../parts/attempt.ts';
import { Card } from '../parts/card.tsx';
import { Cut } from '../parts/cut.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Failure, Pending } from '../parts/failure.tsx';
import { useLoad } from '../parts/load.ts';
import type { Bot } from '../session.ts';
import { sendSetting } from './change.ts';
import { ChangeForm } from './change-form.tsx';
import { Listed, type Row, useListPages } from './list.tsx';
import { Secret } from './secret.tsx';
import { words } from './words.ts';

interface WebhookData {
  readonly webhook: { readonly url: string; readonly set_at: string; readonly signatures: number } | null;
}

interface Delivery extends Row {
  readonly payout_id: number;
  readonly attempt: number;
  readonly at: string;
  readonly status: number | null;
  readonly error: string | null;
}

/** The webhook that payouts are announced to, and every attempt to announce one. */
export function Webhook({ bot }: { readonly bot: Bot }) {
  const key = bot.resource_key;
  const { loaded, reload } = useLoad<WebhookData>(
    () => (signal) => request('/v1/settings/webhook', { bot: key, signal }),
  );
  const deliveries = useListPages<Delivery>('webhook/deliveries', key, {
    poll: (items) => (items.some(isUnderWay) ? 'running' : 'still'),
  });
  const secret = useSignal<string | null | undefined>(undefined);
  const { error, busy, run } = useAttempt();
  const { data } = loaded.value;
  /** The latest attempt of each payout: of those before, there is nothing to do. */
  const latest = new Map<number, number>();
  for (const { payout_id, attempt } of deliveries.list.data ?? [])
    latest.set(payout_id, Math.max(attempt, latest.get(payout_id) ?? 0));

  const redeliver = (payout_id: number): Promise<void> =>
    run(async () => {
      await sendSetting('webhook/redeliver', { payout_id }, key);
      deliveries.reload();
    });
  const again = (_: Value | undefined, row: Row) =>
    row['attempt'] === latest.get(Number(row['payout_id'])) && row['failed'] === true ? (
      <button
        type="button"
        class="btn quiet small"
        disabled={busy.value}
        onClick={() => void redeliver(Number(row['payout_id']))}
      >
        {words.sendAgain}
        <span class="hidden"> {words.payoutNumber(Number(row['payout_id']))}</span>
      </button>
    ) : null;
  return (
    <>
      <Card title={words.sections.webhook} lead={words.webhookMeans} busy={loaded.value.loading}>
        <Pending loaded={loaded.value} retry={reload} />
        {data !== undefined && (
          <div class="stack">
            {data.webhook === null ? (
              <p>{words.noWebhook}</p>
            ) : (
              <p class="quiet-text">
                {words.setAt(instant(data.webhook.set_at))} {data.webhook.signatures > 1 && words.twoSignatures}
              </p>
            )}
            <ChangeForm<{ secret: string | null }>
              path="webhook/set"
              bot={key}
              submit={words.save}
              fields={[
                {
                  name: 'url',
                  label: words.url,
                  value: data.webhook?.url ?? '',
                  required: true,
                  hint: words.urlHint,
                },
              ]}
              body={(given) => given}
              onDone={(done) => {
                if (done.secret !== null) secret.value = done.secret;
                reload();
              }}
            />
            {secret.value !== undefined && (
              <Secret
                label={words.signingSecret}
                value={secret.value}
                onStored={() => {
                  secret.value = undefined;
                }}
              />
            )}
            {data.webhook !== null && (
              <ChangeForm<{ secret: string | null }>
                path="webhook/rotate-secret"
                bot={key}
                submit={words.rotateSecret}
                ask={words.askSigningSecret}
                fields={[]}
                body={() => ({})}
                onDone={(done) => {
                  secret.value = done.secret;
                  reload();
                }}
              />
            )}
          </div>
        )}
      </Card>
      <Card title={words.deliveries} flush={(deliveries.list.data?.length ?? 0) > 0} footer={deliveries.pager}>
        {error.value !== undefined && <Failure error={error.value} />}
        <Listed list={deliveries.list} reload={deliveries.reload} none={words.noDeliveries}>
          <DataTable
            caption={words.deliveries}
            columns={[
              { key: 'payout_id', label: words.payout, type: 'id' },
              { key: 'actions', label: words.actions, show: again },
              { key: 'attempt', label: words.attempt, type: 'number' },
              { key: 'at', label: words.at, type: 'when' },
              { key: 'outcome', label: words.outcome, show: (outcome) => <Cut text={String(outcome)} /> },
            ]}
            rows={(deliveries.list.data ?? []).map((each) => ({
              ...each,
              outcome: outcomeOf(each),
              failed: each.error !== null || (each.status !== null && each.status >= 300),
              actions: null,
            }))}
          />
        </Listed>
      </Card>
    </>
  );
}

/** The client has not answered yet. */
const isUnderWay = ({ status, error }: Delivery): boolean => status === null && error === null;

const outcomeOf = ({ status, error }: Delivery): string =>
  error ?? (status === null ? words.underWay : words.answered(status));
