import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { go, href } from '../address.ts';
import { request } from '../api.ts';
import { number } from '../format.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { ListOption } from '../parts/list-option.tsx';
import { useLoad } from '../parts/load.ts';
import { layer } from './keys.ts';
import { words } from './layer-words.ts';
import type { PageLink } from './pages.ts';
import { toggleTheme } from './theme.ts';

interface Entry {
  readonly group: string;
  readonly icon: IconName;
  readonly label: string;
  readonly small?: string;
  /** A link of the console, or an action. */
  readonly to: string | (() => void);
}

export interface PaletteProps {
  readonly pages: readonly PageLink[];
  /** Public key; absent: no bot is open. */
  readonly bot: string | undefined;
}

/** Entries of a group that are shown at once. */
const MOST = 6;
const KEPT = 'recent';
const RECENT = 5;

type Recent = readonly { readonly label: string; readonly to: string; readonly icon: IconName }[];

/** Searches everything that has a name, and goes there: pages, reports, events, broadcasts, people, actions. */
export function Palette({ pages, bot }: PaletteProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  /** Gets the focus when the layer closes. */
  const focusThen = useRef<HTMLElement | null>(null);
  const asked = useSignal('');
  const at = useSignal(0);
  const { loaded } = useLoad(() => (bot === undefined ? null : (signal) => loadNamed(bot, signal)));
  useLayoutEffect(() => {
    const element = dialog.current!;
    focusThen.current = document.activeElement as HTMLElement | null;
    element.showModal();
    return () => {
      element.close();
      focusThen.current?.focus();
    };
  }, []);
  const close = (): void => {
    layer.value = null;
  };
  /** Whether a link leads to a page of this session. */
  const leads = (to: Entry['to']): boolean =>
    typeof to !== 'string' || pages.some(({ path }) => to.startsWith(href(path)));
  const text = asked.value.trim();
  const found = matching([...pagesOf(pages, bot), ...(loaded.value.data ?? []), ...actionsOf(bot)], text, bot).filter(
    ({ to }) => leads(to),
  );
  const current = Math.min(at.value, found.length - 1);
  const pick = (entry: Entry): void => {
    close();
    if (typeof entry.to !== 'string') {
      entry.to();
      return;
    }
    keep(entry);
    focusThen.current = document.querySelector('main');
    go(entry.to);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it; a click outside does the same
    <dialog
      ref={dialog}
      class="menu picker palette"
      aria-label={words.palette}
      onClose={close}
      onClick={(event) => {
        if (event.target === dialog.current) close();
      }}
    >
      <div class="search">
        <Icon name="search" />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={found.length > 0 ? `palette-${current}` : undefined}
          aria-label={words.palette}
          placeholder={words.hint}
          value={asked.value}
          onInput={(event) => {
            asked.value = event.currentTarget.value;
            at.value = 0;
          }}
          onKeyDown={(event) => {
            const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
            if (step !== undefined) {
              at.value = Math.max(0, Math.min(found.length - 1, current + step));
              document.getElementById(`palette-${at.value}`)?.scrollIntoView({ block: 'nearest' });
            } else if (event.key === 'Enter' && found[current] !== undefined) pick(found[current]);
            else return;
            event.preventDefault();
          }}
        />
      </div>
      <div class="list" role="listbox" id="palette-list" aria-label={words.palette} tabIndex={-1}>
        {found.length === 0 && <p class="option quiet-text">{words.none}</p>}
        {found.map((entry, index) => (
          <ListOption
            key={`${entry.group} ${entry.label} ${index}`}
            id={`palette-${index}`}
            heading={entry.group === found[index - 1]?.group ? undefined : entry.group}
            icon={entry.icon}
            label={entry.label}
            small={entry.small}
            isCurrent={index === current}
            onPick={() => pick(entry)}
          />
        ))}
        {loaded.value.error !== undefined && <p class="quiet-text small-text">{words.failed}</p>}
      </div>
    </dialog>
  );
}

const pagesOf = (pages: readonly PageLink[], bot: string | undefined): Entry[] =>
  pages.map(({ path, name, icon }) => ({ group: words.pages, icon, label: name, to: href(path, { bot }) }));

function actionsOf(bot: string | undefined): Entry[] {
  const group = words.actions;
  const ofBot: Entry[] =
    bot === undefined
      ? []
      : [
          { group, icon: 'plus', label: words.newReport, to: href('/reports/new', { bot }) },
          { group, icon: 'plus', label: words.newBroadcast, to: href('/broadcasts', { bot, new: '1' }) },
        ];
  return [
    ...ofBot,
    { group, icon: 'moon', label: words.theme, to: toggleTheme },
    {
      group,
      icon: 'help',
      label: words.showKeys,
      to: () => {
        layer.value = 'keys';
      },
    },
  ];
}

/** All that the bot has with a name. A list that fails leaves the others. */
async function loadNamed(bot: string, signal: AbortSignal): Promise<Entry[]> {
  const options = { bot, signal };
  const [reports, events, broadcasts] = await Promise.all([
    request<{ items: readonly { uuid: string; name: string }[] }>('/v1/reports/list', options),
    request<{ items: readonly { name: string; count: number }[] }>('/v1/reports/events', options),
    request<{ items: readonly { id: number; name: string | null }[] }>('/v1/broadcast/list?limit=500', options),
  ]);
  return [
    ...reports.items.map(
      ({ uuid, name }): Entry => ({
        group: words.reports,
        icon: 'report',
        label: name,
        to: href(`/reports/${uuid}`, { bot }),
      }),
    ),
    ...events.items
      .toSorted((a, b) => b.count - a.count)
      .map(
        ({ name, count }): Entry => ({
          group: words.events,
          icon: 'events',
          label: name,
          small: words.times(number(count)),
          to: href('/events', { bot, events_find: name }),
        }),
      ),
    ...broadcasts.items.flatMap(({ id, name }): Entry[] =>
      name === null
        ? []
        : [{ group: words.broadcasts, icon: 'broadcast', label: name, to: href('/broadcasts', { bot, id: `${id}` }) }],
    ),
  ];
}

/** The entries that have all words, a few of each group; without words the recent ones and the pages. */
function matching(entries: readonly Entry[], text: string, bot: string | undefined): readonly Entry[] {
  if (text === '')
    return [
      ...recent().map((entry) => ({ ...entry, group: words.recent })),
      ...entries.filter(({ group }) => group === words.pages || group === words.actions),
    ];
  const asked = text.toLowerCase().split(/\s+/);
  const counts = new Map<string, number>();
  const found = entries.filter(({ group, label }) => {
    if (!asked.every((word) => label.toLowerCase().includes(word))) return false;
    const count = (counts.get(group) ?? 0) + 1;
    counts.set(group, count);
    return count <= MOST;
  });
  if (bot === undefined) return found;
  const people: Entry = {
    group: words.people,
    icon: 'users',
    label: words.find(text),
    to: href('/users', { bot, find: text }),
  };
  return [...found, people];
}

function recent(): Recent {
  try {
    return JSON.parse(window.localStorage.getItem(KEPT) ?? '[]') as Recent;
  } catch {
    // Another program wrote something else there.
    return [];
  }
}

function keep({ label, icon, to }: Entry): void {
  const kept = recent().filter((each) => each.to !== to);
  window.localStorage.setItem(KEPT, JSON.stringify([{ label, icon, to }, ...kept].slice(0, RECENT)));
}
