import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readClickToken } from '../../domain/broadcast/clicks.ts';
import type { FindLaunch } from './find-launch.ts';
import type { ClickRecorder } from './recorder.ts';

export interface ClickOptions {
  readonly findLaunch: FindLaunch;
  readonly recorder: Pick<ClickRecorder, 'record'>;
}

/** The platform fetches the first link of a message for its preview, without a click. */
const PREVIEW_AGENT = /TelegramBot/i;

/** GET /r/:token (decisions.md#redirect): the links of broadcasts that count clicks lead here. */
export function serveClicks(app: FastifyInstance, { findLaunch, recorder }: ClickOptions): void {
  app.route<{ Params: { readonly token: string } }>({
    method: ['GET', 'HEAD'],
    url: '/r/:token',
    exposeHeadRoute: false,
    schema: { hide: true },
    async handler(request, reply) {
      void reply.header('cache-control', 'no-store').header('x-robots-tag', 'noindex');
      const token = readClickToken(request.params.token);
      if (token === null) return page(reply, 404, NOT_VALID);
      const { broadcastId, launch, place, link } = token.link;
      let found: Awaited<ReturnType<FindLaunch>>;
      try {
        found = await findLaunch(broadcastId, launch);
      } catch (error) {
        request.log.warn({ err: error, broadcast: broadcastId }, 'failed to look up the links of a broadcast');
        return page(reply.header('retry-after', '5'), 503, NOT_NOW);
      }
      const target = found?.links[link]?.target;
      if (found === null || target === undefined || !token.isSignedWith(found.key)) return page(reply, 404, NOT_VALID);
      if (isCounted(request)) recorder.record(found.bot, { broadcast_id: broadcastId, launch, place, link });
      // A header is ASCII.
      return reply.redirect(/^[!-~]+$/.test(target) ? target : new URL(target).href, 302);
    },
  });
}

function isCounted({ method, headers }: FastifyRequest): boolean {
  return method === 'GET' && !PREVIEW_AGENT.test(headers['user-agent'] ?? '');
}

const NOT_VALID = ['This link is not valid', 'Please open the message again and tap the link there.'] as const;
const NOT_NOW = ['This link cannot be opened right now', 'Please try it again in a minute.'] as const;

function page(reply: FastifyReply, status: number, [title, advice]: readonly [string, string]): FastifyReply {
  return reply
    .status(status)
    .type('text/html; charset=utf-8')
    .header('content-security-policy', "default-src 'none'")
    .send(
      `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><h1>${title}</h1><p>${advice}</p></html>`,
    );
}
