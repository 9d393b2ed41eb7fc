"""Made by generate.py from openapi.json. Do not edit."""

# SHA-256 of openapi.json: b515e8ab5ec76da9d7b9c0ced70efa8af1180bd07588c22bc8b9d39d10b634cc

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal, cast

from ._operation import AsyncCalls, Calls, Operation
from .types import (
    AccountChain,
    Accrual,
    Accruals,
    AdminListBotErrorsData,
    AdminListInspectionsData,
    AdminListJobsData,
    AdminListProcessesData,
    ArchiveBroadcastRequest,
    Attribution,
    AudienceSize,
    AudienceSizeRequest,
    BalanceChange,
    BalanceHistory,
    Balances,
    BotError,
    BotSecret,
    BotUser,
    BotUsers,
    Broadcast,
    BroadcastConversions,
    BroadcastFields,
    BroadcastIdRequest,
    BroadcastPreview,
    BroadcastStatistics,
    Broadcasts,
    CancelPayoutRequest,
    ChangeBuildRequest,
    ChangePayoutRequest,
    ChangedPayout,
    ChangedVersion,
    CodeOwner,
    CodeOwnerships,
    ConversionsRequest,
    CreateBotRequest,
    CreateBroadcastRequest,
    CreateGoalRequest,
    CreateRuleRequest,
    CreateUnitRequest,
    CreatedCode,
    CustomEvent,
    DeadLetter,
    DeadLetters,
    DecidedDeadLetter,
    DeleteReportRequest,
    DeleteSavedSegmentRequest,
    DeletedBroadcast,
    Delivery,
    DescribeEventBody,
    DetailedAccrual,
    DetailedAccruals,
    DetailedPayout,
    DetailedPayouts,
    DropVersionRequest,
    EditRuleRequest,
    EventId,
    ExchangeRate,
    FailPayoutRequest,
    ForwardedUpdate,
    GoalId,
    InspectionRequest,
    InspectionWithResult,
    IssueKeyRequest,
    IssuedKey,
    Job,
    JobKind,
    JobRequest,
    Key,
    KeyId,
    LatestEvents,
    ListBotErrorsData,
    ListBotSettingsData,
    ListDeliveriesData,
    ListEventFieldsData,
    ListEventPropertiesData,
    ListExchangeRatesData,
    ListGoalsData,
    ListKeysData,
    ListReportEventsData,
    ListReportsData,
    ListResourcesData,
    ListRulesData,
    ListSavedSegmentsData,
    ListUnitsData,
    ListUserFieldsData,
    MarkReferralRequest,
    NewUsers,
    NoFields,
    Payout,
    PayoutId,
    PayoutRequest,
    PayoutWebhookSetting,
    Payouts,
    PinReportRequest,
    Plan,
    PreviewBroadcastRequest,
    PreviewRequest,
    ProofFile,
    ReadModelVersions,
    ReceivedBroadcast,
    ReceivedBroadcasts,
    Recipient,
    Recipients,
    RedeliverPayoutRequest,
    Referral,
    ReferralCodes,
    ReferralProgram,
    ReferralTotals,
    Referrals,
    Referrer,
    Referrers,
    Report,
    ReportUser,
    ReportUsers,
    ReportUsersRequest,
    RequestedInspection,
    RequestedJob,
    RequestedPayouts,
    ResourceKey,
    RetryDeadLetterRequest,
    Reversal,
    ReverseAccrualRequest,
    RevokeKeyRequest,
    RewardRates,
    RotateKeyRequest,
    RuleId,
    RunRequest,
    SaveBroadcastRequest,
    SaveRequest,
    SaveSegmentRequest,
    SavedReport,
    SavedReportId,
    SavedSegment,
    SavedSegmentId,
    SegmentFromReport,
    SegmentFromReportRequest,
    SetBotRequest,
    SetWebhookRequest,
    SkipDeadLetterRequest,
    SwitchVersionRequest,
    TargetEvent,
    TestSendOutcome,
    TestSendRequest,
    UnitId,
    UploadSegmentRequest,
    UploadedSegment,
    UserRequest,
    UtmLabels,
    Uuid,
    WebhookSecret,
    WebhookUpdate,
)

AMOUNTS = frozenset(['amount', 'available', 'earned', 'on_hold', 'paid', 'percent', 'rate', 'reserved', 'reward_amount', 'reward_percent'])
AMOUNT_PATHS = '^/v1/(referral|settings)/'

OPERATIONS: dict[str, Operation] = {
    'sendTarget': Operation('POST', '/v1/send-target', keyed=True, harmless=True, numbers=('value',)),
    'sendEvent': Operation('POST', '/v1/send-event', keyed=True, harmless=True, numbers=('value_num',)),
    'sendUpdate': Operation('POST', '/v1/send-update', keyed=True, harmless=True, numbers=()),
    'sendBatchUpdate': Operation('POST', '/v1/send-batch-update', keyed=True, harmless=True, numbers=()),
    'webhook': Operation('POST', '/v1/webhook/{bot_public_key}', keyed=False, harmless=True, numbers=()),
    'listBotErrors': Operation('GET', '/v1/bot-errors', keyed=False, harmless=True, numbers=()),
    'listLatestEvents': Operation('GET', '/v1/events/latest', keyed=False, harmless=True, numbers=()),
    'listResources': Operation('GET', '/v1/reports/resources', keyed=False, harmless=True, numbers=()),
    'listReportEvents': Operation('GET', '/v1/reports/events', keyed=False, harmless=True, numbers=()),
    'listEventFields': Operation('GET', '/v1/reports/event-fields', keyed=False, harmless=True, numbers=()),
    'listEventProperties': Operation('GET', '/v1/reports/event-properties', keyed=False, harmless=True, numbers=()),
    'listUserFields': Operation('GET', '/v1/reports/user-fields', keyed=False, harmless=True, numbers=()),
    'listUtmLabels': Operation('GET', '/v1/reports/utm-labels', keyed=False, harmless=True, numbers=()),
    'previewReport': Operation('POST', '/v1/reports/preview', keyed=False, harmless=True, numbers=()),
    'runReport': Operation('POST', '/v1/reports/run', keyed=False, harmless=True, numbers=()),
    'listReportUsers': Operation('POST', '/v1/reports/users', keyed=False, harmless=True, numbers=()),
    'saveReport': Operation('POST', '/v1/reports/save', keyed=True, harmless=True, numbers=()),
    'listReports': Operation('GET', '/v1/reports/list', keyed=False, harmless=True, numbers=()),
    'getReport': Operation('GET', '/v1/reports/get', keyed=False, harmless=True, numbers=()),
    'deleteReport': Operation('POST', '/v1/reports/delete', keyed=True, harmless=True, numbers=()),
    'pinReport': Operation('POST', '/v1/reports/pin', keyed=True, harmless=True, numbers=()),
    'countNewUsers': Operation('GET', '/v1/reports/new-users', keyed=False, harmless=True, numbers=()),
    'listUsers': Operation('GET', '/v1/users/list', keyed=False, harmless=True, numbers=()),
    'getUser': Operation('GET', '/v1/users/get', keyed=False, harmless=True, numbers=()),
    'listUserBroadcasts': Operation('GET', '/v1/users/broadcasts', keyed=False, harmless=True, numbers=()),
    'createBroadcast': Operation('POST', '/v1/broadcast/create', keyed=True, harmless=True, numbers=()),
    'saveBroadcast': Operation('POST', '/v1/broadcast/save', keyed=True, harmless=True, numbers=()),
    'getBroadcast': Operation('GET', '/v1/broadcast/get', keyed=False, harmless=True, numbers=()),
    'listBroadcasts': Operation('GET', '/v1/broadcast/list', keyed=False, harmless=True, numbers=()),
    'activateBroadcast': Operation('POST', '/v1/broadcast/activate', keyed=True, harmless=True, numbers=()),
    'cancelBroadcast': Operation('POST', '/v1/broadcast/cancel', keyed=True, harmless=True, numbers=()),
    'archiveBroadcast': Operation('POST', '/v1/broadcast/archive', keyed=True, harmless=True, numbers=()),
    'deleteBroadcast': Operation('POST', '/v1/broadcast/delete', keyed=True, harmless=True, numbers=()),
    'uploadSegment': Operation('POST', '/v1/broadcast/upload-segment', keyed=True, harmless=True, numbers=()),
    'createSegmentFromReport': Operation('POST', '/v1/broadcast/segment-from-report', keyed=True, harmless=True, numbers=()),
    'listRecipients': Operation('GET', '/v1/broadcast/recipients', keyed=False, harmless=True, numbers=()),
    'getBroadcastStatistics': Operation('GET', '/v1/broadcast/statistics', keyed=False, harmless=True, numbers=()),
    'countConversions': Operation('POST', '/v1/broadcast/conversions', keyed=False, harmless=False, numbers=()),
    'listBroadcastFields': Operation('GET', '/v1/broadcast/fields', keyed=False, harmless=True, numbers=()),
    'countAudience': Operation('POST', '/v1/broadcast/audience-size', keyed=False, harmless=True, numbers=()),
    'previewBroadcast': Operation('POST', '/v1/broadcast/preview', keyed=False, harmless=True, numbers=()),
    'testSend': Operation('POST', '/v1/broadcast/test-send', keyed=False, harmless=False, numbers=()),
    'saveSegment': Operation('POST', '/v1/saved-segments/save', keyed=True, harmless=True, numbers=()),
    'listSavedSegments': Operation('GET', '/v1/saved-segments/list', keyed=False, harmless=True, numbers=()),
    'getSavedSegment': Operation('GET', '/v1/saved-segments/get', keyed=False, harmless=True, numbers=()),
    'deleteSavedSegment': Operation('POST', '/v1/saved-segments/delete', keyed=True, harmless=True, numbers=()),
    'createReferralCode': Operation('POST', '/v1/referral/create-code', keyed=True, harmless=True, numbers=()),
    'createReferralCodeByGet': Operation('GET', '/v1/referral/create-code', keyed=True, harmless=True, numbers=()),
    'setCodeOwners': Operation('POST', '/v1/referral/set-code-owners', keyed=True, harmless=True, numbers=()),
    'listReferralCodes': Operation('GET', '/v1/referral/codes', keyed=False, harmless=True, numbers=()),
    'listReferrals': Operation('GET', '/v1/referral/referrals', keyed=False, harmless=True, numbers=()),
    'markReferral': Operation('POST', '/v1/referral/mark-referral', keyed=True, harmless=True, numbers=()),
    'getReferralBalance': Operation('GET', '/v1/referral/balance', keyed=False, harmless=True, numbers=()),
    'requestReferralPayout': Operation('POST', '/v1/referral/payout', keyed=True, harmless=True, numbers=()),
    'listReferralPayouts': Operation('GET', '/v1/referral/payouts', keyed=False, harmless=True, numbers=()),
    'confirmReferralPayout': Operation('POST', '/v1/referral/payouts/confirm', keyed=True, harmless=True, numbers=()),
    'failReferralPayout': Operation('POST', '/v1/referral/payouts/fail', keyed=True, harmless=True, numbers=()),
    'cancelReferralPayout': Operation('POST', '/v1/referral/payouts/cancel', keyed=True, harmless=True, numbers=()),
    'retryReferralPayout': Operation('POST', '/v1/referral/payouts/retry', keyed=True, harmless=True, numbers=()),
    'reverseReferralAccrual': Operation('POST', '/v1/referral/reverse-accrual', keyed=True, harmless=True, numbers=()),
    'listReferralAccruals': Operation('GET', '/v1/referral/accruals', keyed=False, harmless=True, numbers=()),
    'listReferralRates': Operation('GET', '/v1/referral/rates', keyed=False, harmless=True, numbers=()),
    'listReferralHistory': Operation('GET', '/v1/referral/history', keyed=False, harmless=True, numbers=()),
    'listReferrers': Operation('GET', '/v1/referral/referrers', keyed=False, harmless=True, numbers=()),
    'listAllReferralPayouts': Operation('GET', '/v1/referral/all-payouts', keyed=False, harmless=True, numbers=()),
    'getReferralTotals': Operation('GET', '/v1/referral/totals', keyed=False, harmless=True, numbers=()),
    'listReferralEntries': Operation('GET', '/v1/referral/entries', keyed=False, harmless=True, numbers=()),
    'getReferralChain': Operation('GET', '/v1/referral/chain', keyed=False, harmless=True, numbers=()),
    'getReferralProof': Operation('GET', '/v1/referral/proof', keyed=False, harmless=True, numbers=()),
    'getReferralProgram': Operation('GET', '/v1/referral/program', keyed=False, harmless=True, numbers=()),
    'listBotSettings': Operation('GET', '/v1/settings/bots', keyed=False, harmless=True, numbers=()),
    'createBot': Operation('POST', '/v1/settings/bots/create', keyed=True, harmless=True, numbers=()),
    'setBot': Operation('POST', '/v1/settings/bots/set', keyed=True, harmless=True, numbers=()),
    'rotateBotWebhookSecret': Operation('POST', '/v1/settings/bots/rotate-webhook-secret', keyed=True, harmless=True, numbers=()),
    'listKeys': Operation('GET', '/v1/settings/keys', keyed=False, harmless=True, numbers=()),
    'issueKey': Operation('POST', '/v1/settings/keys/issue', keyed=True, harmless=True, numbers=()),
    'rotateKey': Operation('POST', '/v1/settings/keys/rotate', keyed=True, harmless=True, numbers=()),
    'revokeKey': Operation('POST', '/v1/settings/keys/revoke', keyed=True, harmless=True, numbers=()),
    'listGoals': Operation('GET', '/v1/settings/goals', keyed=False, harmless=True, numbers=()),
    'createGoal': Operation('POST', '/v1/settings/goals/create', keyed=True, harmless=True, numbers=()),
    'listUnits': Operation('GET', '/v1/settings/units', keyed=False, harmless=True, numbers=()),
    'createUnit': Operation('POST', '/v1/settings/units/create', keyed=True, harmless=True, numbers=()),
    'listExchangeRates': Operation('GET', '/v1/settings/exchange-rates', keyed=False, harmless=True, numbers=()),
    'describeEvent': Operation('POST', '/v1/settings/events/describe', keyed=True, harmless=True, numbers=()),
    'getPlan': Operation('GET', '/v1/settings/plan', keyed=False, harmless=True, numbers=()),
    'listRules': Operation('GET', '/v1/settings/rules', keyed=False, harmless=True, numbers=()),
    'createRule': Operation('POST', '/v1/settings/rules/create', keyed=True, harmless=True, numbers=('amount', 'hold_days', 'percent')),
    'editRule': Operation('POST', '/v1/settings/rules/edit', keyed=True, harmless=True, numbers=('amount', 'hold_days', 'percent')),
    'getPayoutWebhook': Operation('GET', '/v1/settings/webhook', keyed=False, harmless=True, numbers=()),
    'setPayoutWebhook': Operation('POST', '/v1/settings/webhook/set', keyed=True, harmless=True, numbers=()),
    'rotatePayoutWebhookSecret': Operation('POST', '/v1/settings/webhook/rotate-secret', keyed=True, harmless=True, numbers=()),
    'listDeliveries': Operation('GET', '/v1/settings/webhook/deliveries', keyed=False, harmless=True, numbers=()),
    'redeliverPayout': Operation('POST', '/v1/settings/webhook/redeliver', keyed=True, harmless=True, numbers=()),
    'adminListProjections': Operation('GET', '/admin/v1/projections', keyed=False, harmless=True, numbers=()),
    'adminSwitchProjection': Operation('POST', '/admin/v1/projections/switch', keyed=False, harmless=False, numbers=()),
    'adminChangeBuild': Operation('POST', '/admin/v1/projections/build', keyed=False, harmless=False, numbers=()),
    'adminDropProjection': Operation('POST', '/admin/v1/projections/drop', keyed=False, harmless=False, numbers=()),
    'adminListDeadLetters': Operation('GET', '/admin/v1/dead-letters', keyed=False, harmless=True, numbers=()),
    'adminRetryDeadLetter': Operation('POST', '/admin/v1/dead-letters/retry', keyed=False, harmless=False, numbers=()),
    'adminSkipDeadLetter': Operation('POST', '/admin/v1/dead-letters/skip', keyed=False, harmless=False, numbers=()),
    'adminListProcesses': Operation('GET', '/admin/v1/processes', keyed=False, harmless=True, numbers=()),
    'adminListBotErrors': Operation('GET', '/admin/v1/bot-errors', keyed=False, harmless=True, numbers=()),
    'adminRequestJob': Operation('POST', '/admin/v1/jobs', keyed=True, harmless=True, numbers=()),
    'adminListJobs': Operation('GET', '/admin/v1/jobs', keyed=False, harmless=True, numbers=()),
    'adminGetJob': Operation('GET', '/admin/v1/jobs/{job_id}', keyed=False, harmless=True, numbers=()),
    'adminRequestInspection': Operation('POST', '/admin/v1/inspections', keyed=False, harmless=False, numbers=()),
    'adminListInspections': Operation('GET', '/admin/v1/inspections', keyed=False, harmless=True, numbers=()),
    'adminGetInspection': Operation('GET', '/admin/v1/inspections/{inspection_id}', keyed=False, harmless=True, numbers=()),
}


class Methods(Calls):
    """A method for each call of the service."""

    def send_target(self, body: TargetEvent | Sequence[TargetEvent], *, report: Literal['unknown_users'] | None = None, receipt: Literal['signed'] | None = None, idempotency_key: str | None = None) -> str | None:
        """Send one target event, or an array of 1 to 100: all are accepted or none. With `receipt` gives the receipt; None: the service keeps nothing of the request"""
        return self._receipt('sendTarget', body=body, query={'report': report}, header={'receipt': receipt}, idempotency_key=idempotency_key)

    def send_event(self, body: CustomEvent | Sequence[CustomEvent], *, report: Literal['unknown_users'] | None = None, receipt: Literal['signed'] | None = None, idempotency_key: str | None = None) -> str | None:
        """Send one custom event, or an array of 1 to 1000: all are accepted or none. With `receipt` gives the receipt; None: the service keeps nothing of the request"""
        return self._receipt('sendEvent', body=body, query={'report': report}, header={'receipt': receipt}, idempotency_key=idempotency_key)

    def send_update(self, body: ForwardedUpdate, *, receipt: Literal['signed'] | None = None, idempotency_key: str | None = None) -> str | None:
        """Forward one update of the messaging platform. With `receipt` gives the receipt; None: the service keeps nothing of the request"""
        return self._receipt('sendUpdate', body=body, header={'receipt': receipt}, idempotency_key=idempotency_key)

    def send_batch_update(self, body: Sequence[ForwardedUpdate], *, receipt: Literal['signed'] | None = None, idempotency_key: str | None = None) -> str | None:
        """Forward 1 to 1000 updates: all are accepted or none. With `receipt` gives the receipt; None: the service keeps nothing of the request"""
        return self._receipt('sendBatchUpdate', body=body, header={'receipt': receipt}, idempotency_key=idempotency_key)

    def webhook(self, body: WebhookUpdate, *, bot_public_key: str, secret_token: str) -> None:
        """The platform's webhook: set this URL with the bot's secret token"""
        self._data('webhook', body=body, path={'bot_public_key': bot_public_key}, header={'x-telegram-bot-api-secret-token': secret_token})

    def list_bot_errors(self, *, limit: int | None = None, offset: int | None = None, kind: Literal['unknown_user', 'warning', 'property_limit'] | None = None) -> ListBotErrorsData:
        """Events that were accepted and could not be processed as sent, newest first, of the last 90 days"""
        return cast('ListBotErrorsData', self._data('listBotErrors', query={'limit': limit, 'offset': offset, 'kind': kind}))

    def iterate_bot_errors(self, *, limit: int | None = None, offset: int | None = None, kind: Literal['unknown_user', 'warning', 'property_limit'] | None = None) -> Iterator[BotError]:
        """Events that were accepted and could not be processed as sent, newest first, of the last 90 days: all pages"""
        return self._pages('listBotErrors', query={'limit': limit, 'offset': offset, 'kind': kind}, items='items')

    def list_latest_events(self, *, limit: int | None = None) -> LatestEvents:
        """The events that were received last, the last one first, as they were counted"""
        return cast('LatestEvents', self._data('listLatestEvents', query={'limit': limit}))

    def list_resources(self) -> ListResourcesData:
        """The bots that the key can access, by their resource keys"""
        return cast('ListResourcesData', self._data('listResources'))

    def list_report_events(self) -> ListReportEventsData:
        """Events that reports of the bot can count, with the ids that metrics name"""
        return cast('ListReportEventsData', self._data('listReportEvents'))

    def list_event_fields(self) -> ListEventFieldsData:
        """The fixed event fields that filters can name: the same for every bot"""
        return cast('ListEventFieldsData', self._data('listEventFields'))

    def list_event_properties(self) -> ListEventPropertiesData:
        """The custom properties that events of the bot have, for filters, breakdowns, columns and sums"""
        return cast('ListEventPropertiesData', self._data('listEventProperties'))

    def list_user_fields(self) -> ListUserFieldsData:
        """The fields of users that filters and breakdowns can name, with the custom fields and saved segments of the bot"""
        return cast('ListUserFieldsData', self._data('listUserFields'))

    def list_utm_labels(self) -> UtmLabels:
        """UTM labels that the bot has seen, each list with the most used first"""
        return cast('UtmLabels', self._data('listUtmLabels'))

    def preview_report(self, body: PreviewRequest) -> Report:
        """Run a report without saving it and get its first 10 rows"""
        return cast('Report', self._data('previewReport', body=body))

    def run_report(self, body: RunRequest) -> Report:
        """Run a saved report, or one that is not, and get all its rows as JSON or CSV"""
        return cast('Report', self._data('runReport', body=body))

    def run_report_csv(self, body: RunRequest) -> str:
        """Run a saved report, or one that is not, and get all its rows as JSON or CSV, as CSV"""
        return self._csv('runReport', body=body)

    def list_report_users(self, body: ReportUsersRequest) -> ReportUsers:
        """The users behind a number of a report"""
        return cast('ReportUsers', self._data('listReportUsers', body=body))

    def save_report(self, body: SaveRequest, *, idempotency_key: str | None = None) -> SavedReportId:
        """Save a report, or replace a saved one by its uuid"""
        return cast('SavedReportId', self._data('saveReport', body=body, idempotency_key=idempotency_key))

    def list_reports(self) -> ListReportsData:
        """Saved reports, newest first: of one bot, or without resource_key of every bot of the key"""
        return cast('ListReportsData', self._data('listReports'))

    def get_report(self, *, uuid: str) -> SavedReport:
        """A saved report"""
        return cast('SavedReport', self._data('getReport', query={'uuid': uuid}))

    def delete_report(self, body: DeleteReportRequest, *, idempotency_key: str | None = None) -> SavedReportId:
        """Delete a saved report"""
        return cast('SavedReportId', self._data('deleteReport', body=body, idempotency_key=idempotency_key))

    def pin_report(self, body: PinReportRequest, *, idempotency_key: str | None = None) -> SavedReportId:
        """Pin a saved report to the dashboard of its bot, or take it off"""
        return cast('SavedReportId', self._data('pinReport', body=body, idempotency_key=idempotency_key))

    def count_new_users(self, *, date_from: str, date_to: str) -> NewUsers:
        """How many users of the bot are new, by day"""
        return cast('NewUsers', self._data('countNewUsers', query={'date_from': date_from, 'date_to': date_to}))

    def list_users(self, *, search: str | None = None, order: Literal['newest', 'active', 'name'] | None = None, limit: int | None = None, offset: int | None = None) -> BotUsers:
        """The users of the bot, found by name, username or id"""
        return cast('BotUsers', self._data('listUsers', query={'search': search, 'order': order, 'limit': limit, 'offset': offset}))

    def iterate_users(self, *, search: str | None = None, order: Literal['newest', 'active', 'name'] | None = None, limit: int | None = None, offset: int | None = None) -> Iterator[ReportUser]:
        """The users of the bot, found by name, username or id: all pages"""
        return self._pages('listUsers', query={'search': search, 'order': order, 'limit': limit, 'offset': offset}, items='items')

    def get_user(self, *, user_id: int) -> BotUser:
        """What the bot knows of a user: profile, custom fields, first visit, who brought them"""
        return cast('BotUser', self._data('getUser', query={'user_id': user_id}))

    def list_user_broadcasts(self, *, user_id: int, limit: int | None = None, offset: int | None = None) -> ReceivedBroadcasts:
        """The broadcasts whose audience had a user, the latest first, with the outcome of each for the user"""
        return cast('ReceivedBroadcasts', self._data('listUserBroadcasts', query={'user_id': user_id, 'limit': limit, 'offset': offset}))

    def iterate_user_broadcasts(self, *, user_id: int, limit: int | None = None, offset: int | None = None) -> Iterator[ReceivedBroadcast]:
        """The broadcasts whose audience had a user, the latest first, with the outcome of each for the user: all pages"""
        return self._pages('listUserBroadcasts', query={'user_id': user_id, 'limit': limit, 'offset': offset}, items='items')

    def create_broadcast(self, body: CreateBroadcastRequest, *, idempotency_key: str | None = None) -> Broadcast:
        """Create a broadcast; with activate also launch it"""
        return cast('Broadcast', self._data('createBroadcast', body=body, idempotency_key=idempotency_key))

    def save_broadcast(self, body: SaveBroadcastRequest, *, idempotency_key: str | None = None) -> Broadcast:
        """Change a draft; any other status is answered unchanged"""
        return cast('Broadcast', self._data('saveBroadcast', body=body, idempotency_key=idempotency_key))

    def get_broadcast(self, *, id: int) -> Broadcast:
        """A broadcast: its content, status and statistics"""
        return cast('Broadcast', self._data('getBroadcast', query={'id': id}))

    def list_broadcasts(self, *, filters_status: int | None = None, filters_archived: Literal['true', 'false'] | None = None, filters_name: str | None = None, filters_date_create: str | None = None, orders_id: Literal['asc', 'desc'] | None = None, orders_name: Literal['asc', 'desc'] | None = None, orders_status: Literal['asc', 'desc'] | None = None, orders_date_create: Literal['asc', 'desc'] | None = None, orders_date_send: Literal['asc', 'desc'] | None = None, orders_date_finish: Literal['asc', 'desc'] | None = None, orders_running: Literal['asc', 'desc'] | None = None, orders_count_recipients: Literal['asc', 'desc'] | None = None, orders_count_delivered: Literal['asc', 'desc'] | None = None, limit: int | None = None, offset: int | None = None) -> Broadcasts:
        """Broadcasts of the bot, filtered, ordered and paged; the latest first"""
        return cast('Broadcasts', self._data('listBroadcasts', query={'filters[status]': filters_status, 'filters[archived]': filters_archived, 'filters[name]': filters_name, 'filters[date_create]': filters_date_create, 'orders[id]': orders_id, 'orders[name]': orders_name, 'orders[status]': orders_status, 'orders[date_create]': orders_date_create, 'orders[date_send]': orders_date_send, 'orders[date_finish]': orders_date_finish, 'orders[running]': orders_running, 'orders[count_recipients]': orders_count_recipients, 'orders[count_delivered]': orders_count_delivered, 'limit': limit, 'offset': offset}))

    def iterate_broadcasts(self, *, filters_status: int | None = None, filters_archived: Literal['true', 'false'] | None = None, filters_name: str | None = None, filters_date_create: str | None = None, orders_id: Literal['asc', 'desc'] | None = None, orders_name: Literal['asc', 'desc'] | None = None, orders_status: Literal['asc', 'desc'] | None = None, orders_date_create: Literal['asc', 'desc'] | None = None, orders_date_send: Literal['asc', 'desc'] | None = None, orders_date_finish: Literal['asc', 'desc'] | None = None, orders_running: Literal['asc', 'desc'] | None = None, orders_count_recipients: Literal['asc', 'desc'] | None = None, orders_count_delivered: Literal['asc', 'desc'] | None = None, limit: int | None = None, offset: int | None = None) -> Iterator[Broadcast]:
        """Broadcasts of the bot, filtered, ordered and paged; the latest first: all pages"""
        return self._pages('listBroadcasts', query={'filters[status]': filters_status, 'filters[archived]': filters_archived, 'filters[name]': filters_name, 'filters[date_create]': filters_date_create, 'orders[id]': orders_id, 'orders[name]': orders_name, 'orders[status]': orders_status, 'orders[date_create]': orders_date_create, 'orders[date_send]': orders_date_send, 'orders[date_finish]': orders_date_finish, 'orders[running]': orders_running, 'orders[count_recipients]': orders_count_recipients, 'orders[count_delivered]': orders_count_delivered, 'limit': limit, 'offset': offset}, items='items')

    def activate_broadcast(self, body: SaveBroadcastRequest, *, idempotency_key: str | None = None) -> Broadcast:
        """Save the given fields and launch. A stopped or failed broadcast continues with recipients not yet attempted"""
        return cast('Broadcast', self._data('activateBroadcast', body=body, idempotency_key=idempotency_key))

    def cancel_broadcast(self, body: BroadcastIdRequest, *, idempotency_key: str | None = None) -> Broadcast:
        """Stop a broadcast; one that was not picked up yet becomes a draft again"""
        return cast('Broadcast', self._data('cancelBroadcast', body=body, idempotency_key=idempotency_key))

    def archive_broadcast(self, body: ArchiveBroadcastRequest, *, idempotency_key: str | None = None) -> Broadcast:
        """Put a broadcast into the archive, or take it out"""
        return cast('Broadcast', self._data('archiveBroadcast', body=body, idempotency_key=idempotency_key))

    def delete_broadcast(self, body: BroadcastIdRequest, *, idempotency_key: str | None = None) -> DeletedBroadcast:
        """Delete a draft"""
        return cast('DeletedBroadcast', self._data('deleteBroadcast', body=body, idempotency_key=idempotency_key))

    def upload_segment(self, body: UploadSegmentRequest, *, idempotency_key: str | None = None) -> UploadedSegment:
        """Upload a list of chats for a draft, to be named in its audience as a custom segment"""
        return cast('UploadedSegment', self._data('uploadSegment', body=body, idempotency_key=idempotency_key))

    def create_segment_from_report(self, body: SegmentFromReportRequest, *, idempotency_key: str | None = None) -> SegmentFromReport:
        """Freeze the users behind a number of a report as a list, for the audience of a draft"""
        return cast('SegmentFromReport', self._data('createSegmentFromReport', body=body, idempotency_key=idempotency_key))

    def list_recipients(self, *, id: int, state: Literal['pending', 'delivered', 'not_delivered', 'cancelled', 'unknown'] | None = None, limit: int | None = None, offset: int | None = None) -> Recipients:
        """The recipients of a broadcast by chat id, and what became of each, as JSON or CSV"""
        return cast('Recipients', self._data('listRecipients', query={'id': id, 'state': state, 'limit': limit, 'offset': offset}))

    def iterate_recipients(self, *, id: int, state: Literal['pending', 'delivered', 'not_delivered', 'cancelled', 'unknown'] | None = None, limit: int | None = None, offset: int | None = None) -> Iterator[Recipient]:
        """The recipients of a broadcast by chat id, and what became of each, as JSON or CSV: all pages"""
        return self._pages('listRecipients', query={'id': id, 'state': state, 'limit': limit, 'offset': offset}, items='items')

    def list_recipients_csv(self, *, id: int, state: Literal['pending', 'delivered', 'not_delivered', 'cancelled', 'unknown'] | None = None, raw: bool | None = None, limit: int | None = None, offset: int | None = None) -> str:
        """The recipients of a broadcast by chat id, and what became of each, as JSON or CSV, as CSV"""
        return self._csv('listRecipients', query={'id': id, 'state': state, 'raw': raw, 'limit': limit, 'offset': offset})

    def get_broadcast_statistics(self, *, id: int) -> BroadcastStatistics:
        """The recipients of a broadcast by outcome, and its clicks: in total, by variant and by link"""
        return cast('BroadcastStatistics', self._data('getBroadcastStatistics', query={'id': id}))

    def count_conversions(self, body: ConversionsRequest) -> BroadcastConversions:
        """How many recipients of a broadcast did something within days of their message, in total and by variant"""
        return cast('BroadcastConversions', self._data('countConversions', body=body))

    def list_broadcast_fields(self) -> BroadcastFields:
        """The fields that audiences and templates can name"""
        return cast('BroadcastFields', self._data('listBroadcastFields'))

    def count_audience(self, body: AudienceSizeRequest) -> AudienceSize:
        """How many chats an audience has now, with some of them; a launch resolves it again"""
        return cast('AudienceSize', self._data('countAudience', body=body))

    def preview_broadcast(self, body: PreviewBroadcastRequest) -> BroadcastPreview:
        """A message as a user would get it, with its entities and its problems"""
        return cast('BroadcastPreview', self._data('previewBroadcast', body=body))

    def test_send(self, body: TestSendRequest) -> TestSendOutcome:
        """Send a message to one chat at once; it counts nowhere"""
        return cast('TestSendOutcome', self._data('testSend', body=body))

    def save_segment(self, body: SaveSegmentRequest, *, idempotency_key: str | None = None) -> SavedSegmentId:
        """Save a segment: a name and conditions; or replace a saved one by its id"""
        return cast('SavedSegmentId', self._data('saveSegment', body=body, idempotency_key=idempotency_key))

    def list_saved_segments(self) -> ListSavedSegmentsData:
        """The saved segments of the bot, newest first"""
        return cast('ListSavedSegmentsData', self._data('listSavedSegments'))

    def get_saved_segment(self, *, saved_segment_id: int) -> SavedSegment:
        """A saved segment"""
        return cast('SavedSegment', self._data('getSavedSegment', query={'saved_segment_id': saved_segment_id}))

    def delete_saved_segment(self, body: DeleteSavedSegmentRequest, *, idempotency_key: str | None = None) -> SavedSegmentId:
        """Delete a saved segment, unless a scheduled broadcast uses it"""
        return cast('SavedSegmentId', self._data('deleteSavedSegment', body=body, idempotency_key=idempotency_key))

    def create_referral_code(self, body: UserRequest, *, idempotency_key: str | None = None) -> CreatedCode:
        """A new referral code of a user; old ones stay valid"""
        return cast('CreatedCode', self._data('createReferralCode', body=body, idempotency_key=idempotency_key))

    def create_referral_code_by_get(self, *, user_id: int, idempotency_key: str | None = None) -> CreatedCode:
        """The same by GET: each request makes a new code"""
        return cast('CreatedCode', self._data('createReferralCodeByGet', query={'user_id': user_id}, idempotency_key=idempotency_key))

    def set_code_owners(self, body: Sequence[CodeOwner], *, idempotency_key: str | None = None) -> CodeOwnerships:
        """Say whose codes are; past visits by them count for their owners"""
        return cast('CodeOwnerships', self._data('setCodeOwners', body=body, idempotency_key=idempotency_key))

    def list_referral_codes(self, *, user_id: int) -> ReferralCodes:
        """A user's codes, newest first, and the number of the user's referrals"""
        return cast('ReferralCodes', self._data('listReferralCodes', query={'user_id': user_id}))

    def list_referrals(self, *, user_id: int, limit: int | None = None, offset: int | None = None) -> Referrals:
        """The users that a user referred, newest first"""
        return cast('Referrals', self._data('listReferrals', query={'user_id': user_id, 'limit': limit, 'offset': offset}))

    def iterate_referrals(self, *, user_id: int, limit: int | None = None, offset: int | None = None) -> Iterator[Referral]:
        """The users that a user referred, newest first: all pages"""
        return self._pages('listReferrals', query={'user_id': user_id, 'limit': limit, 'offset': offset}, items='referrals')

    def mark_referral(self, body: MarkReferralRequest, *, idempotency_key: str | None = None) -> Attribution:
        """Mark a user as referred, by a code or by the referrer; who has a referrer keeps that one"""
        return cast('Attribution', self._data('markReferral', body=body, idempotency_key=idempotency_key))

    def get_referral_balance(self, *, user_id: int, at: str | None = None) -> Balances:
        """A referrer's balance, a row for each unit with any accrual"""
        return cast('Balances', self._data('getReferralBalance', query={'user_id': user_id, 'at': at}))

    def request_referral_payout(self, body: PayoutRequest, *, idempotency_key: str | None = None) -> RequestedPayouts:
        """Request a payout of all that is available, one for each unit"""
        return cast('RequestedPayouts', self._data('requestReferralPayout', body=body, idempotency_key=idempotency_key))

    def list_referral_payouts(self, *, user_id: int, limit: int | None = None, offset: int | None = None) -> Payouts:
        """A referrer's payouts, newest first"""
        return cast('Payouts', self._data('listReferralPayouts', query={'user_id': user_id, 'limit': limit, 'offset': offset}))

    def iterate_referral_payouts(self, *, user_id: int, limit: int | None = None, offset: int | None = None) -> Iterator[Payout]:
        """A referrer's payouts, newest first: all pages"""
        return self._pages('listReferralPayouts', query={'user_id': user_id, 'limit': limit, 'offset': offset}, items='payouts')

    def confirm_referral_payout(self, body: ChangePayoutRequest, *, idempotency_key: str | None = None) -> ChangedPayout:
        """Record that a manual payout, or one that the client accepted, was paid"""
        return cast('ChangedPayout', self._data('confirmReferralPayout', body=body, idempotency_key=idempotency_key))

    def fail_referral_payout(self, body: FailPayoutRequest, *, idempotency_key: str | None = None) -> ChangedPayout:
        """Record that a payout that the client accepted was not paid"""
        return cast('ChangedPayout', self._data('failReferralPayout', body=body, idempotency_key=idempotency_key))

    def cancel_referral_payout(self, body: CancelPayoutRequest, *, idempotency_key: str | None = None) -> ChangedPayout:
        """Cancel a new or failed payout. Its amount returns to the balance"""
        return cast('ChangedPayout', self._data('cancelReferralPayout', body=body, idempotency_key=idempotency_key))

    def retry_referral_payout(self, body: ChangePayoutRequest, *, idempotency_key: str | None = None) -> ChangedPayout:
        """Announce a payout now that failed or waits for its next attempt"""
        return cast('ChangedPayout', self._data('retryReferralPayout', body=body, idempotency_key=idempotency_key))

    def reverse_referral_accrual(self, body: ReverseAccrualRequest, *, idempotency_key: str | None = None) -> Reversal:
        """Cancel an accrual; one that was paid is made good by one of the opposite amount"""
        return cast('Reversal', self._data('reverseReferralAccrual', body=body, idempotency_key=idempotency_key))

    def list_referral_accruals(self, *, user_id: int, limit: int | None = None, offset: int | None = None) -> Accruals:
        """A referrer's accruals, newest first"""
        return cast('Accruals', self._data('listReferralAccruals', query={'user_id': user_id, 'limit': limit, 'offset': offset}))

    def iterate_referral_accruals(self, *, user_id: int, limit: int | None = None, offset: int | None = None) -> Iterator[Accrual]:
        """A referrer's accruals, newest first: all pages"""
        return self._pages('listReferralAccruals', query={'user_id': user_id, 'limit': limit, 'offset': offset}, items='accruals')

    def list_referral_rates(self, *, user_id: int) -> RewardRates:
        """What each active rule of the bot earns a referrer: the rate that was locked, else the rule's"""
        return cast('RewardRates', self._data('listReferralRates', query={'user_id': user_id}))

    def list_referral_history(self, *, user_id: int, limit: int | None = None, offset: int | None = None, unit_id: str | None = None, at: str | None = None, order: Literal['asc', 'desc'] | None = None) -> BalanceHistory:
        """The changes of a referrer's balances, each row with the balance after it"""
        return cast('BalanceHistory', self._data('listReferralHistory', query={'user_id': user_id, 'limit': limit, 'offset': offset, 'unit_id': unit_id, 'at': at, 'order': order}))

    def iterate_referral_history(self, *, user_id: int, limit: int | None = None, offset: int | None = None, unit_id: str | None = None, at: str | None = None, order: Literal['asc', 'desc'] | None = None) -> Iterator[BalanceChange]:
        """The changes of a referrer's balances, each row with the balance after it: all pages"""
        return self._pages('listReferralHistory', query={'user_id': user_id, 'limit': limit, 'offset': offset, 'unit_id': unit_id, 'at': at, 'order': order}, items='history')

    def list_referrers(self, *, order: Literal['referrals', 'balance', 'earned', 'paid'] | None = None, unit_id: str | None = None, user_id: int | None = None, search: str | None = None, limit: int | None = None, offset: int | None = None) -> Referrers:
        """The bot's referrers with their balances, by referrals or by an amount of a unit"""
        return cast('Referrers', self._data('listReferrers', query={'order': order, 'unit_id': unit_id, 'user_id': user_id, 'search': search, 'limit': limit, 'offset': offset}))

    def iterate_referrers(self, *, order: Literal['referrals', 'balance', 'earned', 'paid'] | None = None, unit_id: str | None = None, user_id: int | None = None, search: str | None = None, limit: int | None = None, offset: int | None = None) -> Iterator[Referrer]:
        """The bot's referrers with their balances, by referrals or by an amount of a unit: all pages"""
        return self._pages('listReferrers', query={'order': order, 'unit_id': unit_id, 'user_id': user_id, 'search': search, 'limit': limit, 'offset': offset}, items='referrers')

    def list_all_referral_payouts(self, *, user_id: int | None = None, status: Literal[0, 1, 2, 3, 4] | None = None, payout_id: int | None = None, unit_id: str | None = None, search: str | None = None, order: Literal['newest', 'oldest', 'largest'] | None = None, limit: int | None = None, offset: int | None = None) -> DetailedPayouts:
        """The payouts of all referrers, each with its webhook deliveries"""
        return cast('DetailedPayouts', self._data('listAllReferralPayouts', query={'user_id': user_id, 'status': status, 'payout_id': payout_id, 'unit_id': unit_id, 'search': search, 'order': order, 'limit': limit, 'offset': offset}))

    def iterate_all_referral_payouts(self, *, user_id: int | None = None, status: Literal[0, 1, 2, 3, 4] | None = None, payout_id: int | None = None, unit_id: str | None = None, search: str | None = None, order: Literal['newest', 'oldest', 'largest'] | None = None, limit: int | None = None, offset: int | None = None) -> Iterator[DetailedPayout]:
        """The payouts of all referrers, each with its webhook deliveries: all pages"""
        return self._pages('listAllReferralPayouts', query={'user_id': user_id, 'status': status, 'payout_id': payout_id, 'unit_id': unit_id, 'search': search, 'order': order, 'limit': limit, 'offset': offset}, items='payouts')

    def get_referral_totals(self) -> ReferralTotals:
        """The steps of the program from visits by a link to rewards, and the amounts of all accounts"""
        return cast('ReferralTotals', self._data('getReferralTotals'))

    def list_referral_entries(self, *, user_id: int, limit: int | None = None, offset: int | None = None, payout_id: int | None = None, accrual_id: str | None = None) -> DetailedAccruals:
        """Every accrual of an account, also reversed ones, with the payout that claims it"""
        return cast('DetailedAccruals', self._data('listReferralEntries', query={'user_id': user_id, 'limit': limit, 'offset': offset, 'payout_id': payout_id, 'accrual_id': accrual_id}))

    def iterate_referral_entries(self, *, user_id: int, limit: int | None = None, offset: int | None = None, payout_id: int | None = None, accrual_id: str | None = None) -> Iterator[DetailedAccrual]:
        """Every accrual of an account, also reversed ones, with the payout that claims it: all pages"""
        return self._pages('listReferralEntries', query={'user_id': user_id, 'limit': limit, 'offset': offset, 'payout_id': payout_id, 'accrual_id': accrual_id}, items='entries')

    def get_referral_chain(self, *, user_id: int, position: int | None = None, hash: str | None = None, limit: int | None = None) -> AccountChain:
        """The commits of an account's stream with their hashes, oldest first"""
        return cast('AccountChain', self._data('getReferralChain', query={'user_id': user_id, 'position': position, 'hash': hash, 'limit': limit}))

    def get_referral_proof(self, *, user_id: int, at: str | None = None, with_events: Literal['true', 'false'] | None = None) -> ProofFile:
        """A proof of a referrer's balance, which anybody checks without the service"""
        return cast('ProofFile', self._data('getReferralProof', query={'user_id': user_id, 'at': at, 'with_events': with_events}))

    def get_referral_program(self) -> ReferralProgram:
        """The bot's reward rules, and the units of its amounts"""
        return cast('ReferralProgram', self._data('getReferralProgram'))

    def list_bot_settings(self) -> ListBotSettingsData:
        """The bots of the key, with their settings"""
        return cast('ListBotSettingsData', self._data('listBotSettings'))

    def create_bot(self, body: CreateBotRequest, *, idempotency_key: str | None = None) -> BotSecret:
        """Create a bot, with a key for all bots. Shows the secret of its platform webhook once"""
        return cast('BotSecret', self._data('createBot', body=body, idempotency_key=idempotency_key))

    def set_bot(self, body: SetBotRequest, *, idempotency_key: str | None = None) -> ResourceKey:
        """Change a bot's settings: each field that is given"""
        return cast('ResourceKey', self._data('setBot', body=body, idempotency_key=idempotency_key))

    def rotate_bot_webhook_secret(self, body: NoFields, *, idempotency_key: str | None = None) -> BotSecret:
        """Replace the secret of the platform's webhook, and show the new one once"""
        return cast('BotSecret', self._data('rotateBotWebhookSecret', body=body, idempotency_key=idempotency_key))

    def list_keys(self, *, limit: int | None = None, offset: int | None = None) -> ListKeysData:
        """The keys within the reach of the key, the latest first, with their last use"""
        return cast('ListKeysData', self._data('listKeys', query={'limit': limit, 'offset': offset}))

    def iterate_keys(self, *, limit: int | None = None, offset: int | None = None) -> Iterator[Key]:
        """The keys within the reach of the key, the latest first, with their last use: all pages"""
        return self._pages('listKeys', query={'limit': limit, 'offset': offset}, items='items')

    def issue_key(self, body: IssueKeyRequest, *, idempotency_key: str | None = None) -> IssuedKey:
        """Issue a key of kind personal or service. Its value is shown once"""
        return cast('IssuedKey', self._data('issueKey', body=body, idempotency_key=idempotency_key))

    def rotate_key(self, body: RotateKeyRequest, *, idempotency_key: str | None = None) -> IssuedKey:
        """Issue a key in the place of another. The old key works until the overlap ends. The new value is shown once"""
        return cast('IssuedKey', self._data('rotateKey', body=body, idempotency_key=idempotency_key))

    def revoke_key(self, body: RevokeKeyRequest, *, idempotency_key: str | None = None) -> KeyId:
        """Revoke another key than the one of the request, and the keys that it made by rotating itself, within 2 s"""
        return cast('KeyId', self._data('revokeKey', body=body, idempotency_key=idempotency_key))

    def list_goals(self) -> ListGoalsData:
        """The goals of a bot, Sale included"""
        return cast('ListGoalsData', self._data('listGoals'))

    def create_goal(self, body: CreateGoalRequest, *, idempotency_key: str | None = None) -> GoalId:
        """Create a goal. send-target names it by its target_id"""
        return cast('GoalId', self._data('createGoal', body=body, idempotency_key=idempotency_key))

    def list_units(self) -> ListUnitsData:
        """The units of a bot"""
        return cast('ListUnitsData', self._data('listUnits'))

    def create_unit(self, body: CreateUnitRequest, *, idempotency_key: str | None = None) -> UnitId:
        """Create a unit. Currencies of ISO 4217 and XTR need none"""
        return cast('UnitId', self._data('createUnit', body=body, idempotency_key=idempotency_key))

    def list_exchange_rates(self, *, from_: str | None = None, to: str | None = None, limit: int | None = None, offset: int | None = None) -> ListExchangeRatesData:
        """The exchange rates. An operator sets them for all owners"""
        return cast('ListExchangeRatesData', self._data('listExchangeRates', query={'from': from_, 'to': to, 'limit': limit, 'offset': offset}))

    def iterate_exchange_rates(self, *, from_: str | None = None, to: str | None = None, limit: int | None = None, offset: int | None = None) -> Iterator[ExchangeRate]:
        """The exchange rates. An operator sets them for all owners: all pages"""
        return self._pages('listExchangeRates', query={'from': from_, 'to': to, 'limit': limit, 'offset': offset}, items='items')

    def describe_event(self, body: DescribeEventBody, *, idempotency_key: str | None = None) -> EventId:
        """Give an event a title and a description for people, or hide it from pickers"""
        return cast('EventId', self._data('describeEvent', body=body, idempotency_key=idempotency_key))

    def get_plan(self) -> Plan:
        """The owner's plan, report currency, and the broadcasts of this month"""
        return cast('Plan', self._data('getPlan'))

    def list_rules(self) -> ListRulesData:
        """The reward rules of a bot"""
        return cast('ListRulesData', self._data('listRules'))

    def create_rule(self, body: CreateRuleRequest, *, idempotency_key: str | None = None) -> RuleId:
        """Create a reward rule"""
        return cast('RuleId', self._data('createRule', body=body, idempotency_key=idempotency_key))

    def edit_rule(self, body: EditRuleRequest, *, idempotency_key: str | None = None) -> RuleId:
        """Change a rule: each field that is given. Rewards that were earned keep their amounts"""
        return cast('RuleId', self._data('editRule', body=body, idempotency_key=idempotency_key))

    def get_payout_webhook(self) -> PayoutWebhookSetting:
        """The webhook that payouts of a bot are announced to, without its secret"""
        return cast('PayoutWebhookSetting', self._data('getPayoutWebhook'))

    def set_payout_webhook(self, body: SetWebhookRequest, *, idempotency_key: str | None = None) -> WebhookSecret:
        """Set the address. The first time shows the signing secret. Later addresses keep it"""
        return cast('WebhookSecret', self._data('setPayoutWebhook', body=body, idempotency_key=idempotency_key))

    def rotate_payout_webhook_secret(self, body: NoFields, *, idempotency_key: str | None = None) -> WebhookSecret:
        """Replace the signing secret and show it once. The old one also signs for 24 hours"""
        return cast('WebhookSecret', self._data('rotatePayoutWebhookSecret', body=body, idempotency_key=idempotency_key))

    def list_deliveries(self, *, payout_id: int | None = None, limit: int | None = None, offset: int | None = None) -> ListDeliveriesData:
        """Every attempt to announce a payout of a bot, the latest first"""
        return cast('ListDeliveriesData', self._data('listDeliveries', query={'payout_id': payout_id, 'limit': limit, 'offset': offset}))

    def iterate_deliveries(self, *, payout_id: int | None = None, limit: int | None = None, offset: int | None = None) -> Iterator[Delivery]:
        """Every attempt to announce a payout of a bot, the latest first: all pages"""
        return self._pages('listDeliveries', query={'payout_id': payout_id, 'limit': limit, 'offset': offset}, items='items')

    def redeliver_payout(self, body: RedeliverPayoutRequest, *, idempotency_key: str | None = None) -> PayoutId:
        """Announce a payout now that failed or waits for its next attempt, as `payout retry`"""
        return cast('PayoutId', self._data('redeliverPayout', body=body, idempotency_key=idempotency_key))

    def admin_list_projections(self) -> ReadModelVersions:
        """Every version of every read model: state, lag, error, and what to do next"""
        return cast('ReadModelVersions', self._data('adminListProjections'))

    def admin_switch_projection(self, body: SwitchVersionRequest) -> ChangedVersion:
        """Let a verified version answer; without a version the newest. The log records who and why"""
        return cast('ChangedVersion', self._data('adminSwitchProjection', body=body))

    def admin_change_build(self, body: ChangeBuildRequest) -> ChangedVersion:
        """Pause, resume or limit the build of the newest version. It holds for every instance and command"""
        return cast('ChangedVersion', self._data('adminChangeBuild', body=body))

    def admin_drop_projection(self, body: DropVersionRequest) -> ChangedVersion:
        """Drop a version that does not answer. The log records who and why"""
        return cast('ChangedVersion', self._data('adminDropProjection', body=body))

    def admin_list_dead_letters(self, *, limit: int | None = None, offset: int | None = None) -> DeadLetters:
        """Commits at which a read model stopped, or which it skipped, with their events"""
        return cast('DeadLetters', self._data('adminListDeadLetters', query={'limit': limit, 'offset': offset}))

    def iterate_admin_dead_letters(self, *, limit: int | None = None, offset: int | None = None) -> Iterator[DeadLetter]:
        """Commits at which a read model stopped, or which it skipped, with their events: all pages"""
        return self._pages('adminListDeadLetters', query={'limit': limit, 'offset': offset}, items='items')

    def admin_retry_dead_letter(self, body: RetryDeadLetterRequest) -> DecidedDeadLetter:
        """Apply the commit again. The log records who asked"""
        return cast('DecidedDeadLetter', self._data('adminRetryDeadLetter', body=body))

    def admin_skip_dead_letter(self, body: SkipDeadLetterRequest) -> DecidedDeadLetter:
        """Skip the commit, now and in every replay. The log records who and why"""
        return cast('DecidedDeadLetter', self._data('adminSkipDeadLetter', body=body))

    def admin_list_processes(self) -> AdminListProcessesData:
        """The background processes: lag, error, lease, and the parts of their work that fail"""
        return cast('AdminListProcessesData', self._data('adminListProcesses'))

    def admin_list_bot_errors(self, *, days: int | None = None) -> AdminListBotErrorsData:
        """Bot errors of all bots, grouped by their text, the most frequent first; at most 100 groups"""
        return cast('AdminListBotErrorsData', self._data('adminListBotErrors', query={'days': days}))

    def admin_request_job(self, body: JobRequest, *, idempotency_key: str | None = None) -> RequestedJob:
        """Ask for a rebuild, a verification (a comparison with a replay), or an audit. An instance does it; the log records who and why"""
        return cast('RequestedJob', self._data('adminRequestJob', body=body, idempotency_key=idempotency_key))

    def admin_list_jobs(self, *, limit: int | None = None, offset: int | None = None, kind: JobKind | None = None) -> AdminListJobsData:
        """Jobs, newest first"""
        return cast('AdminListJobsData', self._data('adminListJobs', query={'limit': limit, 'offset': offset, 'kind': kind}))

    def iterate_admin_jobs(self, *, limit: int | None = None, offset: int | None = None, kind: JobKind | None = None) -> Iterator[Job]:
        """Jobs, newest first: all pages"""
        return self._pages('adminListJobs', query={'limit': limit, 'offset': offset, 'kind': kind}, items='items')

    def admin_get_job(self, *, job_id: Uuid) -> Job:
        """A job: its state, progress and result"""
        return cast('Job', self._data('adminGetJob', path={'job_id': job_id}))

    def admin_request_inspection(self, body: InspectionRequest) -> RequestedInspection:
        """Ask for a comparison of two versions, or for the plan of an upgrade. An instance makes it; it changes nothing"""
        return cast('RequestedInspection', self._data('adminRequestInspection', body=body))

    def admin_list_inspections(self) -> AdminListInspectionsData:
        """Inspections without their results, newest first: the open ones, and the last 20 that have ended"""
        return cast('AdminListInspectionsData', self._data('adminListInspections'))

    def admin_get_inspection(self, *, inspection_id: Uuid) -> InspectionWithResult:
        """An inspection: its state, progress and result"""
        return cast('InspectionWithResult', self._data('adminGetInspection', path={'inspection_id': inspection_id}))


class AsyncMethods(AsyncCalls):
    """A method for each call of the service."""

    async def send_target(self, body: TargetEvent | Sequence[TargetEvent], *, report: Literal['unknown_users'] | None = None, receipt: Literal['signed'] | None = None, idempotency_key: str | None = None) -> str | None:
        """Send one target event, or an array of 1 to 100: all are accepted or none. With `receipt` gives the receipt; None: the service keeps nothing of the request"""
        return await self._receipt('sendTarget', body=body, query={'report': report}, header={'receipt': receipt}, idempotency_key=idempotency_key)

    async def send_event(self, body: CustomEvent | Sequence[CustomEvent], *, report: Literal['unknown_users'] | None = None, receipt: Literal['signed'] | None = None, idempotency_key: str | None = None) -> str | None:
        """Send one custom event, or an array of 1 to 1000: all are accepted or none. With `receipt` gives the receipt; None: the service keeps nothing of the request"""
        return await self._receipt('sendEvent', body=body, query={'report': report}, header={'receipt': receipt}, idempotency_key=idempotency_key)

    async def send_update(self, body: ForwardedUpdate, *, receipt: Literal['signed'] | None = None, idempotency_key: str | None = None) -> str | None:
        """Forward one update of the messaging platform. With `receipt` gives the receipt; None: the service keeps nothing of the request"""
        return await self._receipt('sendUpdate', body=body, header={'receipt': receipt}, idempotency_key=idempotency_key)

    async def send_batch_update(self, body: Sequence[ForwardedUpdate], *, receipt: Literal['signed'] | None = None, idempotency_key: str | None = None) -> str | None:
        """Forward 1 to 1000 updates: all are accepted or none. With `receipt` gives the receipt; None: the service keeps nothing of the request"""
        return await self._receipt('sendBatchUpdate', body=body, header={'receipt': receipt}, idempotency_key=idempotency_key)

    async def webhook(self, body: WebhookUpdate, *, bot_public_key: str, secret_token: str) -> None:
        """The platform's webhook: set this URL with the bot's secret token"""
        await self._data('webhook', body=body, path={'bot_public_key': bot_public_key}, header={'x-telegram-bot-api-secret-token': secret_token})

    async def list_bot_errors(self, *, limit: int | None = None, offset: int | None = None, kind: Literal['unknown_user', 'warning', 'property_limit'] | None = None) -> ListBotErrorsData:
        """Events that were accepted and could not be processed as sent, newest first, of the last 90 days"""
        return cast('ListBotErrorsData', await self._data('listBotErrors', query={'limit': limit, 'offset': offset, 'kind': kind}))

    def iterate_bot_errors(self, *, limit: int | None = None, offset: int | None = None, kind: Literal['unknown_user', 'warning', 'property_limit'] | None = None) -> AsyncIterator[BotError]:
        """Events that were accepted and could not be processed as sent, newest first, of the last 90 days: all pages"""
        return self._pages('listBotErrors', query={'limit': limit, 'offset': offset, 'kind': kind}, items='items')

    async def list_latest_events(self, *, limit: int | None = None) -> LatestEvents:
        """The events that were received last, the last one first, as they were counted"""
        return cast('LatestEvents', await self._data('listLatestEvents', query={'limit': limit}))

    async def list_resources(self) -> ListResourcesData:
        """The bots that the key can access, by their resource keys"""
        return cast('ListResourcesData', await self._data('listResources'))

    async def list_report_events(self) -> ListReportEventsData:
        """Events that reports of the bot can count, with the ids that metrics name"""
        return cast('ListReportEventsData', await self._data('listReportEvents'))

    async def list_event_fields(self) -> ListEventFieldsData:
        """The fixed event fields that filters can name: the same for every bot"""
        return cast('ListEventFieldsData', await self._data('listEventFields'))

    async def list_event_properties(self) -> ListEventPropertiesData:
        """The custom properties that events of the bot have, for filters, breakdowns, columns and sums"""
        return cast('ListEventPropertiesData', await self._data('listEventProperties'))

    async def list_user_fields(self) -> ListUserFieldsData:
        """The fields of users that filters and breakdowns can name, with the custom fields and saved segments of the bot"""
        return cast('ListUserFieldsData', await self._data('listUserFields'))

    async def list_utm_labels(self) -> UtmLabels:
        """UTM labels that the bot has seen, each list with the most used first"""
        return cast('UtmLabels', await self._data('listUtmLabels'))

    async def preview_report(self, body: PreviewRequest) -> Report:
        """Run a report without saving it and get its first 10 rows"""
        return cast('Report', await self._data('previewReport', body=body))

    async def run_report(self, body: RunRequest) -> Report:
        """Run a saved report, or one that is not, and get all its rows as JSON or CSV"""
        return cast('Report', await self._data('runReport', body=body))

    async def run_report_csv(self, body: RunRequest) -> str:
        """Run a saved report, or one that is not, and get all its rows as JSON or CSV, as CSV"""
        return await self._csv('runReport', body=body)

    async def list_report_users(self, body: ReportUsersRequest) -> ReportUsers:
        """The users behind a number of a report"""
        return cast('ReportUsers', await self._data('listReportUsers', body=body))

    async def save_report(self, body: SaveRequest, *, idempotency_key: str | None = None) -> SavedReportId:
        """Save a report, or replace a saved one by its uuid"""
        return cast('SavedReportId', await self._data('saveReport', body=body, idempotency_key=idempotency_key))

    async def list_reports(self) -> ListReportsData:
        """Saved reports, newest first: of one bot, or without resource_key of every bot of the key"""
        return cast('ListReportsData', await self._data('listReports'))

    async def get_report(self, *, uuid: str) -> SavedReport:
        """A saved report"""
        return cast('SavedReport', await self._data('getReport', query={'uuid': uuid}))

    async def delete_report(self, body: DeleteReportRequest, *, idempotency_key: str | None = None) -> SavedReportId:
        """Delete a saved report"""
        return cast('SavedReportId', await self._data('deleteReport', body=body, idempotency_key=idempotency_key))

    async def pin_report(self, body: PinReportRequest, *, idempotency_key: str | None = None) -> SavedReportId:
        """Pin a saved report to the dashboard of its bot, or take it off"""
        return cast('SavedReportId', await self._data('pinReport', body=body, idempotency_key=idempotency_key))

    async def count_new_users(self, *, date_from: str, date_to: str) -> NewUsers:
        """How many users of the bot are new, by day"""
        return cast('NewUsers', await self._data('countNewUsers', query={'date_from': date_from, 'date_to': date_to}))

    async def list_users(self, *, search: str | None = None, order: Literal['newest', 'active', 'name'] | None = None, limit: int | None = None, offset: int | None = None) -> BotUsers:
        """The users of the bot, found by name, username or id"""
        return cast('BotUsers', await self._data('listUsers', query={'search': search, 'order': order, 'limit': limit, 'offset': offset}))

    def iterate_users(self, *, search: str | None = None, order: Literal['newest', 'active', 'name'] | None = None, limit: int | None = None, offset: int | None = None) -> AsyncIterator[ReportUser]:
        """The users of the bot, found by name, username or id: all pages"""
        return self._pages('listUsers', query={'search': search, 'order': order, 'limit': limit, 'offset': offset}, items='items')

    async def get_user(self, *, user_id: int) -> BotUser:
        """What the bot knows of a user: profile, custom fields, first visit, who brought them"""
        return cast('BotUser', await self._data('getUser', query={'user_id': user_id}))

    async def list_user_broadcasts(self, *, user_id: int, limit: int | None = None, offset: int | None = None) -> ReceivedBroadcasts:
        """The broadcasts whose audience had a user, the latest first, with the outcome of each for the user"""
        return cast('ReceivedBroadcasts', await self._data('listUserBroadcasts', query={'user_id': user_id, 'limit': limit, 'offset': offset}))

    def iterate_user_broadcasts(self, *, user_id: int, limit: int | None = None, offset: int | None = None) -> AsyncIterator[ReceivedBroadcast]:
        """The broadcasts whose audience had a user, the latest first, with the outcome of each for the user: all pages"""
        return self._pages('listUserBroadcasts', query={'user_id': user_id, 'limit': limit, 'offset': offset}, items='items')

    async def create_broadcast(self, body: CreateBroadcastRequest, *, idempotency_key: str | None = None) -> Broadcast:
        """Create a broadcast; with activate also launch it"""
        return cast('Broadcast', await self._data('createBroadcast', body=body, idempotency_key=idempotency_key))

    async def save_broadcast(self, body: SaveBroadcastRequest, *, idempotency_key: str | None = None) -> Broadcast:
        """Change a draft; any other status is answered unchanged"""
        return cast('Broadcast', await self._data('saveBroadcast', body=body, idempotency_key=idempotency_key))

    async def get_broadcast(self, *, id: int) -> Broadcast:
        """A broadcast: its content, status and statistics"""
        return cast('Broadcast', await self._data('getBroadcast', query={'id': id}))

    async def list_broadcasts(self, *, filters_status: int | None = None, filters_archived: Literal['true', 'false'] | None = None, filters_name: str | None = None, filters_date_create: str | None = None, orders_id: Literal['asc', 'desc'] | None = None, orders_name: Literal['asc', 'desc'] | None = None, orders_status: Literal['asc', 'desc'] | None = None, orders_date_create: Literal['asc', 'desc'] | None = None, orders_date_send: Literal['asc', 'desc'] | None = None, orders_date_finish: Literal['asc', 'desc'] | None = None, orders_running: Literal['asc', 'desc'] | None = None, orders_count_recipients: Literal['asc', 'desc'] | None = None, orders_count_delivered: Literal['asc', 'desc'] | None = None, limit: int | None = None, offset: int | None = None) -> Broadcasts:
        """Broadcasts of the bot, filtered, ordered and paged; the latest first"""
        return cast('Broadcasts', await self._data('listBroadcasts', query={'filters[status]': filters_status, 'filters[archived]': filters_archived, 'filters[name]': filters_name, 'filters[date_create]': filters_date_create, 'orders[id]': orders_id, 'orders[name]': orders_name, 'orders[status]': orders_status, 'orders[date_create]': orders_date_create, 'orders[date_send]': orders_date_send, 'orders[date_finish]': orders_date_finish, 'orders[running]': orders_running, 'orders[count_recipients]': orders_count_recipients, 'orders[count_delivered]': orders_count_delivered, 'limit': limit, 'offset': offset}))

    def iterate_broadcasts(self, *, filters_status: int | None = None, filters_archived: Literal['true', 'false'] | None = None, filters_name: str | None = None, filters_date_create: str | None = None, orders_id: Literal['asc', 'desc'] | None = None, orders_name: Literal['asc', 'desc'] | None = None, orders_status: Literal['asc', 'desc'] | None = None, orders_date_create: Literal['asc', 'desc'] | None = None, orders_date_send: Literal['asc', 'desc'] | None = None, orders_date_finish: Literal['asc', 'desc'] | None = None, orders_running: Literal['asc', 'desc'] | None = None, orders_count_recipients: Literal['asc', 'desc'] | None = None, orders_count_delivered: Literal['asc', 'desc'] | None = None, limit: int | None = None, offset: int | None = None) -> AsyncIterator[Broadcast]:
        """Broadcasts of the bot, filtered, ordered and paged; the latest first: all pages"""
        return self._pages('listBroadcasts', query={'filters[status]': filters_status, 'filters[archived]': filters_archived, 'filters[name]': filters_name, 'filters[date_create]': filters_date_create, 'orders[id]': orders_id, 'orders[name]': orders_name, 'orders[status]': orders_status, 'orders[date_create]': orders_date_create, 'orders[date_send]': orders_date_send, 'orders[date_finish]': orders_date_finish, 'orders[running]': orders_running, 'orders[count_recipients]': orders_count_recipients, 'orders[count_delivered]': orders_count_delivered, 'limit': limit, 'offset': offset}, items='items')

    async def activate_broadcast(self, body: SaveBroadcastRequest, *, idempotency_key: str | None = None) -> Broadcast:
        """Save the given fields and launch. A stopped or failed broadcast continues with recipients not yet attempted"""
        return cast('Broadcast', await self._data('activateBroadcast', body=body, idempotency_key=idempotency_key))

    async def cancel_broadcast(self, body: BroadcastIdRequest, *, idempotency_key: str | None = None) -> Broadcast:
        """Stop a broadcast; one that was not picked up yet becomes a draft again"""
        return cast('Broadcast', await self._data('cancelBroadcast', body=body, idempotency_key=idempotency_key))

    async def archive_broadcast(self, body: ArchiveBroadcastRequest, *, idempotency_key: str | None = None) -> Broadcast:
        """Put a broadcast into the archive, or take it out"""
        return cast('Broadcast', await self._data('archiveBroadcast', body=body, idempotency_key=idempotency_key))

    async def delete_broadcast(self, body: BroadcastIdRequest, *, idempotency_key: str | None = None) -> DeletedBroadcast:
        """Delete a draft"""
        return cast('DeletedBroadcast', await self._data('deleteBroadcast', body=body, idempotency_key=idempotency_key))

    async def upload_segment(self, body: UploadSegmentRequest, *, idempotency_key: str | None = None) -> UploadedSegment:
        """Upload a list of chats for a draft, to be named in its audience as a custom segment"""
        return cast('UploadedSegment', await self._data('uploadSegment', body=body, idempotency_key=idempotency_key))

    async def create_segment_from_report(self, body: SegmentFromReportRequest, *, idempotency_key: str | None = None) -> SegmentFromReport:
        """Freeze the users behind a number of a report as a list, for the audience of a draft"""
        return cast('SegmentFromReport', await self._data('createSegmentFromReport', body=body, idempotency_key=idempotency_key))

    async def list_recipients(self, *, id: int, state: Literal['pending', 'delivered', 'not_delivered', 'cancelled', 'unknown'] | None = None, limit: int | None = None, offset: int | None = None) -> Recipients:
        """The recipients of a broadcast by chat id, and what became of each, as JSON or CSV"""
        return cast('Recipients', await self._data('listRecipients', query={'id': id, 'state': state, 'limit': limit, 'offset': offset}))

    def iterate_recipients(self, *, id: int, state: Literal['pending', 'delivered', 'not_delivered', 'cancelled', 'unknown'] | None = None, limit: int | None = None, offset: int | None = None) -> AsyncIterator[Recipient]:
        """The recipients of a broadcast by chat id, and what became of each, as JSON or CSV: all pages"""
        return self._pages('listRecipients', query={'id': id, 'state': state, 'limit': limit, 'offset': offset}, items='items')

    async def list_recipients_csv(self, *, id: int, state: Literal['pending', 'delivered', 'not_delivered', 'cancelled', 'unknown'] | None = None, raw: bool | None = None, limit: int | None = None, offset: int | None = None) -> str:
        """The recipients of a broadcast by chat id, and what became of each, as JSON or CSV, as CSV"""
        return await self._csv('listRecipients', query={'id': id, 'state': state, 'raw': raw, 'limit': limit, 'offset': offset})

    async def get_broadcast_statistics(self, *, id: int) -> BroadcastStatistics:
        """The recipients of a broadcast by outcome, and its clicks: in total, by variant and by link"""
        return cast('BroadcastStatistics', await self._data('getBroadcastStatistics', query={'id': id}))

    async def count_conversions(self, body: ConversionsRequest) -> BroadcastConversions:
        """How many recipients of a broadcast did something within days of their message, in total and by variant"""
        return cast('BroadcastConversions', await self._data('countConversions', body=body))

    async def list_broadcast_fields(self) -> BroadcastFields:
        """The fields that audiences and templates can name"""
        return cast('BroadcastFields', await self._data('listBroadcastFields'))

    async def count_audience(self, body: AudienceSizeRequest) -> AudienceSize:
        """How many chats an audience has now, with some of them; a launch resolves it again"""
        return cast('AudienceSize', await self._data('countAudience', body=body))

    async def preview_broadcast(self, body: PreviewBroadcastRequest) -> BroadcastPreview:
        """A message as a user would get it, with its entities and its problems"""
        return cast('BroadcastPreview', await self._data('previewBroadcast', body=body))

    async def test_send(self, body: TestSendRequest) -> TestSendOutcome:
        """Send a message to one chat at once; it counts nowhere"""
        return cast('TestSendOutcome', await self._data('testSend', body=body))

    async def save_segment(self, body: SaveSegmentRequest, *, idempotency_key: str | None = None) -> SavedSegmentId:
        """Save a segment: a name and conditions; or replace a saved one by its id"""
        return cast('SavedSegmentId', await self._data('saveSegment', body=body, idempotency_key=idempotency_key))

    async def list_saved_segments(self) -> ListSavedSegmentsData:
        """The saved segments of the bot, newest first"""
        return cast('ListSavedSegmentsData', await self._data('listSavedSegments'))

    async def get_saved_segment(self, *, saved_segment_id: int) -> SavedSegment:
        """A saved segment"""
        return cast('SavedSegment', await self._data('getSavedSegment', query={'saved_segment_id': saved_segment_id}))

    async def delete_saved_segment(self, body: DeleteSavedSegmentRequest, *, idempotency_key: str | None = None) -> SavedSegmentId:
        """Delete a saved segment, unless a scheduled broadcast uses it"""
        return cast('SavedSegmentId', await self._data('deleteSavedSegment', body=body, idempotency_key=idempotency_key))

    async def create_referral_code(self, body: UserRequest, *, idempotency_key: str | None = None) -> CreatedCode:
        """A new referral code of a user; old ones stay valid"""
        return cast('CreatedCode', await self._data('createReferralCode', body=body, idempotency_key=idempotency_key))

    async def create_referral_code_by_get(self, *, user_id: int, idempotency_key: str | None = None) -> CreatedCode:
        """The same by GET: each request makes a new code"""
        return cast('CreatedCode', await self._data('createReferralCodeByGet', query={'user_id': user_id}, idempotency_key=idempotency_key))

    async def set_code_owners(self, body: Sequence[CodeOwner], *, idempotency_key: str | None = None) -> CodeOwnerships:
        """Say whose codes are; past visits by them count for their owners"""
        return cast('CodeOwnerships', await self._data('setCodeOwners', body=body, idempotency_key=idempotency_key))

    async def list_referral_codes(self, *, user_id: int) -> ReferralCodes:
        """A user's codes, newest first, and the number of the user's referrals"""
        return cast('ReferralCodes', await self._data('listReferralCodes', query={'user_id': user_id}))

    async def list_referrals(self, *, user_id: int, limit: int | None = None, offset: int | None = None) -> Referrals:
        """The users that a user referred, newest first"""
        return cast('Referrals', await self._data('listReferrals', query={'user_id': user_id, 'limit': limit, 'offset': offset}))

    def iterate_referrals(self, *, user_id: int, limit: int | None = None, offset: int | None = None) -> AsyncIterator[Referral]:
        """The users that a user referred, newest first: all pages"""
        return self._pages('listReferrals', query={'user_id': user_id, 'limit': limit, 'offset': offset}, items='referrals')

    async def mark_referral(self, body: MarkReferralRequest, *, idempotency_key: str | None = None) -> Attribution:
        """Mark a user as referred, by a code or by the referrer; who has a referrer keeps that one"""
        return cast('Attribution', await self._data('markReferral', body=body, idempotency_key=idempotency_key))

    async def get_referral_balance(self, *, user_id: int, at: str | None = None) -> Balances:
        """A referrer's balance, a row for each unit with any accrual"""
        return cast('Balances', await self._data('getReferralBalance', query={'user_id': user_id, 'at': at}))

    async def request_referral_payout(self, body: PayoutRequest, *, idempotency_key: str | None = None) -> RequestedPayouts:
        """Request a payout of all that is available, one for each unit"""
        return cast('RequestedPayouts', await self._data('requestReferralPayout', body=body, idempotency_key=idempotency_key))

    async def list_referral_payouts(self, *, user_id: int, limit: int | None = None, offset: int | None = None) -> Payouts:
        """A referrer's payouts, newest first"""
        return cast('Payouts', await self._data('listReferralPayouts', query={'user_id': user_id, 'limit': limit, 'offset': offset}))

    def iterate_referral_payouts(self, *, user_id: int, limit: int | None = None, offset: int | None = None) -> AsyncIterator[Payout]:
        """A referrer's payouts, newest first: all pages"""
        return self._pages('listReferralPayouts', query={'user_id': user_id, 'limit': limit, 'offset': offset}, items='payouts')

    async def confirm_referral_payout(self, body: ChangePayoutRequest, *, idempotency_key: str | None = None) -> ChangedPayout:
        """Record that a manual payout, or one that the client accepted, was paid"""
        return cast('ChangedPayout', await self._data('confirmReferralPayout', body=body, idempotency_key=idempotency_key))

    async def fail_referral_payout(self, body: FailPayoutRequest, *, idempotency_key: str | None = None) -> ChangedPayout:
        """Record that a payout that the client accepted was not paid"""
        return cast('ChangedPayout', await self._data('failReferralPayout', body=body, idempotency_key=idempotency_key))

    async def cancel_referral_payout(self, body: CancelPayoutRequest, *, idempotency_key: str | None = None) -> ChangedPayout:
        """Cancel a new or failed payout. Its amount returns to the balance"""
        return cast('ChangedPayout', await self._data('cancelReferralPayout', body=body, idempotency_key=idempotency_key))

    async def retry_referral_payout(self, body: ChangePayoutRequest, *, idempotency_key: str | None = None) -> ChangedPayout:
        """Announce a payout now that failed or waits for its next attempt"""
        return cast('ChangedPayout', await self._data('retryReferralPayout', body=body, idempotency_key=idempotency_key))

    async def reverse_referral_accrual(self, body: ReverseAccrualRequest, *, idempotency_key: str | None = None) -> Reversal:
        """Cancel an accrual; one that was paid is made good by one of the opposite amount"""
        return cast('Reversal', await self._data('reverseReferralAccrual', body=body, idempotency_key=idempotency_key))

    async def list_referral_accruals(self, *, user_id: int, limit: int | None = None, offset: int | None = None) -> Accruals:
        """A referrer's accruals, newest first"""
        return cast('Accruals', await self._data('listReferralAccruals', query={'user_id': user_id, 'limit': limit, 'offset': offset}))

    def iterate_referral_accruals(self, *, user_id: int, limit: int | None = None, offset: int | None = None) -> AsyncIterator[Accrual]:
        """A referrer's accruals, newest first: all pages"""
        return self._pages('listReferralAccruals', query={'user_id': user_id, 'limit': limit, 'offset': offset}, items='accruals')

    async def list_referral_rates(self, *, user_id: int) -> RewardRates:
        """What each active rule of the bot earns a referrer: the rate that was locked, else the rule's"""
        return cast('RewardRates', await self._data('listReferralRates', query={'user_id': user_id}))

    async def list_referral_history(self, *, user_id: int, limit: int | None = None, offset: int | None = None, unit_id: str | None = None, at: str | None = None, order: Literal['asc', 'desc'] | None = None) -> BalanceHistory:
        """The changes of a referrer's balances, each row with the balance after it"""
        return cast('BalanceHistory', await self._data('listReferralHistory', query={'user_id': user_id, 'limit': limit, 'offset': offset, 'unit_id': unit_id, 'at': at, 'order': order}))

    def iterate_referral_history(self, *, user_id: int, limit: int | None = None, offset: int | None = None, unit_id: str | None = None, at: str | None = None, order: Literal['asc', 'desc'] | None = None) -> AsyncIterator[BalanceChange]:
        """The changes of a referrer's balances, each row with the balance after it: all pages"""
        return self._pages('listReferralHistory', query={'user_id': user_id, 'limit': limit, 'offset': offset, 'unit_id': unit_id, 'at': at, 'order': order}, items='history')

    async def list_referrers(self, *, order: Literal['referrals', 'balance', 'earned', 'paid'] | None = None, unit_id: str | None = None, user_id: int | None = None, search: str | None = None, limit: int | None = None, offset: int | None = None) -> Referrers:
        """The bot's referrers with their balances, by referrals or by an amount of a unit"""
        return cast('Referrers', await self._data('listReferrers', query={'order': order, 'unit_id': unit_id, 'user_id': user_id, 'search': search, 'limit': limit, 'offset': offset}))

    def iterate_referrers(self, *, order: Literal['referrals', 'balance', 'earned', 'paid'] | None = None, unit_id: str | None = None, user_id: int | None = None, search: str | None = None, limit: int | None = None, offset: int | None = None) -> AsyncIterator[Referrer]:
        """The bot's referrers with their balances, by referrals or by an amount of a unit: all pages"""
        return self._pages('listReferrers', query={'order': order, 'unit_id': unit_id, 'user_id': user_id, 'search': search, 'limit': limit, 'offset': offset}, items='referrers')

    async def list_all_referral_payouts(self, *, user_id: int | None = None, status: Literal[0, 1, 2, 3, 4] | None = None, payout_id: int | None = None, unit_id: str | None = None, search: str | None = None, order: Literal['newest', 'oldest', 'largest'] | None = None, limit: int | None = None, offset: int | None = None) -> DetailedPayouts:
        """The payouts of all referrers, each with its webhook deliveries"""
        return cast('DetailedPayouts', await self._data('listAllReferralPayouts', query={'user_id': user_id, 'status': status, 'payout_id': payout_id, 'unit_id': unit_id, 'search': search, 'order': order, 'limit': limit, 'offset': offset}))

    def iterate_all_referral_payouts(self, *, user_id: int | None = None, status: Literal[0, 1, 2, 3, 4] | None = None, payout_id: int | None = None, unit_id: str | None = None, search: str | None = None, order: Literal['newest', 'oldest', 'largest'] | None = None, limit: int | None = None, offset: int | None = None) -> AsyncIterator[DetailedPayout]:
        """The payouts of all referrers, each with its webhook deliveries: all pages"""
        return self._pages('listAllReferralPayouts', query={'user_id': user_id, 'status': status, 'payout_id': payout_id, 'unit_id': unit_id, 'search': search, 'order': order, 'limit': limit, 'offset': offset}, items='payouts')

    async def get_referral_totals(self) -> ReferralTotals:
        """The steps of the program from visits by a link to rewards, and the amounts of all accounts"""
        return cast('ReferralTotals', await self._data('getReferralTotals'))

    async def list_referral_entries(self, *, user_id: int, limit: int | None = None, offset: int | None = None, payout_id: int | None = None, accrual_id: str | None = None) -> DetailedAccruals:
        """Every accrual of an account, also reversed ones, with the payout that claims it"""
        return cast('DetailedAccruals', await self._data('listReferralEntries', query={'user_id': user_id, 'limit': limit, 'offset': offset, 'payout_id': payout_id, 'accrual_id': accrual_id}))

    def iterate_referral_entries(self, *, user_id: int, limit: int | None = None, offset: int | None = None, payout_id: int | None = None, accrual_id: str | None = None) -> AsyncIterator[DetailedAccrual]:
        """Every accrual of an account, also reversed ones, with the payout that claims it: all pages"""
        return self._pages('listReferralEntries', query={'user_id': user_id, 'limit': limit, 'offset': offset, 'payout_id': payout_id, 'accrual_id': accrual_id}, items='entries')

    async def get_referral_chain(self, *, user_id: int, position: int | None = None, hash: str | None = None, limit: int | None = None) -> AccountChain:
        """The commits of an account's stream with their hashes, oldest first"""
        return cast('AccountChain', await self._data('getReferralChain', query={'user_id': user_id, 'position': position, 'hash': hash, 'limit': limit}))

    async def get_referral_proof(self, *, user_id: int, at: str | None = None, with_events: Literal['true', 'false'] | None = None) -> ProofFile:
        """A proof of a referrer's balance, which anybody checks without the service"""
        return cast('ProofFile', await self._data('getReferralProof', query={'user_id': user_id, 'at': at, 'with_events': with_events}))

    async def get_referral_program(self) -> ReferralProgram:
        """The bot's reward rules, and the units of its amounts"""
        return cast('ReferralProgram', await self._data('getReferralProgram'))

    async def list_bot_settings(self) -> ListBotSettingsData:
        """The bots of the key, with their settings"""
        return cast('ListBotSettingsData', await self._data('listBotSettings'))

    async def create_bot(self, body: CreateBotRequest, *, idempotency_key: str | None = None) -> BotSecret:
        """Create a bot, with a key for all bots. Shows the secret of its platform webhook once"""
        return cast('BotSecret', await self._data('createBot', body=body, idempotency_key=idempotency_key))

    async def set_bot(self, body: SetBotRequest, *, idempotency_key: str | None = None) -> ResourceKey:
        """Change a bot's settings: each field that is given"""
        return cast('ResourceKey', await self._data('setBot', body=body, idempotency_key=idempotency_key))

    async def rotate_bot_webhook_secret(self, body: NoFields, *, idempotency_key: str | None = None) -> BotSecret:
        """Replace the secret of the platform's webhook, and show the new one once"""
        return cast('BotSecret', await self._data('rotateBotWebhookSecret', body=body, idempotency_key=idempotency_key))

    async def list_keys(self, *, limit: int | None = None, offset: int | None = None) -> ListKeysData:
        """The keys within the reach of the key, the latest first, with their last use"""
        return cast('ListKeysData', await self._data('listKeys', query={'limit': limit, 'offset': offset}))

    def iterate_keys(self, *, limit: int | None = None, offset: int | None = None) -> AsyncIterator[Key]:
        """The keys within the reach of the key, the latest first, with their last use: all pages"""
        return self._pages('listKeys', query={'limit': limit, 'offset': offset}, items='items')

    async def issue_key(self, body: IssueKeyRequest, *, idempotency_key: str | None = None) -> IssuedKey:
        """Issue a key of kind personal or service. Its value is shown once"""
        return cast('IssuedKey', await self._data('issueKey', body=body, idempotency_key=idempotency_key))

    async def rotate_key(self, body: RotateKeyRequest, *, idempotency_key: str | None = None) -> IssuedKey:
        """Issue a key in the place of another. The old key works until the overlap ends. The new value is shown once"""
        return cast('IssuedKey', await self._data('rotateKey', body=body, idempotency_key=idempotency_key))

    async def revoke_key(self, body: RevokeKeyRequest, *, idempotency_key: str | None = None) -> KeyId:
        """Revoke another key than the one of the request, and the keys that it made by rotating itself, within 2 s"""
        return cast('KeyId', await self._data('revokeKey', body=body, idempotency_key=idempotency_key))

    async def list_goals(self) -> ListGoalsData:
        """The goals of a bot, Sale included"""
        return cast('ListGoalsData', await self._data('listGoals'))

    async def create_goal(self, body: CreateGoalRequest, *, idempotency_key: str | None = None) -> GoalId:
        """Create a goal. send-target names it by its target_id"""
        return cast('GoalId', await self._data('createGoal', body=body, idempotency_key=idempotency_key))

    async def list_units(self) -> ListUnitsData:
        """The units of a bot"""
        return cast('ListUnitsData', await self._data('listUnits'))

    async def create_unit(self, body: CreateUnitRequest, *, idempotency_key: str | None = None) -> UnitId:
        """Create a unit. Currencies of ISO 4217 and XTR need none"""
        return cast('UnitId', await self._data('createUnit', body=body, idempotency_key=idempotency_key))

    async def list_exchange_rates(self, *, from_: str | None = None, to: str | None = None, limit: int | None = None, offset: int | None = None) -> ListExchangeRatesData:
        """The exchange rates. An operator sets them for all owners"""
        return cast('ListExchangeRatesData', await self._data('listExchangeRates', query={'from': from_, 'to': to, 'limit': limit, 'offset': offset}))

    def iterate_exchange_rates(self, *, from_: str | None = None, to: str | None = None, limit: int | None = None, offset: int | None = None) -> AsyncIterator[ExchangeRate]:
        """The exchange rates. An operator sets them for all owners: all pages"""
        return self._pages('listExchangeRates', query={'from': from_, 'to': to, 'limit': limit, 'offset': offset}, items='items')

    async def describe_event(self, body: DescribeEventBody, *, idempotency_key: str | None = None) -> EventId:
        """Give an event a title and a description for people, or hide it from pickers"""
        return cast('EventId', await self._data('describeEvent', body=body, idempotency_key=idempotency_key))

    async def get_plan(self) -> Plan:
        """The owner's plan, report currency, and the broadcasts of this month"""
        return cast('Plan', await self._data('getPlan'))

    async def list_rules(self) -> ListRulesData:
        """The reward rules of a bot"""
        return cast('ListRulesData', await self._data('listRules'))

    async def create_rule(self, body: CreateRuleRequest, *, idempotency_key: str | None = None) -> RuleId:
        """Create a reward rule"""
        return cast('RuleId', await self._data('createRule', body=body, idempotency_key=idempotency_key))

    async def edit_rule(self, body: EditRuleRequest, *, idempotency_key: str | None = None) -> RuleId:
        """Change a rule: each field that is given. Rewards that were earned keep their amounts"""
        return cast('RuleId', await self._data('editRule', body=body, idempotency_key=idempotency_key))

    async def get_payout_webhook(self) -> PayoutWebhookSetting:
        """The webhook that payouts of a bot are announced to, without its secret"""
        return cast('PayoutWebhookSetting', await self._data('getPayoutWebhook'))

    async def set_payout_webhook(self, body: SetWebhookRequest, *, idempotency_key: str | None = None) -> WebhookSecret:
        """Set the address. The first time shows the signing secret. Later addresses keep it"""
        return cast('WebhookSecret', await self._data('setPayoutWebhook', body=body, idempotency_key=idempotency_key))

    async def rotate_payout_webhook_secret(self, body: NoFields, *, idempotency_key: str | None = None) -> WebhookSecret:
        """Replace the signing secret and show it once. The old one also signs for 24 hours"""
        return cast('WebhookSecret', await self._data('rotatePayoutWebhookSecret', body=body, idempotency_key=idempotency_key))

    async def list_deliveries(self, *, payout_id: int | None = None, limit: int | None = None, offset: int | None = None) -> ListDeliveriesData:
        """Every attempt to announce a payout of a bot, the latest first"""
        return cast('ListDeliveriesData', await self._data('listDeliveries', query={'payout_id': payout_id, 'limit': limit, 'offset': offset}))

    def iterate_deliveries(self, *, payout_id: int | None = None, limit: int | None = None, offset: int | None = None) -> AsyncIterator[Delivery]:
        """Every attempt to announce a payout of a bot, the latest first: all pages"""
        return self._pages('listDeliveries', query={'payout_id': payout_id, 'limit': limit, 'offset': offset}, items='items')

    async def redeliver_payout(self, body: RedeliverPayoutRequest, *, idempotency_key: str | None = None) -> PayoutId:
        """Announce a payout now that failed or waits for its next attempt, as `payout retry`"""
        return cast('PayoutId', await self._data('redeliverPayout', body=body, idempotency_key=idempotency_key))

    async def admin_list_projections(self) -> ReadModelVersions:
        """Every version of every read model: state, lag, error, and what to do next"""
        return cast('ReadModelVersions', await self._data('adminListProjections'))

    async def admin_switch_projection(self, body: SwitchVersionRequest) -> ChangedVersion:
        """Let a verified version answer; without a version the newest. The log records who and why"""
        return cast('ChangedVersion', await self._data('adminSwitchProjection', body=body))

    async def admin_change_build(self, body: ChangeBuildRequest) -> ChangedVersion:
        """Pause, resume or limit the build of the newest version. It holds for every instance and command"""
        return cast('ChangedVersion', await self._data('adminChangeBuild', body=body))

    async def admin_drop_projection(self, body: DropVersionRequest) -> ChangedVersion:
        """Drop a version that does not answer. The log records who and why"""
        return cast('ChangedVersion', await self._data('adminDropProjection', body=body))

    async def admin_list_dead_letters(self, *, limit: int | None = None, offset: int | None = None) -> DeadLetters:
        """Commits at which a read model stopped, or which it skipped, with their events"""
        return cast('DeadLetters', await self._data('adminListDeadLetters', query={'limit': limit, 'offset': offset}))

    def iterate_admin_dead_letters(self, *, limit: int | None = None, offset: int | None = None) -> AsyncIterator[DeadLetter]:
        """Commits at which a read model stopped, or which it skipped, with their events: all pages"""
        return self._pages('adminListDeadLetters', query={'limit': limit, 'offset': offset}, items='items')

    async def admin_retry_dead_letter(self, body: RetryDeadLetterRequest) -> DecidedDeadLetter:
        """Apply the commit again. The log records who asked"""
        return cast('DecidedDeadLetter', await self._data('adminRetryDeadLetter', body=body))

    async def admin_skip_dead_letter(self, body: SkipDeadLetterRequest) -> DecidedDeadLetter:
        """Skip the commit, now and in every replay. The log records who and why"""
        return cast('DecidedDeadLetter', await self._data('adminSkipDeadLetter', body=body))

    async def admin_list_processes(self) -> AdminListProcessesData:
        """The background processes: lag, error, lease, and the parts of their work that fail"""
        return cast('AdminListProcessesData', await self._data('adminListProcesses'))

    async def admin_list_bot_errors(self, *, days: int | None = None) -> AdminListBotErrorsData:
        """Bot errors of all bots, grouped by their text, the most frequent first; at most 100 groups"""
        return cast('AdminListBotErrorsData', await self._data('adminListBotErrors', query={'days': days}))

    async def admin_request_job(self, body: JobRequest, *, idempotency_key: str | None = None) -> RequestedJob:
        """Ask for a rebuild, a verification (a comparison with a replay), or an audit. An instance does it; the log records who and why"""
        return cast('RequestedJob', await self._data('adminRequestJob', body=body, idempotency_key=idempotency_key))

    async def admin_list_jobs(self, *, limit: int | None = None, offset: int | None = None, kind: JobKind | None = None) -> AdminListJobsData:
        """Jobs, newest first"""
        return cast('AdminListJobsData', await self._data('adminListJobs', query={'limit': limit, 'offset': offset, 'kind': kind}))

    def iterate_admin_jobs(self, *, limit: int | None = None, offset: int | None = None, kind: JobKind | None = None) -> AsyncIterator[Job]:
        """Jobs, newest first: all pages"""
        return self._pages('adminListJobs', query={'limit': limit, 'offset': offset, 'kind': kind}, items='items')

    async def admin_get_job(self, *, job_id: Uuid) -> Job:
        """A job: its state, progress and result"""
        return cast('Job', await self._data('adminGetJob', path={'job_id': job_id}))

    async def admin_request_inspection(self, body: InspectionRequest) -> RequestedInspection:
        """Ask for a comparison of two versions, or for the plan of an upgrade. An instance makes it; it changes nothing"""
        return cast('RequestedInspection', await self._data('adminRequestInspection', body=body))

    async def admin_list_inspections(self) -> AdminListInspectionsData:
        """Inspections without their results, newest first: the open ones, and the last 20 that have ended"""
        return cast('AdminListInspectionsData', await self._data('adminListInspections'))

    async def admin_get_inspection(self, *, inspection_id: Uuid) -> InspectionWithResult:
        """An inspection: its state, progress and result"""
        return cast('InspectionWithResult', await self._data('adminGetInspection', path={'inspection_id': inspection_id}))
