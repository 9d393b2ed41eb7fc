import { href } from '../address.ts';

type Query = Readonly<Record<string, string | undefined>>;

/** The page of a broadcast. A draft opens in the composer. */
export const broadcastLink = (bot: string, id: number, query: Query = {}): string =>
  href(`/broadcasts/${id}`, { bot, ...query });

/** The composer of a draft. */
export const editLink = (bot: string, id: number, query: Query = {}): string =>
  href(`/broadcasts/${id}/edit`, { bot, ...query });
