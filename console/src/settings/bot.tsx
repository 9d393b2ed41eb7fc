import { useSignal } from '@preact/signals';
import { go, href } from '../address.ts';
import { request, SESSION } from '../api.ts';
import { Card } from '../parts/card.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { Cut } from '../parts/cut.tsx';
import { Pending } from '../parts/failure.tsx';
import type { PickerOption } from '../parts/picker.tsx';
import { type Bot, type Session, session } from '../session.ts';
import { texts } from '../texts.ts';
import { ChangeForm } from './change-form.tsx';
import type { Field, Given } from './fields.tsx';
import { useList } from './list.tsx';
import { ownerSession } from './owner.ts';
import { Secret } from './secret.tsx';
import { type FormSection, SectionForm } from './section-form.tsx';
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
  const key = bot.resource_key;
  const { loaded, reload } = useList<BotRow>('bots', key);
  const row = loaded.value.data?.find(({ resource_key }) => resource_key === key);
  return (
    <>
      <Pending loaded={loaded.value} retry={reload} />
      {row !== undefined && (
        <>
          <SectionForm
            title={<Cut text={row.name} />}
            lead={
              <>
                {words.publicKey}: <code>{row.resource_key}</code>
              </>
            }
            path="bots/set"
            bot={key}
            sections={sectionsOf(row)}
            onDone={async () => {
              reload();
              await reloadSession();
            }}
          />
          <PlatformSecret bot={key} />
        </>
      )}
      <AnotherBot />
    </>
  );
}

function sectionsOf(row: BotRow): FormSection[] {
  const [name, username, timezone, token] = basics(row);
  const payouts = Object.entries(words.autoPayouts).map(([value, label]) => ({ value, label }));
  return [
    { title: words.about.names, about: words.about.namesMean, fields: [name, username] },
    { title: words.timezone, about: words.about.zoneMeans, fields: [timezone] },
    { title: words.token, about: words.about.tokenMeans, fields: [token] },
    {
      title: words.about.links,
      about: words.about.linksMean,
      fields: [
        { name: 'pair_separator', label: words.pairSeparator, value: row.pair_separator, required: true },
        { name: 'value_separator', label: words.valueSeparator, value: row.value_separator, required: true },
      ],
    },
    {
      title: words.about.referrals,
      fields: [
        {
          name: 'referral_new_users_only',
          label: words.newUsersOnly,
          hint: words.newUsersOnlyHint,
          type: 'flag',
          value: row.referral_new_users_only,
        },
      ],
    },
    {
      title: words.autoPayout,
      fields: [{ name: 'auto_payout', label: words.when, type: 'choice', value: row.auto_payout, options: payouts }],
    },
    {
      title: words.about.sending,
      fields: [
        {
          name: 'paid_broadcasts',
          label: words.paidBroadcasts,
          hint: words.paidBroadcastsHint,
          type: 'flag',
          value: row.paid_broadcasts,
        },
      ],
    },
  ];
}

function PlatformSecret({ bot }: { readonly bot: string }) {
  const secret = useSignal<string | null | undefined>(undefined);
  return (
    <Card title={words.platformWebhook} lead={words.platformWebhookMeans}>
      <ChangeForm<{ webhook_secret: string | null }>
        path="bots/rotate-webhook-secret"
        bot={bot}
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
    </Card>
  );
}

/** A form for another bot, or what it takes. */
export function AnotherBot() {
  return (
    <Card title={words.newBot}>
      {ownerSession()?.all_bots === true ? (
        <NewBot />
      ) : (
        <>
          <p>{words.newBotNeeds}</p>
          <CodeBlock name={texts.terminal} code="npx botledger key issue --owner ID --all-bots --kind owner" />
        </>
      )}
    </Card>
  );
}

/** Name, username, time zone and token. */
function basics(row?: BotRow): readonly [Field, Field, Field, Field] {
  return [
    { name: 'name', label: words.name, value: row?.name ?? '', required: true },
    { name: 'username', label: words.username, value: row?.username ?? '', hint: words.usernameHint },
    {
      name: 'timezone',
      label: words.timezone,
      type: 'pick',
      value: row?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
      options: zones(row?.timezone),
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

/** The time zones that the browser knows, and the one of the bot. */
function zones(own = 'UTC'): PickerOption[] {
  const known = Intl.supportedValuesOf('timeZone');
  return [...new Set(['UTC', own, ...known])].map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }));
}

/** An empty token leaves the token as it is. */
const bodyOf = ({ token, ...given }: Given): object => (token === '' ? given : { ...given, token });

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
