import { signal, useSignalEffect } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { address, followLinks, href } from '../address.ts';
import { request, SESSION } from '../api.ts';
import { linkToken } from '../login/link-token.ts';
import { Login } from '../login/page.tsx';
import { botOfPage } from '../page-bot.ts';
import { Note } from '../parts/note.tsx';
import { endedElsewhere, type OperatorSession, type OwnerSession, type Session, session } from '../session.ts';
import { texts } from '../texts.ts';
import { Layers } from './layers.tsx';
import { LazyPage } from './lazy-page.tsx';
import { NoBots } from './no-bots.tsx';
import { OPERATIONS, PAGES, pageAt } from './pages.ts';
import { Navigation, type NavigationProps } from './side.tsx';

const failed = signal(false);

async function loadSession(): Promise<void> {
  try {
    session.value = await request<Session>(SESSION);
    failed.value = false;
  } catch (error) {
    const { status } = error as { readonly status?: number };
    if (status === 401) session.value = null;
    else failed.value = true;
  }
}

/** The frame of every page: who is logged in, which bot, which page. */
export function Shell() {
  useSignalEffect(() => {
    if (session.value === undefined) void loadSession();
    // A link is for visitors without a session. Kept, it would log in again after a log-out.
    else if (session.value !== null && linkToken.value !== null) linkToken.value = null;
  });
  if (failed.value)
    return (
      <main id="main" class="page">
        <p role="alert">{texts.errors.noAnswer}</p>
        <button type="button" class="btn" onClick={() => void loadSession()}>
          {texts.errors.retry}
        </button>
      </main>
    );
  if (session.value === undefined) return <p class="page quiet-text">{texts.loading}</p>;
  if (session.value === null) return <Login />;
  return session.value.kind === 'operator' ? (
    <OperatorPages operator={session.value} />
  ) : (
    <OwnerPages owner={session.value} />
  );
}

/** Operators have their own pages and no bot. */
function OperatorPages({ operator }: { readonly operator: OperatorSession }) {
  const found = pageAt([OPERATIONS], address.value.path);
  return (
    <Frame session={operator} pages={[OPERATIONS]} bots={[]} bot={undefined} current={found}>
      {found === undefined ? <Lost text={texts.notFound} /> : <LazyPage page={found} props={{ operator }} />}
    </Frame>
  );
}

function OwnerPages({ owner }: { readonly owner: OwnerSession }) {
  const { bots, kind } = owner;
  const { path } = address.value;
  const bot = botOfPage();
  // Without a bot, the settings are where an owner creates one.
  const pages = bots.length > 0 ? PAGES : PAGES.filter((page) => page.path === '/settings' && kind === 'owner');
  const found = pageAt(pages, path);
  return (
    <Frame session={owner} pages={pages} bots={bots} bot={bot} current={found}>
      {bots.length === 0 ? (
        <NoBots kind={kind} />
      ) : bot === undefined ? (
        <NoSuchBot owner={owner} />
      ) : found === undefined ? (
        <Lost text={path.startsWith(OPERATIONS.path) ? texts.operatorsOnly : texts.notFound} />
      ) : (
        <LazyPage key={`${found.path} ${bot.resource_key}`} page={found} props={{ bot }} />
      )}
    </Frame>
  );
}

function NoSuchBot({ owner: { bots } }: { readonly owner: OwnerSession }) {
  return (
    <>
      <div role="alert">
        <h1>{texts.nav.noSuchBot}</h1>
      </div>
      <ul>
        {bots.map(({ resource_key, name }) => (
          <li key={resource_key}>
            <a href={href(address.value.path, { bot: resource_key })}>
              <bdi>{name}</bdi>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

function Lost({ text }: { readonly text: string }) {
  useEffect(() => {
    document.title = `${text} · ${texts.name}`;
  }, [text]);
  return <h1>{text}</h1>;
}

function Frame({ children, ...navigation }: NavigationProps & { readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: links answer to the keyboard by themselves; this only catches their clicks
    // biome-ignore lint/a11y/noStaticElementInteractions: as above
    <div class="app" onClick={followLinks}>
      <a class="skip" href="#main">
        {texts.skip}
      </a>
      <Navigation {...navigation} />
      <Layers pages={navigation.pages} bot={navigation.bot?.resource_key} />
      <main id="main" class="page" tabIndex={-1}>
        {endedElsewhere.value && <Note kind="bad" what={texts.nav.replaced} />}
        {children}
      </main>
    </div>
  );
}
