import { useSignal } from '@preact/signals';
import { request } from '../api.ts';
import { instant, number } from '../format.ts';
import { Card } from '../parts/card.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { Drawer } from '../parts/drawer.tsx';
import { Pending } from '../parts/failure.tsx';
import { useLoad } from '../parts/load.ts';
import { Pill } from '../parts/pill.tsx';
import { UserLink } from '../parts/user-link.tsx';
import { words } from './words.ts';

interface BotError {
  readonly id: string;
  readonly date: string;
  readonly kind: keyof typeof words.kinds;
  readonly message: string;
  readonly payload: { readonly user_id?: unknown } | null;
  readonly resolved_at: string | null;
}

/** Errors that say the same but for numbers. */
interface Group {
  readonly kind: BotError['kind'];
  readonly message: string;
  readonly errors: readonly BotError[];
}

/** The most that an answer has. */
const MOST = 200;

/** Elements that could not be processed as sent, by what is wrong, with what to do. */
export function BotErrors({ bot }: { readonly bot: string }) {
  const { loaded, reload } = useLoad(
    () => (signal) => request<{ items: BotError[] }>(`/v1/bot-errors?limit=${MOST}`, { bot, signal }),
    { poll: () => 'still' },
  );
  const shown = useSignal<BotError | null>(null);
  const { data, loading } = loaded.value;
  const open = data?.items.filter(({ resolved_at }) => resolved_at === null).length ?? 0;
  return (
    <Card
      id="errors"
      title={words.errors}
      busy={loading}
      actions={open > 0 ? <span class="count bad">{words.open(number(open))}</span> : undefined}
      footer={data !== undefined && (data.items.length < MOST ? words.keptFor : words.latest(number(MOST)))}
    >
      <Pending loaded={loaded.value} retry={reload} />
      {data?.items.length === 0 && <p class="quiet-text">{words.noErrors}</p>}
      {data !== undefined &&
        groupsOf(data.items).map((group) => (
          <ErrorGroup
            key={group.kind + group.message}
            bot={bot}
            group={group}
            onSee={(error) => {
              shown.value = error;
            }}
          />
        ))}
      {shown.value !== null && (
        <Drawer
          title={words.kinds[shown.value.kind]}
          sub={shown.value.message}
          onClose={() => {
            shown.value = null;
          }}
        >
          <h3>{words.whatToDo}</h3>
          <p>{words.advice[shown.value.kind]}</p>
          <CodeBlock name={words.sent} code={JSON.stringify(shown.value.payload, null, 2)} />
        </Drawer>
      )}
    </Card>
  );
}

interface ErrorGroupProps {
  readonly bot: string;
  readonly group: Group;
  readonly onSee: (error: BotError) => void;
}

function ErrorGroup({ bot, group: { kind, message, errors }, onSee }: ErrorGroupProps) {
  const [last] = errors as readonly [BotError];
  const resolved = errors.filter(({ resolved_at }) => resolved_at !== null).length;
  const user = Number(last.payload?.user_id);
  return (
    <div class="err">
      <h3>
        <span>{words.kinds[kind]}</span>
        <Pill kind={kind === 'unknown_user' ? 'bad' : 'warn'} icon="warn">
          {words.times(errors.length)}
        </Pill>
      </h3>
      <p>
        <bdi>{errors.length === 1 ? last.message : message}</bdi>
      </p>
      <p>{words.advice[kind]}</p>
      {resolved > 0 && <p class="quiet-text">{words.resolved(resolved)}</p>}
      <p class="quiet-text">
        {words.lastAt(instant(last.date))}
        {/* A person that the bot never met has no page. */}
        {kind !== 'unknown_user' && Number.isSafeInteger(user) && user > 0 && (
          <>
            {' '}
            <UserLink bot={bot} user={{ user_id: user }} />
          </>
        )}
      </p>
      <div class="btns">
        <button type="button" class="btn small" onClick={() => onSee(last)}>
          {words.see}
        </button>
      </div>
    </div>
  );
}

/** The errors by kind and message without its numbers, the latest first. */
function groupsOf(items: readonly BotError[]): readonly Group[] {
  const groups = new Map<string, { readonly kind: Group['kind']; readonly message: string; errors: BotError[] }>();
  for (const error of items) {
    const message = error.message.replaceAll(/\d+/g, '…');
    const key = `${error.kind} ${message}`;
    const group = groups.get(key) ?? { kind: error.kind, message, errors: [] };
    groups.set(key, group);
    group.errors.push(error);
  }
  return [...groups.values()];
}
