import {
  botOfCommand,
  changeBot,
  createBot,
  rotateWebhookSecret,
  textSettings,
} from '../../commands/catalog/change-bot.ts';
import { botStream } from '../../domain/streams.ts';
import { listBots } from '../../queries/catalog/bots.ts';
import { botOf, principalOf } from '../access.ts';
import { ApiError } from '../api-errors.ts';
import { type AnyRoute, route } from '../route.ts';
import { change, OF_BOT, OF_OWNER, type Settings } from './change-setting.ts';
import { botAnswer, botSecretAnswer, botsAnswer, createBotBody, nothingBody, setBotBody } from './schemas.ts';

/** GET /v1/settings/bots, and what creates and changes bots. */
export function botSettings(settings: Settings): AnyRoute[] {
  return [listRoute(settings), createRoute(settings), setRoute(settings), rotateSecretRoute(settings)];
}

function listRoute({ db }: Settings): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/settings/bots',
    operationId: 'listBotSettings',
    summary: 'The bots of the key, with their settings',
    tag: 'Settings',
    access: OF_OWNER,
    answer: botsAnswer,
    async handle({ request }) {
      const bots = await listBots(await db.at('catalog'), principalOf(request));
      const items = bots.map(({ bot_id: _, owner_id: __, public_key, ...settings }) => ({
        resource_key: public_key,
        ...settings,
      }));
      return { ok: true, data: { items } };
    },
  });
}

function createRoute({ context, waitForChange }: Settings): AnyRoute {
  return route({
    method: 'POST',
    url: '/v1/settings/bots/create',
    operationId: 'createBot',
    summary: 'Create a bot, with a key for all bots. Shows the secret of its platform webhook once',
    tag: 'Settings',
    access: OF_OWNER,
    body: createBotBody,
    answer: botSecretAnswer,
    idempotent: true,
    async handle({ request, body: { name, ...basics } }) {
      const { ownerId, scope } = principalOf(request);
      if (scope.type !== 'all') throw new ApiError(403, 'to create a bot takes an owner key for all bots');
      return change(request, waitForChange, {
        route: 'settings/bots/create',
        work: (meta) => createBot(context, { ownerId, name, ...textSettings(basics) }, meta),
        dataOf: (done) => ({ resource_key: done.publicKey, webhook_secret: done.webhookSecret }),
        repeatOf: ({ command }) => ({ resource_key: botOfCommand(command!.id), webhook_secret: null }),
        streamOf: (id) => botStream(botOfCommand(id)),
      });
    },
  });
}

function setRoute({ context, waitForChange }: Settings): AnyRoute {
  return route({
    method: 'POST',
    url: '/v1/settings/bots/set',
    operationId: 'setBot',
    summary: "Change a bot's settings: each field that is given",
    tag: 'Settings',
    access: OF_BOT,
    body: setBotBody,
    answer: botAnswer,
    idempotent: true,
    async handle({ request, body }) {
      const resource_key = botOf(request).public_key;
      return change(request, waitForChange, {
        route: 'settings/bots/set',
        work: (meta) => changeBot(context, resource_key, { ...body, ...textSettings(body) }, meta),
        dataOf: () => ({ resource_key }),
        repeatOf: () => ({ resource_key }),
      });
    },
  });
}

function rotateSecretRoute({ context, waitForChange }: Settings): AnyRoute {
  return route({
    method: 'POST',
    url: '/v1/settings/bots/rotate-webhook-secret',
    operationId: 'rotateBotWebhookSecret',
    summary: "Replace the secret of the platform's webhook, and show the new one once",
    tag: 'Settings',
    access: OF_BOT,
    body: nothingBody,
    answer: botSecretAnswer,
    idempotent: true,
    async handle({ request }) {
      const resource_key = botOf(request).public_key;
      return change(request, waitForChange, {
        route: 'settings/bots/rotate-webhook-secret',
        work: (meta) => rotateWebhookSecret(context, resource_key, meta),
        dataOf: (done) => ({ resource_key, webhook_secret: done.webhookSecret }),
        repeatOf: () => ({ resource_key, webhook_secret: null }),
      });
    },
  });
}
