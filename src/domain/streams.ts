/** The streams of the log, by category. The part after the hyphen, up to a slash, decides the order they share. */

/** Categories whose streams take appends in any order; all others are exact. */
export const ANY_CATEGORIES = ['intake'] as const;

/** Every category of stream there is. */
export const CATEGORIES = ['intake', 'bot', 'eventtypes', 'owner', 'fx', 'ids', 'projection', 'report'] as const;

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
