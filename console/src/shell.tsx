import { signal, useSignalEffect } from '@preact/signals';
import type { ComponentChildren, ComponentType } from 'preact';
import { address, followLinks, go, href } from './address.ts';
import { request, SESSION } from './api.ts';
import { BroadcastsPage } from './broadcasts/page.tsx';
import { DashboardPage } from './dashboard/page.tsx';
import { linkToken } from './login/link-token.ts';
import { Login } from './login/page.tsx';
import { OperationsPage } from './operations/page.tsx';
import { botOfPage, zoneOfPage } from './page-bot.ts';
import { useAttempt } from './parts/attempt.ts';
import { Failure } from './parts/failure.tsx';
import { ReferralsPage } from './referrals/page.tsx';
import { ReportsPage } from './reports/page.tsx';
import { type Bot, endedElsewhere, type OperatorSession, type OwnerSession, type Session, session } from './session.ts';
import { AnotherBot } from './settings/bot.tsx';
import { SettingsPage } from './settings/page.tsx';
import { texts } from './texts.ts';

interface PageProps {
  readonly bot: Bot;
}

/** The pages of owners by path; the first is where the console begins. */
const PAGES: readonly { readonly path: string; readonly name: string; readonly page: ComponentType<PageProps> }[] = [
  { path: '/dashboard', name: texts.nav.dashboard, page: DashboardPage },
  { path: '/reports', name: texts.nav.reports, page: ReportsPage },
  { path: '/broadcasts', name: texts.nav.broadcasts, page: BroadcastsPage },
  { path: '/referrals', name: texts.nav.referrals, page: ReferralsPage },
  { path: '/settings', name: texts.nav.settings, page: SettingsPage },
];

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
      <Frame>
        <p role="alert">{texts.errors.noAnswer}</p>
        <button class="btn" type="button" onClick={() => void loadSession()}>
          {texts.errors.retry}
        </button>
      </Frame>
    );
  if (session.value === undefined) return <p class="quiet-text">{texts.loading}</p>;
  if (session.value === null) return <Login />;
  return session.value.kind === 'operator' ? (
    <OperatorPages operator={session.value} />
  ) : (
    <OwnerPages owner={session.value} />
  );
}

const OPERATIONS = '/operations';

/** An operator has one page. */
function OperatorPages({ operator }: { readonly operator: OperatorSession }) {
  const { path } = address.value;
  const isKnown = path === '/' || path === OPERATIONS;
  return (
    <Frame
      nav={
        <>
          <nav aria-label={texts.nav.label}>
            <a href={href(OPERATIONS)} aria-current={isKnown ? 'page' : undefined}>
              {texts.nav.operations}
            </a>
          </nav>
          <span class="quiet-text">{operator.name}</span>
          <Corner />
        </>
      }
    >
      {isKnown ? <OperationsPage operator={operator} /> : <h1>{texts.notFound}</h1>}
    </Frame>
  );
}

function OwnerPages({ owner: { bots, kind } }: { readonly owner: OwnerSession }) {
  const { path } = address.value;
  const bot = botOfPage();
  // Without a bot, the settings are where an owner creates one.
  const pages = bots.length > 0 ? PAGES : PAGES.filter((page) => page.page === SettingsPage && kind === 'owner');
  const found = path === '/' ? pages[0] : pages.find((page) => page.path === path);
  return (
    <Frame nav={<Navigation pages={pages} bots={bots} bot={bot} path={found?.path} />}>
      {bots.length === 0 ? (
        <>
          <h1>{texts.nav.noBots}</h1>
          {kind === 'owner' ? (
            <div class="settings">
              <AnotherBot />
            </div>
          ) : (
            <pre>npx botledger bot create</pre>
          )}
        </>
      ) : bot === undefined ? (
        <>
          <div role="alert">
            <h1>{texts.nav.noSuchBot}</h1>
          </div>
          <ul>
            {bots.map(({ resource_key, name }) => (
              <li key={resource_key}>
                <a href={href(path, { bot: resource_key })}>
                  <bdi>{name}</bdi>
                </a>
              </li>
            ))}
          </ul>
        </>
      ) : found === undefined ? (
        <h1>{path === OPERATIONS ? texts.operatorsOnly : texts.notFound}</h1>
      ) : (
        <found.page key={bot.resource_key} bot={bot} />
      )}
    </Frame>
  );
}

function Frame({ nav, children }: { readonly nav?: ComponentChildren; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: links answer to the keyboard by themselves; this only catches their clicks
    // biome-ignore lint/a11y/noStaticElementInteractions: as above
    <div class="frame" onClick={followLinks}>
      <a class="skip" href="#main">
        {texts.skip}
      </a>
      <header>
        <span class="name">{texts.name}</span>
        {nav}
      </header>
      <main id="main" tabIndex={-1}>
        {endedElsewhere.value && (
          <p class="warning" role="alert">
            {texts.nav.replaced}
          </p>
        )}
        {children}
      </main>
    </div>
  );
}

interface NavigationProps {
  readonly pages: typeof PAGES;
  readonly bots: readonly Bot[];
  /** Absent: the address names no bot of the session. */
  readonly bot: Bot | undefined;
  readonly path: string | undefined;
}

function Navigation({ pages, bots, bot, path }: NavigationProps) {
  return (
    <>
      <nav aria-label={texts.nav.label}>
        {pages.map((page) => (
          <a
            key={page.path}
            href={href(page.path, { bot: bot?.resource_key })}
            aria-current={page.path === path ? 'page' : undefined}
          >
            {page.name}
          </a>
        ))}
      </nav>
      {bots.length > 0 && (
        <label class="bot">
          <span>{texts.nav.bot}</span>
          <select
            class="input"
            value={bot?.resource_key ?? ''}
            onChange={(event) => go(href(path ?? '/', { bot: event.currentTarget.value }))}
          >
            {bot === undefined && <option value="">{texts.nav.choose}</option>}
            {bots.map(({ resource_key, name }) => (
              <option key={resource_key} value={resource_key}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <Corner />
    </>
  );
}

/** The zone of the page's dates, and the log-out. */
function Corner() {
  const { error, run } = useAttempt();
  const logOut = (): Promise<void> =>
    run(async () => {
      await request(SESSION, { method: 'DELETE' });
      endedElsewhere.value = false;
      session.value = null;
    });
  return (
    <>
      <span class="quiet-text">{texts.nav.zone(zoneOfPage())}</span>
      <button type="button" class="btn quiet small" onClick={() => void logOut()}>
        {texts.nav.logOut}
      </button>
      {error.value !== undefined && <Failure error={error.value} />}
    </>
  );
}
