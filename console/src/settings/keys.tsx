import { useSignal } from '@preact/signals';
import type { Value } from '../api.ts';
import { instant, utcOf } from '../format.ts';
import { useAttempt } from '../parts/attempt.ts';
import { Confirm } from '../parts/confirm.tsx';
import type { Bot } from '../session.ts';
import { ChangeForm, sendSetting } from './change-form.tsx';
import { List, type Row, useListPages } from './list.tsx';
import { ownerSession } from './owner.ts';
import { Secret } from './secret.tsx';
import { words } from './words.ts';

interface Key {
  readonly key_id: number;
  readonly bots: readonly string[] | null;
  readonly kind: keyof typeof words.kinds;
  readonly name: string | null;
  readonly issued_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly rotates: number | null;
  readonly last_used_at: string | null;
  readonly is_own: boolean;
}

interface Issued {
  readonly key_id: number;
  readonly api_key: string | null;
}

/** The keys within the reach of this one: issue, rotate, revoke, last use. */
export function Keys({ bot }: { readonly bot: Bot }) {
  const { list, reload, pager } = useListPages<Key>('keys', bot.resource_key);
  const issued = useSignal<Issued | undefined>(undefined);
  const asked = useSignal<{ readonly action: 'rotate' | 'revoke'; readonly key: Key } | null>(null);
  const attempt = useAttempt();
  const names = new Map((ownerSession()?.bots ?? []).map(({ resource_key, name }) => [resource_key, name]));

  async function act(): Promise<void> {
    const { action, key } = asked.value!;
    await attempt.run(async () => {
      const done = await sendSetting<Issued>(`keys/${action}`, { key_id: key.key_id });
      if (action === 'rotate') issued.value = done;
      asked.value = null;
      reload();
    });
  }
  // An owner key rotates of its kind only itself and what replaced it (decisions.md#stolen-key).
  const isRotatable = ({ kind, is_own, rotates }: Key): boolean =>
    kind !== 'owner' || is_own || list.data?.some((own) => own.is_own && own.key_id === rotates) === true;
  const actions = (_: Value | undefined, row: Row) => {
    const key = list.data?.find(({ key_id }) => key_id === row['id']);
    if (key === undefined || stateOf(key) !== 'valid') return null;
    const button = (action: 'rotate' | 'revoke') => (
      <button
        type="button"
        class="btn quiet small"
        onClick={() => {
          asked.value = { action, key };
        }}
      >
        {words[action]}
        <span class="hidden"> {words.keyNumber(key.key_id)}</span>
      </button>
    );
    return (
      <>
        {key.revoked_at === null && isRotatable(key) && button('rotate')} {!key.is_own && button('revoke')}
      </>
    );
  };
  return (
    <>
      <h2>{words.sections.keys}</h2>
      {issued.value !== undefined && (
        <Secret
          label={words.newKey(issued.value.key_id)}
          value={issued.value.api_key}
          onStored={() => {
            issued.value = undefined;
          }}
        />
      )}
      <List
        list={list}
        reload={reload}
        caption={words.sections.keys}
        none={words.noKeys}
        columns={[
          { key: 'id', label: words.number },
          { key: 'name', label: words.name },
          { key: 'actions', label: words.actions, show: actions },
          { key: 'state', label: words.state },
          { key: 'kind', label: words.kind },
          { key: 'bots', label: words.bots },
          { key: 'used', label: words.lastUse },
          { key: 'issued', label: words.issued },
        ]}
        row={(key) => ({
          id: key.key_id,
          name: key.is_own ? words.thisKey(key.name ?? '') : key.name,
          kind: words.kinds[key.kind],
          bots: key.bots === null ? words.allBots : words.names(key.bots.map((each) => names.get(each) ?? each)),
          state: stateText(key),
          used: key.last_used_at === null ? words.neverUsed : instant(key.last_used_at),
          issued: instant(key.issued_at),
          actions: null,
        })}
      />
      {pager}
      <p class="quiet-text">{words.lastUseMeans}</p>
      <h3>{words.issueTitle}</h3>
      <ChangeForm<Issued>
        path="keys/issue"
        submit={words.issue}
        makes
        fields={[
          { name: 'name', label: words.name, hint: words.keyNameHint, required: true },
          {
            name: 'kind',
            label: words.kind,
            type: 'choice',
            value: 'service',
            options: (['service', 'personal'] as const).map((value) => ({ value, label: words.kinds[value] })),
            hint: words.kindHint,
          },
          {
            name: 'bots',
            label: words.bots,
            type: 'choice',
            value: bot.resource_key,
            options: [
              { value: bot.resource_key, label: bot.name },
              ...(ownerSession()?.all_bots === true ? [{ value: 'all', label: words.allBots }] : []),
            ],
          },
          { name: 'expires_at', label: words.expires, type: 'moment', hint: words.expiresHint },
        ]}
        body={({ name, kind, bots, expires_at }) => ({
          name,
          kind,
          bots: bots === 'all' ? 'all' : [bots],
          ...(expires_at === '' ? {} : { expires_at: `${utcOf(`${expires_at}T23:59:59`)}Z` }),
        })}
        onDone={(data) => {
          issued.value = data;
          reload();
        }}
      />
      {asked.value !== null && (
        <Confirm
          question={questionOf(asked.value.action, asked.value.key)}
          action={words[asked.value.action]}
          attempt={attempt}
          onYes={act}
          onNo={() => {
            asked.value = null;
          }}
        />
      )}
    </>
  );
}

function questionOf(action: 'rotate' | 'revoke', { key_id, kind, name, is_own }: Key): string {
  const shown = name ?? words.keyNumber(key_id);
  const revoke = words.askRevoke(shown);
  if (action === 'revoke') return kind === 'owner' ? `${revoke} ${words.askRevokeOwner}` : revoke;
  return is_own ? `${words.askRotate(shown)} ${words.askRotateOwn}` : words.askRotate(shown);
}

function stateOf({ expires_at, revoked_at }: Key): 'valid' | 'expired' | 'revoked' {
  const now = Date.now();
  if (revoked_at !== null && Date.parse(revoked_at) <= now) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= now ? 'expired' : 'valid';
}

function stateText(key: Key): string {
  const state = stateOf(key);
  const until = [key.revoked_at, key.expires_at].filter((end) => end !== null).sort()[0];
  return state === 'valid' && until !== undefined ? words.validUntil(instant(until)) : words.states[state];
}
