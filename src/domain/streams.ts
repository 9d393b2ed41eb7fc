/** The streams of the log, by category. The part after the hyphen, up to a slash, decides the order they share. */

/** Categories whose streams take appends in any order; all others are exact. */
export const ANY_CATEGORIES = ['intake', 'referral'] as const;

/** Every category of stream there is. */
export const CATEGORIES = [
  'intake',
  'bot',
  'eventtypes',
  'owner',
  'fx',
  'ids',
  'projection',
  'report',
  'referral',
  'program',
  'account',
  'webhook',
  'autopayouts',
  'broadcast',
  'segment',
  'audience',
  'sending',
  'quota',
] as const;

/** What a bot's users do, and who they are. */
export const intakeStream = (bot: string): string => `intake-${bot}`;
/** A bot's settings and units. */
export const botStream = (bot: string): string => `bot-${bot}`;
/** A bot's goals and the names of its custom events, which share one sequence of ids. */
export const eventTypesStream = (bot: string): string => `eventtypes-${bot}`;
/** An owner and the owner's API keys. */
export const ownerStream = (ownerId: number): string => `owner-${ownerId}`;
/** Exchange rates, shared by all. */
export const EXCHANGE_RATES_STREAM = 'fx-global';
/** Reservations of ids of one kind. */
export const idsStream = (kind: string): string => `ids-${kind}`;
/** What operators decided about commits that a read model could not take. */
export const projectionStream = (readModel: string): string => `projection-${readModel}`;
/** One saved report. A stream each, so that a change reads none but that one: a config may have a megabyte. */
export const reportStream = (bot: string, uuid: string): string => `report-${bot}/${uuid}`;
/** Referral codes of a bot, who owns them and who refers whom. */
export const referralStream = (bot: string): string => `referral-${bot}`;
/** The rules that a bot's referrers earn rewards by. */
export const programStream = (bot: string): string => `program-${bot}`;
/** What a referrer of a bot has earned, and what became of it. */
export const accountStream = (bot: string, userId: number): string => `account-${bot}/${userId}`;
/** Whose account a stream is; null: it is none. */
export function accountOf(stream: string): { readonly bot: string; readonly userId: number } | null {
  const match = /^account-([^/]+)\/(\d+)$/.exec(stream);
  return match === null ? null : { bot: match[1]!, userId: Number(match[2]) };
}
/** Where a bot's payouts are announced. */
export const webhookStream = (bot: string): string => `webhook-${bot}`;
/** Up to when the payouts that a bot makes by itself are made. */
export const autoPayoutsStream = (bot: string): string => `autopayouts-${bot}`;
/** One broadcast and its lifecycle; what belongs to it besides stands in streams of its own. */
export const broadcastStream = (bot: string, id: number): string => `broadcast-${bot}/${id}`;
/** A list of chat ids that was uploaded for a broadcast. */
export const segmentStream = (bot: string, segmentId: number): string => `segment-${bot}/${segmentId}`;
/** Whom a broadcast is being sent to, and what became of them. */
export const sendingStream = (bot: string, broadcastId: number): string => `sending-${bot}/${broadcastId}`;
/** Until when the platform wants no calls of a bot. */
export const botSendingStream = (bot: string): string => `sending-${bot}`;
/** How many broadcasts of an owner count in which month. */
export const quotaStream = (ownerId: number): string => `quota-${ownerId}`;
/** The audience that a broadcast was frozen with. */
export const audienceStream = (bot: string, broadcastId: number): string => `audience-${bot}/${broadcastId}`;
