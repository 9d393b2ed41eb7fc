import { useSignal } from '@preact/signals';
import { dayName, instant, localOf, utcOf } from '../format.ts';
import { useAttempt } from '../parts/attempt.ts';
import { Card } from '../parts/card.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Cut } from '../parts/cut.tsx';
import { Pill } from '../parts/pill.tsx';
import { SortedTable } from '../parts/sorted-table.tsx';
import type { Bot } from '../session.ts';
import { sendSetting } from './change.ts';
import { ChangeForm } from './change-form.tsx';
import { Listed, useWholeList } from './list.tsx';
import { Maker } from './maker.tsx';
import { ownerSession } from './owner.ts';
import { Secret } from './secret.tsx';
import { words } from './words.ts';

interface Key {
  readonly key_id: number;
  readonly bots: readonly string[] | null;
  readonly kind: keyof typeof words.kinds;
  readonly name: string | null;
  readonly issued_at: string;
  readonly state: keyof typeof words.states;
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

interface Asked {
  readonly action: 'rotate' | 'revoke';
  readonly key: Key;
}

/** The keys within the reach of this one: issue, rotate, revoke, last use. */
export function Keys({ bot }: { readonly bot: Bot }) {
  const { loaded, reload } = useWholeList<Key>('keys', bot.resource_key);
  const issued = useSignal<Issued | undefined>(undefined);
  const asked = useSignal<Asked | null>(null);
  const attempt = useAttempt();
  const { data } = loaded.value;

  async function act(): Promise<void> {
    const { action, key } = asked.value!;
    await attempt.run(async () => {
      const done = await sendSetting<Issued>(`keys/${action}`, { key_id: key.key_id });
      if (action === 'rotate') issued.value = done;
      asked.value = null;
      reload();
    });
  }
  return (
    <>
      {issued.value !== undefined && (
        <Secret
          label={words.newKey(issued.value.key_id)}
          value={issued.value.api_key}
          onStored={() => {
            issued.value = undefined;
          }}
        />
      )}
      <Card
        title={words.sections.keys}
        lead={words.keysMean}
        flush={data !== undefined && data.length > 0}
        busy={loaded.value.loading}
        actions={
          <Maker
            title={words.issueTitle}
            form={(close) => (
              <IssueForm
                bot={bot}
                onDone={(done) => {
                  close();
                  issued.value = done;
                  reload();
                }}
              />
            )}
          />
        }
        footer={<span>{words.lastUseMeans}</span>}
      >
        <Listed list={loaded.value} reload={reload} none={words.noKeys}>
          <KeyTable
            keys={data ?? []}
            onAsk={(action, key) => {
              asked.value = { action, key };
            }}
          />
        </Listed>
      </Card>
      {asked.value !== null && (
        <Confirm
          question={questionOf(asked.value)}
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

interface KeyTableProps {
  readonly keys: readonly Key[];
  readonly onAsk: (action: Asked['action'], key: Key) => void;
}

function KeyTable({ keys, onAsk }: KeyTableProps) {
  const bots = new Map((ownerSession()?.bots ?? []).map(({ resource_key, name }) => [resource_key, name]));
  const botsOf = ({ bots: of }: Key): string =>
    of === null ? words.allBots : words.names(of.map((each) => bots.get(each) ?? each));
  // An owner key rotates of its kind only itself and what replaced it (decisions.md#stolen-key).
  const isRotatable = ({ kind, is_own, rotates }: Key): boolean =>
    kind !== 'owner' || is_own || keys.some((own) => own.is_own && own.key_id === rotates);
  return (
    <SortedTable<Key>
      name="keys"
      caption={words.sections.keys}
      order="-issued_at"
      textOf={(key) => `${key.name ?? ''} ${key.key_id} ${words.kinds[key.kind]} ${botsOf(key)}`}
      columns={[
        {
          key: 'name',
          label: words.name,
          head: true,
          show: (_, key) => (
            <>
              <span class="who">
                <Cut text={key.name ?? words.keyNumber(key.key_id)} />
                {key.is_own && <span class="count">{words.thisKey}</span>}
              </span>
              <span class="sub">
                <Cut text={`${words.kinds[key.kind]} · ${botsOf(key)}`} />
              </span>
            </>
          ),
        },
        { key: 'state', label: words.state, show: (_, key) => <State of={key} /> },
        {
          key: 'last_used_at',
          label: words.lastUse,
          show: (at) => (at === null ? words.neverUsed : instant(String(at))),
        },
        {
          key: 'actions',
          label: words.actions,
          show: (_, key) =>
            key.state === 'valid' && (
              <span class="btns">
                {key.revoked_at === null && isRotatable(key) && <Act action="rotate" of={key} onAsk={onAsk} />}
                {!key.is_own && <Act action="revoke" of={key} onAsk={onAsk} />}
              </span>
            ),
        },
        { key: 'issued_at', label: words.issued, show: (at) => instant(String(at)) },
      ]}
      rows={keys}
    />
  );
}

interface ActProps extends Pick<KeyTableProps, 'onAsk'> {
  readonly action: Asked['action'];
  readonly of: Key;
}

const Act = ({ action, of, onAsk }: ActProps) => (
  <button type="button" class="btn small" onClick={() => onAsk(action, of)}>
    {words[action]}
    <span class="hidden"> {words.keyNumber(of.key_id)}</span>
  </button>
);

/** The state by the clock of the service, with its end. */
function State({ of: { state, revoked_at, expires_at } }: { readonly of: Key }) {
  const until = [revoked_at, expires_at].filter((end) => end !== null).sort()[0];
  if (state === 'valid')
    return until === undefined ? (
      <Pill kind="good" icon="check">
        {words.states.valid}
      </Pill>
    ) : (
      <Pill kind="warn" icon="clock">
        {words.validUntil(instant(until))}
      </Pill>
    );
  const end = state === 'revoked' ? revoked_at : expires_at;
  return (
    <Pill icon="close">
      {words.states[state]} {end !== null && dayName(localOf(end))}
    </Pill>
  );
}

interface IssueFormProps {
  readonly bot: Bot;
  readonly onDone: (issued: Issued) => void;
}

function IssueForm({ bot, onDone }: IssueFormProps) {
  return (
    <ChangeForm<Issued>
      path="keys/issue"
      submit={words.issue}
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
      onDone={onDone}
    />
  );
}

function questionOf({ action, key: { key_id, kind, name, is_own } }: Asked): string {
  const shown = name ?? words.keyNumber(key_id);
  const revoke = words.askRevoke(shown);
  if (action === 'revoke') return kind === 'owner' ? `${revoke} ${words.askRevokeOwner}` : revoke;
  return is_own ? `${words.askRotate(shown)} ${words.askRotateOwn}` : words.askRotate(shown);
}
