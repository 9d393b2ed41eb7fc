import { useSignal } from '@preact/signals';
import { go, href } from '../address.ts';
import { request, SESSION } from '../api.ts';
import { Pending } from '../parts/failure.tsx';
import { type Bot, type Session, session } from '../session.ts';
import { ChangeForm, type Field } from './change-form.tsx';
import { useList } from './list.tsx';
import { ownerSession } from './owner.ts';
import { Secret } from './secret.tsx';
import { words } from './words.ts';

export interface BotRow {
  readonly resource_key: string;
  readonly name: string;
  readonly username: string | null;
  readonly has_token: boolean;
  readonly timezone: string;
  readonly pair_separator: string;
  readonly value_separator: string;
  readonly referral_new_users_only: boolean;
  readonly auto_payout: string;
  readonly paid_broadcasts: boolean;
}

/** The names of bots stand on every page: the session has them. */
async function reloadSession(): Promise<void> {
  session.value = await request<Session>(SESSION);
}

/** The settings of the bot, and a form for another bot. */
export function BotSettings({ bot }: { readonly bot: Bot }) {
  const { loaded, reload } = useList<BotRow>('bots', bot.resource_key);
  const { data } = loaded.value;
  const secret = useSignal<string | null | undefined>(undefined);
  const row = data?.find(({ resource_key }) => resource_key === bot.resource_key);
  return (
    <>
      <Pending loaded={loaded.value} retry={reload} />
      {row !== undefined && (
        <section>
          <h2>{row.name}</h2>
          <p class="quiet-text">
            {words.publicKey}: <code>{row.resource_key}</code>
          </p>
          <ChangeForm
            path="bots/set"
            bot={bot.resource_key}
            submit={words.save}
            fields={[
              ...basics(row),
              { name: 'pair_separator', label: words.pairSeparator, value: row.pair_separator, required: true },
              { name: 'value_separator', label: words.valueSeparator, value: row.value_separator, required: true },
              {
                name: 'auto_payout',
                label: words.autoPayout,
                type: 'choice',
                value: row.auto_payout,
                options: Object.entries(words.autoPayouts).map(([value, label]) => ({ value, label })),
              },
              {
                name: 'referral_new_users_only',
                label: words.newUsersOnly,
                type: 'flag',
                value: row.referral_new_users_only,
              },
              { name: 'paid_broadcasts', label: words.paidBroadcasts, type: 'flag', value: row.paid_broadcasts },
            ]}
            body={bodyOf}
            onDone={() => {
              reload();
              void reloadSession();
            }}
          />
          <h3>{words.platformWebhook}</h3>
          <p class="quiet-text">{words.platformWebhookMeans}</p>
          <ChangeForm<{ webhook_secret: string | null }>
            path="bots/rotate-webhook-secret"
            bot={bot.resource_key}
            submit={words.rotateSecret}
            ask={words.askPlatformSecret}
            fields={[]}
            body={() => ({})}
            onDone={({ webhook_secret }) => {
              secret.value = webhook_secret;
            }}
          />
          {secret.value !== undefined && (
            <Secret
              label={words.platformSecret}
              value={secret.value}
              onStored={() => {
                secret.value = undefined;
              }}
            />
          )}
        </section>
      )}
      <AnotherBot />
    </>
  );
}

/** A form for another bot, or what it takes. */
export function AnotherBot() {
  return (
    <section>
      <h2>{words.newBot}</h2>
      {ownerSession()?.all_bots === true ? (
        <NewBot />
      ) : (
        <>
          <p>{words.newBotNeeds}</p>
          <pre>npx botledger key issue --owner ID --all-bots --kind owner</pre>
        </>
      )}
    </section>
  );
}

function basics(row?: BotRow): Field[] {
  return [
    { name: 'name', label: words.name, value: row?.name ?? '', required: true },
    { name: 'username', label: words.username, value: row?.username ?? '', hint: words.usernameHint },
    {
      name: 'timezone',
      label: words.timezone,
      value: row?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
      hint: words.timezoneHint,
      required: true,
    },
    {
      name: 'token',
      label: words.token,
      type: 'secret',
      hint: row?.has_token === true ? words.hasToken : words.noToken,
    },
  ];
}

/** An empty token leaves the token as it is. */
const bodyOf = ({ token, ...given }: Readonly<Record<string, string | boolean>>): object =>
  token === '' ? given : { ...given, token };

function NewBot() {
  const made = useSignal<{ readonly resource_key: string; readonly webhook_secret: string | null } | undefined>(
    undefined,
  );
  if (made.value !== undefined) {
    const { resource_key, webhook_secret } = made.value;
    return (
      <Secret
        label={words.platformSecret}
        value={webhook_secret}
        onStored={() => {
          void reloadSession().then(() => go(href('/settings/bot', { bot: resource_key })));
        }}
      />
    );
  }
  return (
    <ChangeForm<{ resource_key: string; webhook_secret: string | null }>
      path="bots/create"
      submit={words.createBot}
      fields={basics()}
      body={bodyOf}
      onDone={(data) => {
        made.value = data;
      }}
    />
  );
}
