import { createForwarder, type Forwarder, type ForwarderOptions, type UserTools } from '@botledger/client';
import type { Context, MiddlewareFn } from 'telegraf';

export type { ForwarderOptions, UserTools } from '@botledger/client';

/** A context with the tools for the user of its update. */
export interface BotledgerContext extends Context {
  botledger: UserTools;
}

/** The middleware, and the ends of its queues. */
export type BotledgerMiddleware<C extends BotledgerContext = BotledgerContext> = MiddlewareFn<C> &
  Pick<Forwarder, 'client' | 'flush' | 'close'>;

/** Middleware that forwards each update and sets `ctx.botledger`, without a wait. Use it before the handlers. */
export function botledger<C extends BotledgerContext = BotledgerContext>(
  options: ForwarderOptions,
): BotledgerMiddleware<C> {
  const { client, received, flush, close } = createForwarder(options);
  const middleware: MiddlewareFn<C> = (ctx, next) => {
    ctx.botledger = received(ctx.update, ctx.from?.id);
    return next();
  };
  return Object.assign(middleware, { client, flush, close });
}
