import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { href } from '../address.ts';
import { request } from '../api.ts';
import type { Broadcast } from '../broadcasts/broadcast.ts';
import { words as broadcastWords } from '../broadcasts/words.ts';
import { clock, date, number } from '../format.ts';
import { Icon } from '../parts/icon.tsx';
import { Popover } from '../parts/popover.tsx';
import { quoted } from '../parts/quoted.ts';
import { flagWords as words } from './flag-words.ts';
import './flags.css';

/** A broadcast that was launched. */
interface Launch {
  readonly id: number;
  readonly name: string;
  /** Local time of the bot's zone, `YYYY-MM-DD HH:MM:SS`. */
  readonly at: string;
  readonly recipients: number;
  /** The index of the time of the chart in which it was launched. */
  readonly index: number;
}

/** A mark in a chart: of one broadcast, or of several that are too near to have one each. */
interface Flag {
  readonly index: number;
  readonly launches: readonly Launch[];
}

export interface Flags {
  readonly bot: string;
  /** In the order of time. */
  readonly launches: readonly Launch[];
  /** A few: the largest. */
  readonly shown: readonly Flag[];
  /** More flags than are shown. */
  readonly isCut: boolean;
  /** There are older broadcasts, which were not looked at. */
  readonly isPartial: boolean;
}

/** Broadcasts that are looked at: those that were created last before the end of the chart. */
const LOOKED_AT = 100;
/** Flags of a chart. */
const MOST = 6;
/** Flags that fit next to each other in the narrowest chart that has flags. */
const ROOM = 14;
/** Characters of a name in the tip. */
const SHOWN_OF_NAME = 40;
/** Broadcasts that a row of the table names. */
const NAMED = 3;

/** Status 0 is a draft, 1 waits for its time. */
const isLaunched = ({ status }: Broadcast): boolean => status > 1;

/** When the recipients began to get it: a broadcast with a later date waits for it. */
const launchedAt = ({ date_send, date_activate }: Broadcast): string =>
  [date_send ?? '', date_activate ?? ''].toSorted().at(-1)!;

const localOf = (time: string): string => time.slice(0, 19).replace('T', ' ');

/** The launches within a chart. @param times in the bot's zone @param end the last second of the chart */
export async function loadFlags(bot: string, times: readonly string[], end: string): Promise<Flags> {
  const until = localOf(end);
  const query = new URLSearchParams({
    'filters[date_create]': `1970-01-01,${until.slice(0, 10)}`,
    'orders[id]': 'desc',
    limit: `${LOOKED_AT}`,
  });
  const { items, total } = await request<{ readonly items: readonly Broadcast[]; readonly total: number }>(
    `/v1/broadcast/list?${query}`,
    { bot },
  );
  const starts = times.map(localOf);
  const launches = items
    .filter(isLaunched)
    .map((broadcast): Launch => {
      const { id, name, count_recipients: recipients } = broadcast;
      const at = launchedAt(broadcast);
      const index = at > until ? -1 : starts.findLastIndex((start) => start <= at);
      return { id, name: name ?? broadcastWords.unnamed(id), at, recipients, index };
    })
    .filter(({ index }) => index >= 0)
    .toSorted((a, b) => (a.at < b.at ? -1 : 1));
  const flags = flagsOf(launches, Math.ceil(times.length / ROOM));
  const shown = flags.toSorted((a, b) => reached(b) - reached(a)).slice(0, MOST);
  return {
    bot,
    launches,
    shown: shown.toSorted((a, b) => a.index - b.index),
    isCut: flags.length > MOST,
    isPartial: total > items.length,
  };
}

const reached = ({ launches }: Flag): number => launches.reduce((sum, { recipients }) => sum + recipients, 0);

/** Launches in the order of time as flags that do not touch. @param gap the least distance of two flags, in times */
function flagsOf(launches: readonly Launch[], gap: number): Flag[] {
  const flags: { index: number; launches: Launch[] }[] = [];
  for (const launch of launches) {
    const last = flags.at(-1);
    if (last !== undefined && launch.index - last.index < gap) last.launches.push(launch);
    else flags.push({ index: launch.index, launches: [launch] });
  }
  return flags;
}

const nameOf = ({ launches: [first, ...others] }: Flag): string =>
  others.length === 0 ? words.one(first!.name, first!.at) : words.several(number(others.length + 1), first!.at);

/** The flag of a chart. A press names its broadcasts, which lead to their pages. */
export function FlagButton({ bot, flag }: { readonly bot: string; readonly flag: Flag }) {
  const opener = useRef<HTMLButtonElement>(null);
  const isOpen = useSignal(false);
  return (
    <>
      <button
        ref={opener}
        type="button"
        class="flag"
        data-index={flag.index}
        title={nameOf(flag)}
        aria-label={nameOf(flag)}
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        <Icon name="broadcast" />
      </button>
      {isOpen.value && (
        <Popover
          opener={opener.current!}
          onClose={() => {
            isOpen.value = false;
          }}
        >
          <Flagged bot={bot} launches={flag.launches} />
        </Popover>
      )}
    </>
  );
}

function Flagged({ bot, launches }: { readonly bot: string; readonly launches: readonly Launch[] }) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => list.current!.querySelector('a')!.focus(), []);
  return (
    <ul ref={list} class="flagged">
      {launches.map((launch) => (
        <li key={launch.id}>
          <LaunchLink bot={bot} launch={launch} />
          <small>{words.launched(date(launch.at, true), words.people(number(launch.recipients)))}</small>
        </li>
      ))}
    </ul>
  );
}

function LaunchLink({ bot, launch: { id, name } }: { readonly bot: string; readonly launch: Launch }) {
  return (
    <a class="cut" href={href(`/broadcasts/${id}`, { bot })} title={name}>
      <bdi>{name}</bdi>
    </a>
  );
}

/** The launches of each time of a chart in words, for its tip. */
export function notesOf({ launches }: Flags): Record<number, string> {
  const notes: Record<number, string> = {};
  for (const { index } of launches) {
    const [first, ...others] = launches.filter((launch) => launch.index === index);
    notes[index] = words.sent(clock(first!.at, false), quoted(first!.name.slice(0, SHOWN_OF_NAME)), others.length);
  }
  return notes;
}

/** The broadcasts that were launched in a time of the chart, for the table. */
export function LaunchesAt({ flags: { bot, launches }, index }: { readonly flags: Flags; readonly index: number }) {
  const own = launches.filter((launch) => launch.index === index);
  if (own.length === 0) return null;
  return (
    <ul class="launches">
      {own.slice(0, NAMED).map((launch) => (
        <li key={launch.id}>
          <Icon name="broadcast" /> <LaunchLink bot={bot} launch={launch} />{' '}
          <span class="nowrap">{clock(launch.at, false)}</span>
        </li>
      ))}
      {own.length > NAMED && (
        <li>
          <a href={href('/broadcasts', { bot })}>{words.more(number(own.length - NAMED))}</a>
        </li>
      )}
    </ul>
  );
}

/** Which broadcasts have no flag, in words. */
export function FlagNotes({ flags: { isCut, isPartial } }: { readonly flags: Flags }) {
  return (
    <>
      {isCut && <p class="quiet-text small-text cut-flags">{words.marked(MOST)}</p>}
      {isPartial && <p class="quiet-text small-text">{words.latest(number(LOOKED_AT))}</p>}
    </>
  );
}
