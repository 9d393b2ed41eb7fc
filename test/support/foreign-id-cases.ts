import type { Kind } from './bot-things.ts';
import type { RequestField } from './id-fields.ts';
import { sampleReports } from './sample-reports.ts';

/** Which things the id fields of requests name, and bodies that are valid but for the id. */

export interface IdCase {
  readonly kind: Kind;
  /** The value of the field that names a thing; default: its id. */
  readonly value?: ((id: number | string) => unknown) | undefined;
  /** The path of that value, if it is not the field's. */
  readonly at?: (path: string) => string;
  /** Another field that the value needs, with its path. */
  readonly with?: (id: number | string) => readonly [string, unknown];
}

const LIST = 'report_config.source_request';
const named = (id: number | string) => `user.saved_segments.${id}`;
const whole = (path: string) => path.replace(/\[\]$/, '');
const filter = (kind: Kind, value: IdCase['value']): IdCase => ({ kind, value, at: whole });
const ofEvents = filter('event', (id) => ['=', 'events.event_type_id', id]);
const ofUsers = filter('user', (id) => ['=', 'users.addition_fields.referrer_id', id]);
const performed = filter('event', (id) => ['performed_event', { event_id: id }]);
const inReports = filter('savedSegment', (id) => ['=', named(id), true]);
const segment = (kind: Kind, type: string, config: (id: number | string) => object): IdCase => ({
  kind,
  value: (id) => ({ type, config: config(id) }),
  at: (path) => path.replace(/\.config$/, ''),
});

/** By the last key of the field's path, or by operation and key. */
const ID_CASES: Readonly<Record<string, readonly IdCase[]>> = {
  user_id: [{ kind: 'user' }],
  referral_user_id: [{ kind: 'user' }],
  referrer_user_id: [{ kind: 'user' }],
  chat_id: [{ kind: 'user' }],
  chat_ids: [{ kind: 'user' }],
  event_id: [{ kind: 'event' }],
  trigger_event_id: [{ kind: 'event' }],
  unit_id: [{ kind: 'unit' }],
  rule_id: [{ kind: 'rule' }],
  accrual_id: [{ kind: 'accrual' }],
  payout_id: [{ kind: 'payout' }],
  key_id: [{ kind: 'key' }],
  uuid: [{ kind: 'report' }],
  id: [{ kind: 'broadcast' }],
  task_id: [{ kind: 'broadcast' }],
  'uploadSegment.task_id': [{ kind: 'draft' }],
  'createSegmentFromReport.task_id': [{ kind: 'draft' }],
  'countAudience.task_id': [{ kind: 'draft' }],
  'saveBroadcast.id': [{ kind: 'draft' }],
  'activateBroadcast.id': [{ kind: 'draft' }],
  'cancelBroadcast.id': [{ kind: 'draft' }],
  saved_segment_id: [{ kind: 'savedSegment' }],
  bot_public_key: [{ kind: 'bot' }],
  bots: [{ kind: 'bot' }],
  code: [{ kind: 'code' }],
  filters: [inReports, ofEvents],
  property: [{ kind: 'savedSegment', value: named, with: (id) => ['cell.breakdown', { [named(id)]: true }] }],
  columns: [{ kind: 'savedSegment', value: named }],
  order: [
    { kind: 'savedSegment', value: (id) => ({ [named(id)]: 'asc' }), with: (id) => [`${LIST}.columns`, [named(id)]] },
  ],
  conditions: [ofEvents],
  user_conditions: [ofUsers],
  event_filters: [performed],
  config: [
    segment('list', 'custom', (segment_id) => ({ segment_id })),
    segment('broadcast', 'from_task', (task_id) => ({ task_id })),
    segment('savedSegment', 'saved', (saved_segment_id) => ({ saved_segment_id })),
    segment('user', 'list', (chat) => ({ chat_ids: [chat] })),
    segment('event', 'filter', (event_id) => ({ event_filters: ['performed_event', { event_id }] })),
  ],
};

/** Fields that look like ids and name nothing of a bot, by the last key or by operation and key. */
const NO_IDS: Readonly<Record<string, string>> = {
  resource_key: 'has its own 404 and 403 (decisions.md#resource-key)',
  'idempotency-key': 'belongs to owner, bot and route (decisions.md#idempotency-key)',
  update_id: 'given by the platform',
  target_id: 'given by the caller',
  event_key: 'given by the caller',
  token: "the bot's own, for the platform",
  hash: 'the caller must know both hash and position of a commit of the account (test/integration/referral)',
  position: 'as hash',
  'getReferralProof.user_id': 'answered by services with proofs (test/integration/proof/proof-api.test.ts)',
  'getReferralStatement.user_id': 'one at once for a key (test/integration/proof/statement.test.ts)',
  'createUnit.code': 'of a new unit',
  'setCodeOwners.code': 'a request may bring a new code',
  ...Object.fromEntries(
    ['sendTarget.user_id', 'sendEvent.user_id', 'testSend.chat_id', 'uploadSegment.chat_ids', 'setCodeOwners.user_id']
      .concat(['markReferral.referral_user_id', 'markReferral.referrer_user_id'])
      .concat(['createReferralCode.user_id', 'createReferralCodeByGet.user_id'])
      .map((name) => [name, 'given by the platform: a request may bring a new person']),
  ),
  message: 'text, and files of the platform',
  breakdown: 'values of a breakdown, not names',
  ...Object.fromEntries(
    ['breakdown_limit', 'days', 'extraDelay', 'filters[status]', 'funnel_window', 'interval', 'intervalCap', 'limit']
      .concat(['offset', 'overlap_seconds', 'retention_total_intervals', 'row_limit', 'sample', 'scale', 'series'])
      .concat(['share', 'status', 'step'])
      .map((name) => [name, 'a number']),
  ),
};

/** Whether a field must have a case, or a reason that it has none. */
export const looksLikeId = ({ name, isWhole, isOpen, isListed }: RequestField): boolean =>
  !isListed &&
  (isWhole || isOpen || name in ID_CASES || /(?:id|ids|uuid|key|keys|bots?|codes?|token|hash|position)$/.test(name));

export function casesOf({ operationId, name }: RequestField): readonly IdCase[] | undefined {
  if (`${operationId}.${name}` in NO_IDS) return [];
  return ID_CASES[`${operationId}.${name}`] ?? ID_CASES[name] ?? (name in NO_IDS ? [] : undefined);
}

/** Answers to an own id that are the same as to an unknown one, by field. */
export const SAME_WITH_OWN: Readonly<Record<string, string>> = {
  'createBroadcast list': 'a new broadcast has no lists',
  'requestReferralPayout unit': 'without a balance in the unit the answer is the same as without any balance',
  'listDeliveries payout': 'a manual payout has no deliveries',
};

const EVER = { params: { ':date_from': '2026-01-01 00:00:00', ':date_to': '2035-12-31 23:59:59' } };

/** A report that has the field, with a cell of it if the operation takes one. */
export function reportWith({ path, example }: RequestField): object {
  if (!path.startsWith('report_config')) return {};
  const { totals, retention, list } = sampleReports() as Record<string, { readonly source_request: object }>;
  const cell = (value: object) => ('cell' in (example as object) ? { cell: value } : {});
  const ofEntity = /target_entity|returning_entity/.test(path);
  if (ofEntity) return { report_config: retention, ...cell({ cohort: '2026-02-01T00:00:00+00:00' }) };
  const users = { ...list!.source_request, table: 'users', columns: ['user.user_id'] };
  const ofList = /columns|order/.test(path);
  if (ofList) return { report_config: { source_request: users, settings: EVER }, ...cell({}) };
  return { report_config: { ...totals, settings: EVER }, ...cell({ series: 0 }) };
}

/** The field that a body may not have together with this one. */
export function excludedBy({ operationId, name }: RequestField): string | undefined {
  if (name === 'uuid' && operationId !== 'saveReport') return 'report_config';
  return name === 'code' ? 'referrer_user_id' : undefined;
}
