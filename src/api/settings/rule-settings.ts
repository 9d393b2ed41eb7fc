import { changeRule, createRule, ruleCreatedIn, rulesOf } from '../../commands/referral/change-rule.ts';
import type { RewardRule } from '../../domain/referral/program.ts';
import { botOf } from '../access.ts';
import { exact, exactOrNull } from '../referral/account-schemas.ts';
import { type AnyRoute, route } from '../route.ts';
import { change, OF_BOT, type Settings } from './change-setting.ts';
import { createRuleBody, editRuleBody, ruleAnswer, rulesAnswer } from './schemas.ts';

/**
 * The reward rules of a bot. They are read from the log, so that a change shows at once. `waitForChange` waits for the read
 * models that answer with rules elsewhere, and with the units of rules.
 */
export function ruleSettings({ context, waitForChange }: Settings): AnyRoute[] {
  return [
    route({
      method: 'GET',
      url: '/v1/settings/rules',
      operationId: 'listRules',
      summary: 'The reward rules of a bot',
      tag: 'Settings',
      access: OF_BOT,
      answer: rulesAnswer,
      exact: true,
      async handle({ request }) {
        return { ok: true, data: { items: (await rulesOf(context.log, botOf(request).public_key)).map(shown) } };
      },
    }),
    route({
      method: 'POST',
      url: '/v1/settings/rules/create',
      operationId: 'createRule',
      summary: 'Create a reward rule',
      tag: 'Settings',
      access: OF_BOT,
      body: createRuleBody,
      answer: ruleAnswer,
      idempotent: true,
      errors: [404],
      async handle({ request, body }) {
        const bot = botOf(request).public_key;
        const { name, trigger_event_id, reward_type, amount = null, percent = null, hold_days = '0' } = body;
        const unit = { unit_id: body.unit_id ?? null, currency: body.currency?.toUpperCase() };
        const rule = { name, trigger_event_id, reward_type, amount, percent, hold_days, ...unit };
        return change(request, waitForChange, {
          route: 'settings/rules/create',
          work: (meta) => createRule(context, { bot, ...rule }, meta),
          dataOf: ({ ruleId }) => ({ rule_id: ruleId }),
          repeatOf: (first) => ({ rule_id: ruleCreatedIn(first) }),
        });
      },
    }),
    route({
      method: 'POST',
      url: '/v1/settings/rules/edit',
      operationId: 'editRule',
      summary: 'Change a rule: each field that is given. Rewards that were earned keep their amounts',
      tag: 'Settings',
      access: OF_BOT,
      body: editRuleBody,
      answer: ruleAnswer,
      idempotent: true,
      errors: [404],
      async handle({ request, body: { rule_id, ...changes } }) {
        const bot = botOf(request).public_key;
        return change(request, waitForChange, {
          route: 'settings/rules/edit',
          work: (meta) => changeRule(context, { bot, ruleId: rule_id }, changes, meta),
          dataOf: () => ({ rule_id }),
          repeatOf: () => ({ rule_id }),
        });
      },
    }),
  ];
}

function shown({ amount, percent, hold_days, ...rule }: RewardRule): object {
  return { ...rule, amount: exactOrNull(amount), percent: exactOrNull(percent), hold_days: exact(hold_days) };
}
