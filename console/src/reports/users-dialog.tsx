import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { UsersOfCell } from '../../../src/api/reports/users-schemas.ts';
import { go, href } from '../address.ts';
import { request, sendChange } from '../api.ts';
import { number } from '../format.ts';
import { useAttempt } from '../parts/attempt.ts';
import { csvOf } from '../parts/csv.ts';
import { Cut } from '../parts/cut.tsx';
import { type DataColumn, DataTable } from '../parts/data-table.tsx';
import { downloadCsv } from '../parts/download.ts';
import { Drawer } from '../parts/drawer.tsx';
import { Failure, Pending } from '../parts/failure.tsx';
import { Icon } from '../parts/icon.tsx';
import { useLoad } from '../parts/load.ts';
import { UserId } from '../parts/user-id.tsx';
import type { Bot } from '../session.ts';
import type { Cell } from './cell.ts';
import { cellWords as words } from './cell-words.ts';
import type { NamedReport } from './named-report.ts';

interface Opened {
  readonly asked: NamedReport & { readonly cell: Cell };
  /** Which number it is. */
  readonly title: string;
}

/** A page's number whose users are shown. */
export function useUsers({ resource_key }: Bot) {
  const opened = useSignal<Opened | null>(null);
  const close = (): void => {
    opened.value = null;
  };
  return {
    open: (report: NamedReport, cell: Cell, title: string): void => {
      opened.value = { asked: { ...report, cell }, title };
    },
    dialog: opened.value !== null && <UsersDialog bot={resource_key} {...opened.value} onClose={close} />,
  };
}

interface UsersDialogProps extends Opened {
  readonly bot: string;
  readonly onClose: () => void;
}

/** The users behind a number of a report, and the way from them to a broadcast. */
function UsersDialog({ bot, asked, title, onClose }: UsersDialogProps) {
  const { loaded, reload } = useLoad(
    () => (signal) => request<UsersOfCell>('/v1/reports/users', { method: 'POST', bot, body: asked, signal }),
  );
  const { data } = loaded.value;
  return (
    <Drawer
      title={words.title}
      sub={<Cut text={title} />}
      onClose={onClose}
      footer={
        data !== undefined &&
        data.count > 0 && (
          <>
            <MakeBroadcast bot={bot} asked={asked} title={title} />
            <button type="button" class="btn" onClick={() => downloadCsv(title, csvOfUsers(data))}>
              <Icon name="export" /> {words.csv}
            </button>
          </>
        )
      }
    >
      <div aria-live="polite">
        <Pending loaded={loaded.value} retry={reload} />
        {data !== undefined && (
          <p>
            <strong>{words.count(number(data.count))}</strong>
            {data.count > data.users.length && ` ${words.first(number(data.users.length))}`}
          </p>
        )}
      </div>
      {data !== undefined && data.count > 0 && <DataTable caption={words.title} columns={COLUMNS} rows={data.users} />}
    </Drawer>
  );
}

/** The users that are shown, as CSV. */
function csvOfUsers({ users }: UsersOfCell): string {
  const columns = COLUMNS.map(({ label, key }) => ({
    key: key as keyof UsersOfCell['users'][number],
    label,
    isNumber: key === 'user_id',
  }));
  const name = ({ first_name, last_name }: UsersOfCell['users'][number]) =>
    [first_name, last_name].filter(Boolean).join(' ');
  return csvOf(
    columns,
    users.map((user) => columns.map(({ key }) => (key === 'first_name' ? name(user) : user[key]))),
  );
}

const COLUMNS: readonly DataColumn[] = [
  { key: 'user_id', label: words.user, type: 'text', show: (id) => <UserId id={Number(id)} /> },
  {
    key: 'first_name',
    label: words.name,
    type: 'string',
    show: (_, { first_name, last_name }) => <Cut text={[first_name, last_name].filter(Boolean).join(' ') || '–'} />,
  },
  { key: 'username', label: words.username, type: 'string', show: (name) => (name === null ? '–' : `@${name}`) },
  { key: 'language_code', label: words.language, type: 'string' },
  {
    key: 'user_status',
    label: words.status,
    type: 'string',
    show: (status) => words.statuses[status as keyof typeof words.statuses] ?? words.unknown,
  },
  { key: 'date_last_active', label: words.lastActive, type: 'date' },
];

type MakeBroadcastProps = Pick<UsersDialogProps, 'bot' | 'asked' | 'title'>;

/** Longest name of a broadcast. */
const MAX_NAME = 250;

/** Makes a draft, the list of these users and its audience. Pressed again after a failure, it continues with the same draft. */
function MakeBroadcast({ bot, asked, title }: MakeBroadcastProps) {
  const { error, busy, run } = useAttempt();
  const made = useRef<{ id?: number; segment_id?: number }>({}).current;
  const send = async <T,>(path: string, body: object): Promise<T> => (await sendChange<T>(path, body, bot)).data;

  const make = (): Promise<void> =>
    run(async () => {
      const name = [...title].slice(0, MAX_NAME).join('');
      made.id ??= (await send<{ id: number }>('/v1/broadcast/create', { type: 'sendMessage', name })).id;
      const { id } = made;
      made.segment_id ??= (
        await send<{ segment_id: number }>('/v1/broadcast/segment-from-report', { ...asked, task_id: id })
      ).segment_id;
      const include = [{ type: 'custom', config: { segment_id: made.segment_id } }];
      await send('/v1/broadcast/save', { id, segmentations: { include, exclude: [] } });
      go(href('/broadcasts', { bot, id: String(id) }));
    });

  return (
    <>
      <button type="button" class="btn primary" disabled={busy.value} onClick={() => void make()}>
        <Icon name="broadcast" /> {words.makeBroadcast}
      </button>
      {error.value !== undefined && <Failure error={error.value} />}
    </>
  );
}
