import type { ComponentType } from 'preact';
import type { IconName } from '../parts/icon.tsx';
import type { Bot, OperatorSession } from '../session.ts';
import { texts } from '../texts.ts';

export interface PageProps {
  readonly bot: Bot;
}

/** A line of the navigation. */
export interface PageLink {
  /** Begins the addresses of the page: `/reports` also has `/reports/new`. */
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
  readonly group: string;
}

export interface PageEntry<Props> extends PageLink {
  /** Loads the code of the page, when it is first opened. */
  readonly load: () => Promise<ComponentType<Props>>;
}

const { nav } = texts;
const { groups } = nav;

/** The pages of owners in the order of the navigation; the first is where the console begins. */
export const PAGES: readonly PageEntry<PageProps>[] = [
  {
    path: '/dashboard',
    name: nav.dashboard,
    icon: 'dashboard',
    group: '',
    load: () => import('../dashboard/page.tsx').then(({ DashboardPage }) => DashboardPage),
  },
  {
    path: '/live',
    name: nav.live,
    icon: 'live',
    group: '',
    load: () => import('../live/page.tsx').then(({ LivePage }) => LivePage),
  },
  {
    path: '/reports',
    name: nav.reports,
    icon: 'report',
    group: groups.understand,
    load: () => import('../reports/page.tsx').then(({ ReportsPage }) => ReportsPage),
  },
  {
    path: '/users',
    name: nav.users,
    icon: 'users',
    group: groups.understand,
    load: () => import('../users/page.tsx').then(({ UsersPage }) => UsersPage),
  },
  {
    path: '/segments',
    name: nav.segments,
    icon: 'segment',
    group: groups.understand,
    load: () => import('../segments/page.tsx').then(({ SegmentsPage }) => SegmentsPage),
  },
  {
    path: '/broadcasts',
    name: nav.broadcasts,
    icon: 'broadcast',
    group: groups.act,
    load: () => import('../broadcasts/page.tsx').then(({ BroadcastsPage }) => BroadcastsPage),
  },
  {
    path: '/referrals',
    name: nav.referrals,
    icon: 'referral',
    group: groups.act,
    load: () => import('../referrals/page.tsx').then(({ ReferralsPage }) => ReferralsPage),
  },
  {
    path: '/events',
    name: nav.events,
    icon: 'events',
    group: groups.data,
    load: () => import('../events/page.tsx').then(({ EventsPage }) => EventsPage),
  },
  {
    path: '/exports',
    name: nav.exports,
    icon: 'export',
    group: groups.data,
    load: () => import('../exports/page.tsx').then(({ ExportsPage }) => ExportsPage),
  },
  {
    path: '/settings',
    name: nav.settings,
    icon: 'settings',
    group: groups.data,
    load: () => import('../settings/page.tsx').then(({ SettingsPage }) => SettingsPage),
  },
];

export const OPERATIONS: PageEntry<{ readonly operator: OperatorSession }> = {
  path: '/operations',
  name: nav.operations,
  icon: 'operations',
  group: '',
  load: () => import('../operations/page.tsx').then(({ OperationsPage }) => OperationsPage),
};

/** The page of an address below /console. */
export function pageAt<Page extends { readonly path: string }>(pages: readonly Page[], path: string): Page | undefined {
  return path === '/' ? pages[0] : pages.find((page) => path === page.path || path.startsWith(`${page.path}/`));
}
