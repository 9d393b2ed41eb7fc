import { createGoal, goalCreatedIn } from '../../commands/catalog/create-goal.ts';
import { createUnit, unitCreatedIn } from '../../commands/catalog/units.ts';
import { listGoals, listUnits } from '../../queries/catalog/bots.ts';
import { listExchangeRates } from '../../queries/catalog/list-exchange-rates.ts';
import { botOf } from '../access.ts';
import { exact } from '../referral/account-schemas.ts';
import { type AnyRoute, route } from '../route.ts';
import type { WaitForChange } from '../wait-for-change.ts';
import { change, OF_BOT, OF_OWNER, type Settings } from './change-setting.ts';
import {
  createGoalBody,
  createUnitBody,
  goalAnswer,
  goalsAnswer,
  ratesAnswer,
  ratesQuery,
  unitAnswer,
  unitsAnswer,
} from './schemas.ts';

export interface GoalSettings extends Settings {
  /** Waits for the catalog and the names of events. */
  readonly waitForGoal: WaitForChange;
}

/** Goals and units of a bot, and the exchange rates that all owners share. */
export function goalAndUnitSettings(settings: GoalSettings): AnyRoute[] {
  return [...goalRoutes(settings), ...unitRoutes(settings), exchangeRatesRoute(settings)];
}

function goalRoutes({ context, db, waitForGoal }: GoalSettings): AnyRoute[] {
  return [
    route({
      method: 'GET',
      url: '/v1/settings/goals',
      operationId: 'listGoals',
      summary: 'The goals of a bot, Sale included',
      tag: 'Settings',
      access: OF_BOT,
      answer: goalsAnswer,
      async handle({ request }) {
        return { ok: true, data: { items: await listGoals(await db.at('catalog'), botOf(request).bot_id) } };
      },
    }),
    route({
      method: 'POST',
      url: '/v1/settings/goals/create',
      operationId: 'createGoal',
      summary: 'Create a goal. send-target names it by its target_id',
      tag: 'Settings',
      access: OF_BOT,
      body: createGoalBody,
      answer: goalAnswer,
      idempotent: true,
      async handle({ request, body: { target_id, name } }) {
        const bot = botOf(request).public_key;
        return change(request, waitForGoal, {
          route: 'settings/goals/create',
          work: (meta) => createGoal(context, { bot, targetId: target_id, name }, meta),
          dataOf: ({ eventId }) => ({ target_id, event_id: eventId }),
          repeatOf: (first) => ({ target_id, event_id: goalCreatedIn(first) }),
        });
      },
    }),
  ];
}

function unitRoutes({ context, db, waitForChange }: Settings): AnyRoute[] {
  return [
    route({
      method: 'GET',
      url: '/v1/settings/units',
      operationId: 'listUnits',
      summary: 'The units of a bot',
      tag: 'Settings',
      access: OF_BOT,
      answer: unitsAnswer,
      async handle({ request }) {
        return { ok: true, data: { items: await listUnits(await db.at('catalog'), botOf(request).bot_id) } };
      },
    }),
    route({
      method: 'POST',
      url: '/v1/settings/units/create',
      operationId: 'createUnit',
      summary: 'Create a unit. Currencies of ISO 4217 and XTR need none',
      tag: 'Settings',
      access: OF_BOT,
      body: createUnitBody,
      answer: unitAnswer,
      idempotent: true,
      async handle({ request, body: { code, name = null, scale } }) {
        const bot = botOf(request).public_key;
        return change(request, waitForChange, {
          route: 'settings/units/create',
          work: (meta) => createUnit(context, { bot, code, name, scale }, meta),
          dataOf: ({ unitId }) => ({ unit_id: unitId }),
          repeatOf: (first) => ({ unit_id: unitCreatedIn(first) }),
        });
      },
    }),
  ];
}

function exchangeRatesRoute({ db }: Settings): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/settings/exchange-rates',
    operationId: 'listExchangeRates',
    summary: 'The exchange rates. An operator sets them for all owners',
    tag: 'Settings',
    access: OF_OWNER,
    query: ratesQuery,
    answer: ratesAnswer,
    exact: true,
    async handle({ query: { from, to, ...page } }) {
      const only = { from: from?.toUpperCase(), to: to?.toUpperCase(), ...page };
      const rates = await listExchangeRates(await db.at('catalog'), only);
      return { ok: true, data: { items: rates.map((row) => ({ ...row, rate: exact(row.rate) })) } };
    },
  });
}
