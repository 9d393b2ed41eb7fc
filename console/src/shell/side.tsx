import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { href } from '../address.ts';
import { request, SESSION } from '../api.ts';
import { duration, instant, timeOfDay } from '../format.ts';
import { zoneOfPage } from '../page-bot.ts';
import { useAttempt } from '../parts/attempt.ts';
import { Drawer } from '../parts/drawer.tsx';
import { Failure } from '../parts/failure.tsx';
import { freshness } from '../parts/freshness.ts';
import { Icon, Mark } from '../parts/icon.tsx';
import { type Bot, endedElsewhere, type Session, session } from '../session.ts';
import { texts } from '../texts.ts';
import { Avatar, BotSwitch } from './bot-switch.tsx';
import { layer } from './keys.ts';
import type { PageLink } from './pages.ts';
import { toggleTheme } from './theme.ts';

const words = texts.nav;

const IS_MAC = /mac|iphone|ipad/i.test(navigator.userAgent);

export interface NavigationProps {
  readonly session: Session;
  readonly pages: readonly PageLink[];
  readonly bots: readonly Bot[];
  readonly bot: Bot | undefined;
  /** The open page. */
  readonly current: PageLink | undefined;
}

/** The side of a wide window, and the row at the top of a narrow one, which opens the same in a drawer. */
export function Navigation(props: NavigationProps) {
  const isOpen = useSignal(false);
  const close = (): void => {
    isOpen.value = false;
  };
  const { current, bot, bots } = props;
  return (
    <>
      <header class="top">
        <button
          type="button"
          class="btn quiet only-icon"
          aria-label={texts.menu}
          aria-expanded={isOpen.value}
          onClick={() => {
            isOpen.value = true;
          }}
        >
          <Icon name="menu" />
        </button>
        <div class="where">
          <Mark />
          <span>{current?.name ?? texts.name}</span>
        </div>
        <Fresh short />
        <button
          type="button"
          class="btn quiet only-icon"
          aria-label={words.search}
          onClick={() => {
            layer.value = 'palette';
          }}
        >
          <Icon name="search" />
        </button>
        {bots.length > 1 && bot !== undefined && <Avatar bot={bot} size="small" />}
      </header>
      <aside class="side" aria-label={words.side}>
        <a class="brand" href={href('/', { bot: bot?.resource_key })}>
          <Mark /> {texts.name}
        </a>
        <SideContent {...props} />
      </aside>
      {isOpen.value && (
        <Drawer title={texts.name} onClose={close} atStart>
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: only notes that a link was followed */}
          {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
          <div
            class="side-content"
            onClick={(event) => {
              if ((event.target as Element).closest('a') !== null) close();
            }}
          >
            <SideContent {...props} />
          </div>
        </Drawer>
      )}
    </>
  );
}

function SideContent({ session: whose, pages, bots, bot, current }: NavigationProps) {
  const groups = [...new Set(pages.map(({ group }) => group))];
  return (
    <>
      {bots.length > 0 && <BotSwitch bots={bots} bot={bot} />}
      <button
        type="button"
        class="search-btn"
        onClick={() => {
          layer.value = 'palette';
        }}
      >
        <Icon name="search" /> {words.search} <kbd class="kbd">{IS_MAC ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <nav aria-label={words.label} class="stack">
        {groups.map((group) => (
          <div class="nav" key={group}>
            {group !== '' && <p>{group}</p>}
            {pages.map(
              (page) =>
                page.group === group && (
                  <a
                    key={page.path}
                    href={href(page.path, { bot: bot?.resource_key })}
                    aria-current={page === current ? 'page' : undefined}
                  >
                    <Icon name={page.icon} /> {page.name}
                  </a>
                ),
            )}
          </div>
        ))}
      </nav>
      <Foot>{whose.kind === 'operator' ? `${whose.name} · ${words.kinds.operator}` : words.kinds[whose.kind]}</Foot>
    </>
  );
}

/** How far the data are counted, whose session it is, the theme, and the log-out. */
function Foot({ children }: { readonly children: ComponentChildren }) {
  const { error, run } = useAttempt();
  const logOut = (): Promise<void> =>
    run(async () => {
      await request(SESSION, { method: 'DELETE' });
      endedElsewhere.value = false;
      session.value = null;
    });
  return (
    <div class="foot">
      <div class="row">
        <Fresh />
      </div>
      <div class="row">
        <span>{words.zone(zoneOfPage())}</span>
        <span class="btns">
          <button
            type="button"
            class="btn quiet only-icon small"
            aria-label={words.keys}
            title={words.keys}
            onClick={() => {
              layer.value = 'keys';
            }}
          >
            <Icon name="help" />
          </button>
          <button
            type="button"
            class="btn quiet only-icon small"
            aria-label={words.theme}
            title={words.theme}
            onClick={toggleTheme}
          >
            <Icon name="moon" />
          </button>
        </span>
      </div>
      <div class="row">
        <span class="cut">{children}</span>
        <button type="button" class="btn quiet small" onClick={() => void logOut()}>
          {words.logOut}
        </button>
      </div>
      {error.value !== undefined && <Failure error={error.value} />}
    </div>
  );
}

/** From so much on, data that are behind get a warning. */
const BEHIND_MS = 10_000;

function Fresh({ short = false }: { readonly short?: boolean }) {
  const { value } = freshness;
  // Its line is there before the time, so nothing moves.
  if (value === null) return <span class="fresh">{'\u00a0'}</span>;
  const time = timeOfDay(value.at);
  const { lagMs = 0 } = value;
  const isBehind = lagMs > BEHIND_MS;
  const text = isBehind ? words.behind(duration(lagMs / 1000), time) : short ? time.slice(0, 5) : words.counted(time);
  return (
    <span class={isBehind ? 'fresh late' : 'fresh'} title={words.counted(`${instant(value.at)} ${zoneOfPage()}`)}>
      <i class={isBehind ? 'dot' : 'dot live-dot'} />
      {text}
    </span>
  );
}
