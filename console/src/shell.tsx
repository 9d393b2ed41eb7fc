import { signal, useSignalEffect } from '@preact/signals';
import type { ComponentChildren, ComponentType } from 'preact';
import { address, followLinks, go, href } from './address.ts';
import { request } from './api.ts';
import { BroadcastsPage } from './broadcasts/page.tsx';
import { DashboardPage } from './dashboard/page.tsx';
import { Login } from './login/page.tsx';
import { OperationsPage } from './operations/page.tsx';
import { useAttempt } from './parts/attempt.ts';
import { Failure } from './parts/failure.tsx';
import { ReferralsPage } from './referrals/page.tsx';
import { ReportsPage } from './reports/page.tsx';
import { type Bot, type OperatorSession, type OwnerSession, type Session, session } from './session.ts';
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
    session.value = await request<Session>('/console/session');
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
  });
  if (failed.value)
    return (
      <Frame>
        <p role="alert">{texts.errors.noAnswer}</p>
        <button type="button" onClick={() => void loadSession()}>
          {texts.errors.retry}
        </button>
      </Frame>
    );
  if (session.value === undefined) return <p class="quiet">{texts.loading}</p>;
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
          <span class="quiet">{operator.name}</span>
          <LogOut />
        </>
      }
    >
      {isKnown ? <OperationsPage operator={operator} /> : <p>{texts.notFound}</p>}
    </Frame>
  );
}

function OwnerPages({ owner: { bots } }: { readonly owner: OwnerSession }) {
  const { path, query } = address.value;
  const bot = bots.find(({ resource_key }) => resource_key === query.get('bot')) ?? bots[0];
  if (bot === undefined)
    return (
      <Frame>
        <p>{texts.nav.noBots}</p>
      </Frame>
    );
  const found = path === '/' ? PAGES[0] : PAGES.find((page) => page.path === path);
  return (
    <Frame nav={<Navigation bots={bots} bot={bot} path={found?.path} />}>
      {found === undefined ? <p>{texts.notFound}</p> : <found.page key={bot.resource_key} bot={bot} />}
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
        {children}
      </main>
    </div>
  );
}

interface NavigationProps {
  readonly bots: readonly Bot[];
  readonly bot: Bot;
  readonly path: string | undefined;
}

function Navigation({ bots, bot, path }: NavigationProps) {
  return (
    <>
      <nav aria-label={texts.nav.label}>
        {PAGES.map((page) => (
          <a
            key={page.path}
            href={href(page.path, { bot: bot.resource_key })}
            aria-current={page.path === path ? 'page' : undefined}
          >
            {page.name}
          </a>
        ))}
      </nav>
      <label class="bot">
        <span>{texts.nav.bot}</span>
        <select
          value={bot.resource_key}
          onChange={(event) => go(href(path ?? '/', { bot: event.currentTarget.value }))}
        >
          {bots.map(({ resource_key, name }) => (
            <option key={resource_key} value={resource_key}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <LogOut />
    </>
  );
}

function LogOut() {
  const { error, run } = useAttempt();
  const logOut = (): Promise<void> =>
    run(async () => {
      await request('/console/session', { method: 'DELETE' });
      session.value = null;
    });
  return (
    <>
      <button type="button" class="plain" onClick={() => void logOut()}>
        {texts.nav.logOut}
      </button>
      {error.value !== undefined && <Failure error={error.value} />}
    </>
  );
}
