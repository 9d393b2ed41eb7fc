import * as audience from './broadcast/audience-frozen.ts';
import * as pause from './broadcast/bot-pause.ts';
import * as broadcast from './broadcast/broadcast-events.ts';
import * as clicks from './broadcast/clicks.ts';
import * as quota from './broadcast/quota.ts';
import * as segment from './broadcast/segment.ts';
import * as sending from './broadcast/sending-events.ts';
import * as catalog from './catalog/catalog-events.ts';
import { type EventOf, type EventType, type StoredEvent, UnreadableEventError } from './event-type.ts';
import * as intake from './intake/intake-events.ts';
import * as checkpoint from './operations/checkpoint-events.ts';
import * as operation from './operations/dead-letter-events.ts';
import * as operator from './operations/operator.ts';
import * as recovery from './operations/recovery-events.ts';
import * as work from './operations/work-events.ts';
import * as account from './referral/account-events.ts';
import * as attribution from './referral/attribution.ts';
import * as auto from './referral/auto-payouts.ts';
import * as books from './referral/books-events.ts';
import * as delivery from './referral/delivery-webhook.ts';
import * as program from './referral/program.ts';
import * as referralImport from './referral/referral-import.ts';
import * as report from './reports/saved/saved-report.ts';
import * as savedSegment from './saved-segments/saved-segment.ts';

/** Every event type of the log. */
const eventTypes = [
  catalog.idsReserved,
  catalog.ownerCreated,
  catalog.ownerChanged,
  catalog.keyIssued,
  catalog.keyRevoked,
  catalog.botCreated,
  catalog.botChanged,
  catalog.webhookSecretRotated,
  catalog.unitCreated,
  catalog.eventTypeRegistered,
  catalog.goalCreated,
  catalog.eventDescribed,
  catalog.exchangeRateSet,
  intake.customEventsReceived,
  intake.targetEventsReceived,
  intake.updatesReceived,
  intake.usersImported,
  intake.eventsImported,
  intake.userErased,
  operation.deadLetterSkipped,
  operation.deadLetterRetried,
  operator.operatorIssued,
  operator.operatorRevoked,
  work.jobRequested,
  work.jobFinished,
  work.ledgerAudited,
  work.versionSwitched,
  work.versionDropped,
  recovery.recoveryBegun,
  recovery.recoveryEnded,
  checkpoint.checkpointMade,
  checkpoint.checkpointCosigned,
  report.reportSaved,
  report.reportChanged,
  report.reportDeleted,
  report.reportPinned,
  savedSegment.savedSegmentCreated,
  savedSegment.savedSegmentChanged,
  savedSegment.savedSegmentDeleted,
  attribution.referralCodeCreated,
  attribution.referralCodeOwnersSet,
  attribution.referralMarked,
  referralImport.referralsImported,
  program.rewardRuleCreated,
  program.rewardRuleChanged,
  account.rewardAccrued,
  account.rewardRateLocked,
  account.rewardRefused,
  account.payoutRequested,
  account.payoutAttempted,
  account.payoutAttemptFailed,
  account.payoutAccepted,
  account.payoutPaid,
  account.payoutFailed,
  account.payoutRetried,
  account.payoutCancelled,
  account.accrualReversed,
  books.booksClosed,
  delivery.payoutWebhookSet,
  delivery.payoutWebhookSecretRotated,
  auto.autoPayoutsMade,
  broadcast.broadcastCreated,
  broadcast.broadcastSaved,
  broadcast.broadcastArchived,
  broadcast.broadcastDeleted,
  broadcast.broadcastActivated,
  broadcast.broadcastResolutionStarted,
  broadcast.broadcastAudienceFrozen,
  broadcast.broadcastSendingStarted,
  broadcast.broadcastCancelRequested,
  broadcast.broadcastStopped,
  broadcast.broadcastFinished,
  broadcast.broadcastFailed,
  broadcast.broadcastLeft,
  quota.broadcastCounted,
  quota.broadcastGivenBack,
  segment.segmentPartUploaded,
  audience.audienceChunkFrozen,
  audience.audienceClosed,
  sending.batchClaimed,
  sending.batchAnswered,
  sending.batchAbandoned,
  sending.recipientsReopened,
  sending.usersUnreachable,
  sending.sendingPaused,
  sending.sendingResumed,
  pause.botPaused,
  clicks.linksClicked,
] as const;

/** Any event of the log, with data of the current shape; `type` discriminates. */
export type LedgerEvent = EventOf<(typeof eventTypes)[number]>;

const byType = new Map<string, EventType<string, unknown>>(
  eventTypes.map((type) => [type.type, type as EventType<string, unknown>]),
);

/** All event types except these. */
export function typesBeside(types: readonly string[]): string[] {
  return [...byType.keys()].filter((type) => !types.includes(type));
}

/** Whether this program has the event type, in any version. */
export function isKnownType(type: string): boolean {
  return byType.has(type);
}

/** Reads a stored event. @throws UnreadableEventError */
export function readEvent(event: StoredEvent): LedgerEvent {
  const type = byType.get(event.type);
  if (type === undefined) throw new UnreadableEventError(`unknown event type ${event.type}`);
  return type.read(event) as LedgerEvent;
}
