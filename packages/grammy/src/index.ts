import { createForwarder, type Forwarder, type ForwarderOptions, type UserTools } from '@botledger/client';
import type { Context, MiddlewareFn } from 'grammy';

export type { ForwarderOptions, UserTools } from '@botledger/client';

/** A context with the tools for the user of its update. */
export type BotledgerFlavor<C extends Context = Context> = C & { botledger: UserTools };

/** The middleware, and the ends of its queues. */
export type BotledgerMiddleware<C extends Context = Context> = MiddlewareFn<BotledgerFlavor<C>> &
  Pick<Forwarder, 'client' | 'flush' | 'close'>;

/** Middleware that forwards each update and sets `ctx.botledger`, without a wait. Use it before the handlers. */
export function botledger<C extends Context = Context>(options: ForwarderOptions): BotledgerMiddleware<C> {
  const { client, received, flush, close } = createForwarder(options);
  const middleware: MiddlewareFn<BotledgerFlavor<C>> = (ctx, next) => {
    ctx.botledger = received(ctx.update, ctx.from?.id);
    return next();
  };
  return Object.assign(middleware, { client, flush, close });
}
