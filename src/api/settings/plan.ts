import { planUse } from '../../commands/broadcast/take-quota.ts';
import { principalOf } from '../access.ts';
import { type AnyRoute, route } from '../route.ts';
import { OF_OWNER, type Settings } from './change-setting.ts';
import { planAnswer } from './schemas.ts';

/** GET /v1/settings/plan: what the owner's plan allows, and how much of it is used (decisions.md#plan-use). */
export function planRoute({ context }: Settings): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/settings/plan',
    operationId: 'getPlan',
    summary: "The owner's plan, report currency, and the broadcasts of this month",
    tag: 'Settings',
    access: OF_OWNER,
    answer: planAnswer,
    async handle({ request }) {
      return { ok: true, data: await planUse(context, principalOf(request).ownerId) };
    },
  });
}
