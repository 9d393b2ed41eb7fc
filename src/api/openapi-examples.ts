/** Bodies to try, for the pages of the OpenAPI document. */

interface Operation {
  readonly operationId?: string;
  readonly requestBody?: { readonly content?: Readonly<Record<string, { example?: unknown }>> };
}

const PERIOD = { ':date_from': '2026-01-01 00:00:00', ':date_to': '2035-12-31 23:59:59' };
const REPORT = {
  source_request: {
    type: 'trends',
    type_chart: 'table',
    requests: [{ type: 'trend', event_id: null, event_name: 'all', agr: 'total' }],
  },
  settings: { params: PERIOD },
};
const update = {
  update_id: 1,
  message: {
    message_id: 1,
    date: 1767225600,
    chat: { id: 4242, type: 'private' },
    from: { id: 4242, is_bot: false, first_name: 'Ada' },
    text: 'hello',
  },
};
/** Bodies to try, by `operationId`. They work as they are with a key for one bot, so none names a bot. */
const BODIES: Readonly<Record<string, unknown>> = {
  sendEvent: { event: 'hello', user_id: 4242 },
  sendTarget: { target_id: 1, user_id: 4242, value: 19.99, unit: 'USD', date: '2026-01-31T12:00:00.000Z' },
  sendUpdate: { update },
  sendBatchUpdate: [{ date: '2026-01-31T12:00:00Z', update: { ...update, update_id: 2 } }],
  previewReport: { report_config: REPORT },
  runReport: { report_config: REPORT },
  listReportUsers: { report_config: REPORT, cell: { series: 0 }, limit: 10 },
  saveReport: { name: 'Events', report_config: REPORT },
  deleteReport: { uuid: '00000000-0000-4000-8000-000000000000' },
  pinReport: { uuid: '00000000-0000-4000-8000-000000000000', pinned: true },
  saveSegment: { name: 'Premium users', conditions: { user_conditions: ['=', 'users.is_premium', true] } },
  deleteSavedSegment: { saved_segment_id: 1 },
  createBroadcast: {
    type: 'sendMessage',
    name: 'Spring sale',
    message: { text: 'Hello!' },
    segmentations: { include: [{ type: 'all', config: {} }] },
  },
  saveBroadcast: { id: 1, date_send: '2100-01-01 10:00:00' },
  activateBroadcast: { id: 1 },
  cancelBroadcast: { id: 1 },
  archiveBroadcast: { id: 1 },
  deleteBroadcast: { id: 1 },
  countAudience: { segmentations: { include: [{ type: 'all', config: {} }] } },
  countConversions: { task_id: 1, event_id: 101, days: 7 },
  previewBroadcast: { type: 'sendMessage', message: { text: 'Hello {{user.first_name}}' } },
  testSend: { type: 'sendMessage', message: { text: 'Hello!' }, chat_id: 4242 },
  createSegmentFromReport: { task_id: 1, report_config: REPORT, cell: { series: 0 } },
  uploadSegment: { task_id: 1, chat_ids: [4242] },
  createReferralCode: { user_id: 4242 },
  setCodeOwners: [{ code: 'spring', user_id: 4242 }],
  markReferral: { referral_user_id: 4243, referrer_user_id: 4242 },
  requestReferralPayout: { user_id: 4242, method: 'manual' },
  confirmReferralPayout: { payout_id: 1, reason: 'bank transfer 7' },
  failReferralPayout: { payout_id: 1, reason: 'account closed' },
  cancelReferralPayout: { payout_id: 1, reason: 'paid by hand' },
  retryReferralPayout: { payout_id: 1 },
  reverseReferralAccrual: { accrual_id: 1, reason: 'returned' },
  createBot: { name: 'Shop', timezone: 'Europe/Berlin' },
  setBot: { name: 'Shop', auto_payout: 'monthly' },
  rotateBotWebhookSecret: {},
  issueKey: { bots: ['demo'], kind: 'service', name: 'Shop server' },
  rotateKey: { key_id: 1, overlap_seconds: 86400 },
  revokeKey: { key_id: 1 },
  createGoal: { target_id: 2, name: 'Sign-up' },
  describeEvent: { event_id: 1, title: 'Started the bot' },
  createUnit: { code: 'PTS', name: 'Points', scale: 0 },
  createRule: { name: 'Share of sales', trigger_event_id: 1, reward_type: 'percent', percent: 10, hold_days: 14 },
  editRule: { rule_id: 1, active: false },
  setPayoutWebhook: { url: 'https://shop.example/payouts' },
  rotatePayoutWebhookSecret: {},
  redeliverPayout: { payout_id: 1 },
};

/** Puts the examples into an OpenAPI document. */
export function withExamples<D extends object>(document: D): D {
  const { paths = {} } = document as { paths?: Record<string, Record<string, Operation>> };
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    const body = BODIES[operation.operationId ?? ''];
    const media = operation.requestBody?.content?.['application/json'];
    if (body !== undefined && media !== undefined) media.example = body;
  }
  return document;
}
