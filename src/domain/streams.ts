/** The streams of the log, by category. Streams with the same part after the hyphen, up to a slash, share a partition and so an order. */

/** Categories whose streams take appends in any order; all others are exact. */
export const ANY_CATEGORIES = ['intake', 'referral', 'clicks'] as const;

/** Every category of streams. */
export const CATEGORIES = [
  'intake',
  'import',
  'bot',
  'eventtypes',
  'dictionary',
  'owner',
  'fx',
  'ids',
  'projection',
  'report',
  'savedsegment',
  'referral',
  'program',
  'account',
  'books',
  'webhook',
  'autopayouts',
  'broadcast',
  'segment',
  'audience',
  'sending',
  'clicks',
  'quota',
  'operator',
  'operations',
  'recovery',
  'proof',
] as const;

/** Categories whose streams belong to no bot. */
const SHARED_CATEGORIES: readonly string[] = [
  'owner',
  'fx',
  'ids',
  'projection',
  'quota',
  'operator',
  'operations',
  'recovery',
  'proof',
] satisfies readonly (typeof CATEGORIES)[number][];

/** Whether the stream belongs to one bot. */
export const isOfBot = (stream: string): boolean => !SHARED_CATEGORIES.includes(stream.slice(0, stream.indexOf('-')));

/** Events and profiles of a bot's users. */
export const intakeStream = (bot: string): string => `intake-${bot}`;
/** The events or referrals of one imported file. An exact stream, so that each line of the file is in the log once. */
export const importStream = (bot: string, file: string): string => `import-${bot}/${file}`;
/** A bot's settings and units. */
export const botStream = (bot: string): string => `bot-${bot}`;
/** A bot's goals and the names of its custom events. They share one sequence of ids. */
export const eventTypesStream = (bot: string): string => `eventtypes-${bot}`;
/** The words for people of a bot's events. */
export const dictionaryStream = (bot: string): string => `dictionary-${bot}`;
/** An owner and the owner's API keys. */
export const ownerStream = (ownerId: number): string => `owner-${ownerId}`;
/** Exchange rates, shared by all. */
export const EXCHANGE_RATES_STREAM = 'fx-global';
/** Reservations of ids of one kind. */
export const idsStream = (kind: string): string => `ids-${kind}`;
/** Decisions of operators about commits that a read model cannot apply. */
export const projectionStream = (readModel: string): string => `projection-${readModel}`;
/** The credential of an operator. */
export const operatorStream = (operatorId: number): string => `operator-${operatorId}`;
/** The long work that operators ask for, and the switches and drops of read models. */
export const WORK_STREAM = 'operations-global';
/** The times when the log was restored. */
export const RECOVERY_STREAM = 'recovery-global';
/** The signed checkpoints of the trees over the log. */
export const CHECKPOINTS_STREAM = 'proof-global';
/** The cosignatures of the checkpoints. */
export const COSIGNATURES_STREAM = 'proof-global/cosignatures';
/** Whether the stream is of checkpoints or cosignatures: such commits are no reason for another checkpoint. */
export const isOfCheckpoints = (stream: string): boolean => [CHECKPOINTS_STREAM, COSIGNATURES_STREAM].includes(stream);
/** One saved report. Each has a stream, so that a change reads only that report: a config may have 1 MB. */
export const reportStream = (bot: string, uuid: string): string => `report-${bot}/${uuid}`;
/** One saved segment. */
export const savedSegmentStream = (bot: string, savedSegmentId: number): string =>
  `savedsegment-${bot}/${savedSegmentId}`;
/** Referral codes of a bot, their owners, and marks of referrals. */
export const referralStream = (bot: string): string => `referral-${bot}`;
/** The reward rules of a bot. */
export const programStream = (bot: string): string => `program-${bot}`;
/** Accruals and payouts of a referrer of a bot. */
export const accountStream = (bot: string, userId: number): string => `account-${bot}/${userId}`;
/** The closings of an account's books. */
export const booksStream = (bot: string, userId: number): string => `books-${bot}/${userId}`;
/** Whether the stream is of one user's account: the trees over the log show its commits by a key that only that user's proof tells. */
export const isOfAccount = (stream: string): boolean => /^(account|books)-/.test(stream);
/** The bot and user of an account's stream; null if the stream is no account's. */
export function accountOf(stream: string): { readonly bot: string; readonly userId: number } | null {
  const match = /^account-([^/]+)\/(\d+)$/.exec(stream);
  return match === null ? null : { bot: match[1]!, userId: Number(match[2]) };
}
/** The webhook that announces a bot's payouts. */
export const webhookStream = (bot: string): string => `webhook-${bot}`;
/** The time up to which a bot's automatic payouts are made. */
export const autoPayoutsStream = (bot: string): string => `autopayouts-${bot}`;
/** One broadcast and its lifecycle. Its audience and its sending have separate streams. */
export const broadcastStream = (bot: string, id: number): string => `broadcast-${bot}/${id}`;
/** An uploaded list of chat ids. */
export const segmentStream = (bot: string, segmentId: number): string => `segment-${bot}/${segmentId}`;
/** The claims and outcomes of a launch. */
export const sendingStream = (bot: string, broadcastId: number): string => `sending-${bot}/${broadcastId}`;
/** The pause that the platform asks of a bot. */
export const botSendingStream = (bot: string): string => `sending-${bot}`;
/** Clicks on links of a bot's broadcasts. */
export const clicksStream = (bot: string): string => `clicks-${bot}`;
/** The number of an owner's broadcasts per month. */
export const quotaStream = (ownerId: number): string => `quota-${ownerId}`;
/** The frozen audience of a broadcast. */
export const audienceStream = (bot: string, broadcastId: number): string => `audience-${bot}/${broadcastId}`;
