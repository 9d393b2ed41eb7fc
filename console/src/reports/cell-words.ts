import { counted } from '../parts/counted.ts';
/** The texts of numbers that open their users, and of that list. */
export const cellWords = {
  title: 'People behind this number',
  show: (value: string, what: string) => `${value}: show the people of ${what}`,
  rows: 'People of these rows',
  count: (count: string) => counted(count, 'person', 'people'),
  first: (count: string) => `The first ${count} are shown.`,
  user: 'Id',
  name: 'Name',
  username: 'Username',
  language: 'Language',
  status: 'Status',
  statuses: { active: 'active', blocked: 'has blocked the bot', deactivated: 'account deleted' },
  unknown: 'not known',
  lastActive: 'Last active',
  makeBroadcast: 'Write to these people',
  csv: 'CSV',
  step: (step: string) => `${step}: reached`,
  between: (from: string, to: string) => `after ${from}, before ${to}`,
  onTheWay: (between: string) => `${between}: still has time`,
  members: (cohort: string) => `started on ${cohort}`,
  returned: (cohort: string, interval: string) => `started on ${cohort}, returned in ${interval}`,
} as const;
