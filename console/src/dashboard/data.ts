import { request } from '../api.ts';
import { groupFrom } from '../parts/filter.ts';
import type { Answer } from '../reports/answer.ts';
import { configOf, type ReportConfig } from '../reports/config.ts';
import { type Metric, type ReportState, START } from '../reports/state.ts';
import { inTurn } from './in-turn.ts';

export function runReport(bot: string, report_config: ReportConfig, signal: AbortSignal): Promise<Answer> {
  return inTurn(() => request('/v1/reports/run', { method: 'POST', bot, body: { report_config }, signal }));
}

export interface NewUsers {
  readonly days: readonly { readonly date: string; readonly users: number }[];
  readonly total: number;
  readonly data_as_of: string;
}

/** New users between two local times of the bot's zone. */
export function loadNewUsers(
  bot: string,
  { from, to }: { readonly from: string; readonly to: string },
  signal: AbortSignal,
): Promise<NewUsers> {
  return request(`/v1/reports/new-users?${new URLSearchParams({ date_from: from, date_to: to })}`, { bot, signal });
}

/** Rows that a list can have. */
export const NEW_USERS_AT_MOST = 1000;

/** The list of the users who were new on a day (docs/decisions.md#new-users). */
export function newUsersConfig(date: string): ReportConfig {
  const day = date.slice(0, 10);
  const list = { type: 'list', table: 'users', columns: ['user.user_id'], limit: NEW_USERS_AT_MOST };
  return { ...configOf(START, { from: day, to: day }), source_request: { ...list, type_chart: 'list' } };
}

const ANY_EVENT = { event: null, name: 'all' } as const;

/** Users who did anything, by day. */
export const ACTIVE_USERS: ReportState = { ...START, metrics: [{ ...ANY_EVENT, agr: 'total_uniq_user_id' }] };
export const EVENTS: Metric = { ...ANY_EVENT, agr: 'total' };

/** The goal Sale of every bot (docs/interface.md). */
export const SALE = 100;
export const SALES: Metric = { event: SALE, name: 'Sale', agr: 'total' };
/** Sales, the platform's payments, and its refunds, whose values are negative (docs/decisions.md#revenue). */
export const MONEY = [SALE, 3, 9];
export const REVENUE: Metric = {
  ...{ ...EVENTS, agr: 'property_sum', field: 'events.value_amount' },
  filter: groupFrom(['in', 'events.event_type_id', MONEY]),
};
