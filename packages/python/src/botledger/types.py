"""Made by generate.py from openapi.json. Do not edit."""

# SHA-256 of openapi.json: b515e8ab5ec76da9d7b9c0ced70efa8af1180bd07588c22bc8b9d39d10b634cc

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal

from typing_extensions import NotRequired, TypeAlias, TypedDict


class TargetEvent(TypedDict):
    target_id: int
    """Id of a goal of the bot; 1 is Sale"""
    user_id: int
    date: NotRequired[str | None]
    """Default: the time of receipt"""
    value: NotRequired[Decimal | int | str | None]
    """Total price, in normal units"""
    unit: NotRequired[str | None]
    """Currency; required with a value"""
    event_key: NotRequired[str | None]
    """The same key of a bot counts once, forever"""
    properties: NotRequired[Mapping[str, str | Decimal | int | str | bool | None] | None]
    """Custom properties, at most 50: reports name them events.properties.<name>"""


class CustomEvent(TypedDict):
    event: str
    """Name of the event"""
    user_id: int
    """Platform id of the acting user"""
    value_num: NotRequired[Decimal | int | str | None]
    """Amount or count; with a unit, in its smallest parts"""
    unit: NotRequired[str | None]
    """Unit of value_num"""
    value_str: NotRequired[str | None]
    category: NotRequired[str | None]
    webapp_name: NotRequired[str | None]
    date: NotRequired[str | None]
    """Default: the time of receipt"""
    event_key: NotRequired[str | None]
    """The same key of a bot counts once, forever"""
    properties: NotRequired[Mapping[str, str | Decimal | int | str | bool | None] | None]
    """Custom properties, at most 50: reports name them events.properties.<name>"""


class ForwardedUpdate(TypedDict):
    date: NotRequired[str | None]
    """For updates without a date, such as callbacks. Default: the time of receipt"""
    update: Update


Update: TypeAlias = 'Mapping[str, Any]'


WebhookUpdate: TypeAlias = 'Mapping[str, Any]'


class BotError(TypedDict):
    id: str
    date: UtcTimestamp
    source: Literal['send-target', 'send-event', 'send-update']
    kind: Literal['unknown_user', 'warning', 'property_limit']
    message: str
    payload: Any
    resolved_at: UtcTimestamp | None


UtcTimestamp: TypeAlias = 'str'


class ListBotErrorsData(TypedDict):
    items: list[BotError]


class LatestEvents(TypedDict):
    items: list[LatestEvent]
    data_as_of: Timestamp


class LatestEvent(TypedDict):
    id: str
    date: Timestamp
    date_received: Timestamp
    user_id: int
    first_name: str | None
    """Null: not known, or erased. So are the other names"""
    last_name: str | None
    username: str | None
    event_type_id: int
    event_name: str
    value_int: Decimal | int | None
    value_amount: Decimal | int | None
    unit: str | None
    value_str: str | None
    category: str | None
    webapp_name: str | None
    utm_source: str | None
    utm_medium: str | None
    utm_campaign: str | None
    utm_term: str | None
    utm_content: str | None
    event_key: str | None
    properties: dict[str, Any]


Timestamp: TypeAlias = 'str'


class Resource(TypedDict):
    resource_key: str
    """What Resource-Key or resource_key name"""
    name: str
    username: str | None
    timezone: str
    """IANA name"""


class ListResourcesData(TypedDict):
    items: list[Resource]


class ReportEvent(TypedDict):
    event_id: int
    name: str
    kind: Literal['system', 'target', 'custom']
    target_id: NotRequired[int]
    first_seen: Timestamp | None
    last_seen: Timestamp | None
    count: int
    title: str | None
    """The words for people in place of the name; null: the name"""
    description: str | None
    hidden: bool
    """Pickers leave it out"""


class ListReportEventsData(TypedDict):
    items: list[ReportEvent]


class EventField(TypedDict):
    name: str
    type: Literal['number', 'string', 'date']
    operators: list[str]
    separator: bool
    """Whether a report may be broken down by it"""


class ListEventFieldsData(TypedDict):
    items: list[EventField]


class EventProperty(TypedDict):
    name: str
    """events.properties.<name>"""
    type: Literal['dynamic']
    """Each value has its own type"""
    types: list[Literal['string', 'number', 'boolean']]
    """The types that values came with"""
    operators: list[str]
    separator: Literal[True]
    """A report may be broken down by it"""


class ListEventPropertiesData(TypedDict):
    items: list[EventProperty]


class UserField(TypedDict):
    name: str
    type: Literal['number', 'string', 'date', 'boolean', 'dynamic']
    """dynamic: each value has its own type"""
    operators: list[str]
    separator: bool
    """Whether a report may be broken down by it"""
    label: NotRequired[str]
    """Of a saved segment: its name"""


class ListUserFieldsData(TypedDict):
    items: list[UserField]


class UtmLabels(TypedDict):
    sources: list[str]
    """The most used first"""
    mediums: list[str]
    """The most used first"""
    campaigns: list[str]
    """The most used first"""
    terms: list[str]
    """The most used first"""
    contents: list[str]
    """The most used first"""


class PreviewRequest(TypedDict):
    resource_key: NotRequired[str]
    report_config: ReportConfig


ReportConfig: TypeAlias = 'Mapping[str, Any]'


class Report(TypedDict):
    columns: list[Column]
    rows: list[Cells]
    meta: ReportMeta


class Column(TypedDict):
    key: str
    label: str
    type: Literal['date', 'number', 'string', 'boolean']
    metric: NotRequired[int]
    """Of a chart's line: index of its request"""
    total: NotRequired[Decimal | int | None]
    """Of a chart's line: the measure over the whole period"""
    breakdown: NotRequired[Cells]
    """Of a chart's line: its combination, if broken down"""
    other: NotRequired[bool]
    """The line of all combinations without a line"""


Cells: TypeAlias = 'dict[str, str | Decimal | int | bool | None]'


class ReportMeta(TypedDict):
    timezone: str
    date_from: Timestamp
    date_to: Timestamp
    rows_total: int
    """Rows of the whole report"""
    rows_matching: NotRequired[int]
    """Of a list: rows that there would be without limit and offset"""
    truncated: bool
    """This answer has fewer"""
    data_as_of: Timestamp
    """What was received up to then has been counted"""
    lag_ms: int
    warnings: list[FieldWarning]


class FieldWarning(TypedDict):
    path: str
    """Of the value in the request"""
    message: str


class RunRequest(TypedDict):
    resource_key: NotRequired[str]
    """Not needed with a uuid"""
    uuid: NotRequired[Uuid | None]
    """A saved report; or a report_config, not both"""
    report_config: NotRequired[ReportConfig | None]
    params: NotRequired[ReportParams | None]
    """Another period than the one that was saved"""
    format: NotRequired[Literal['json', 'csv'] | None]
    """Default json; csv is text/csv with the labels as its header"""
    raw: NotRequired[bool | None]
    """For csv: true keeps texts as they are, for programs; by default a text that a spreadsheet reads as a formula gets an apostrophe"""


Uuid: TypeAlias = 'str'


ReportParams: TypeAlias = 'Mapping[str, Any]'


class ReportUsersRequest(TypedDict):
    resource_key: NotRequired[str]
    """Not needed with a uuid"""
    uuid: NotRequired[Uuid | None]
    """A saved report; or a report_config, not both"""
    report_config: NotRequired[ReportConfig | None]
    params: NotRequired[ReportParams | None]
    """Another period than the one that was saved"""
    cell: NotRequired[ReportCell | None]
    limit: NotRequired[int | None]
    """Default 50"""
    offset: NotRequired[int | None]
    """Default 0"""


ReportCell: TypeAlias = 'SeriesCell | StepCell | CohortCell | ListCell'


class SeriesCell(TypedDict):
    series: int
    """The index of the request"""
    bucket: NotRequired[Timestamp | None]
    """The date of a row; without it, the whole period"""
    breakdown: NotRequired[Breakdown | None]
    """Of a report with a breakdown: the values of the row or line"""
    other: NotRequired[bool | None]
    """The line of all other combinations"""


Breakdown: TypeAlias = 'Mapping[str, str | Decimal | int | str | bool | None]'


class StepCell(TypedDict):
    step: int
    kind: Literal['reached', 'dropped', 'in_progress']
    breakdown: NotRequired[Breakdown | None]
    """Of a report with a breakdown: the values of the row or line"""
    other: NotRequired[bool | None]
    """The line of all other combinations"""


class CohortCell(TypedDict):
    cohort: Timestamp
    interval: NotRequired[int | None]
    """Who returned in it; without it, all members of the cohort"""
    breakdown: NotRequired[Breakdown | None]
    """Of a report with a breakdown: the values of the row or line"""
    other: NotRequired[bool | None]
    """The line of all other combinations"""


class ListCell(TypedDict):
    """Of a list: the users of its rows"""


class ReportUsers(TypedDict):
    count: int
    """Users of the cell; without limit and offset"""
    users: list[ReportUser]
    data_as_of: Timestamp
    """What was received up to then has been counted"""


class ReportUser(TypedDict):
    user_id: int
    first_name: str | None
    last_name: str | None
    username: str | None
    language_code: str | None
    user_status: Literal['active', 'blocked', 'deactivated'] | None
    """Null: not known, or erased"""
    date_create: Timestamp | None
    date_last_active: Timestamp | None


class SaveRequest(TypedDict):
    resource_key: NotRequired[str]
    name: str
    """1 to 250 characters"""
    report_config: ReportConfig
    uuid: NotRequired[Uuid | None]
    """The saved report to replace; without one, a new report is saved"""


class SavedReportId(TypedDict):
    uuid: Uuid
    """Of a saved report"""


class SavedReport(TypedDict):
    uuid: Uuid
    """Of a saved report"""
    name: str
    resource_key: str
    """Of its bot"""
    report_config: SavedReportConfig
    date_create: Timestamp
    pinned: bool
    """Whether it is on the dashboard of its bot"""


SavedReportConfig: TypeAlias = 'dict[str, Any]'


class ListReportsData(TypedDict):
    items: list[SavedReport]


class DeleteReportRequest(TypedDict):
    uuid: Uuid
    """Of a saved report"""


class PinReportRequest(TypedDict):
    uuid: Uuid
    """Of a saved report"""
    pinned: bool
    """Whether it is on the dashboard of its bot"""


class NewUsers(TypedDict):
    days: list[NewUsersOfDay]
    total: int
    data_as_of: Timestamp
    """What was received up to then has been counted"""


class NewUsersOfDay(TypedDict):
    date: Timestamp
    """The start of the day"""
    users: int


class BotUsers(TypedDict):
    items: list[ReportUser]
    total: int
    """Without limit and offset"""
    data_as_of: Timestamp
    """What was received up to then has been counted"""


class BotUser(TypedDict):
    user_id: int
    first_name: str | None
    last_name: str | None
    username: str | None
    language_code: str | None
    user_status: Literal['active', 'blocked', 'deactivated'] | None
    """Null: not known, or erased"""
    date_create: Timestamp | None
    date_last_active: Timestamp | None
    is_premium: bool | None
    gender: str | None
    timezone: str | None
    custom_fields: dict[str, Any]
    addition_fields: dict[str, str]
    """Of the first visit: start_param and utm_*"""
    referral: BotUserReferral | None
    """Who brought the user"""
    referrals: int
    """Users that they brought"""
    erased: bool
    """Whether the personal data were erased"""
    data_as_of: Timestamp
    """What was received up to then has been counted"""


class BotUserReferral(TypedDict):
    referrer_id: int
    code: str | None
    date: Timestamp


class ReceivedBroadcasts(TypedDict):
    items: list[ReceivedBroadcast]
    data_as_of: Timestamp
    """What was received up to then has been counted"""


class ReceivedBroadcast(TypedDict):
    broadcast_id: int
    name: str | None
    state: Literal['pending', 'delivered', 'not_delivered', 'cancelled', 'unknown']
    reason: str | None
    """Why it was not delivered"""
    date: Timestamp | None
    """Of the outcome; null: there is none yet"""
    clicks: int
    """Clicks of the user on its tracked links"""
    first_click: Timestamp | None


class CreateBroadcastRequest(TypedDict):
    resource_key: NotRequired[str]
    type: MessageType
    name: NotRequired[str | None]
    """For the owner, 1 to 250 characters"""
    segmentations: NotRequired[Segmentations | None]
    message: NotRequired[Message | None]
    variants: NotRequired[Sequence[Variant] | None]
    settings: NotRequired[BroadcastSettings | None]
    date_send: NotRequired[LocalTime | None]
    """In the bot's time zone; null: at once when it is activated"""
    activate: NotRequired[bool | None]
    """Also launch the broadcast"""


MessageType: TypeAlias = "Literal['sendMessage', 'sendPhoto', 'sendVideo', 'sendDocument', 'sendAnimation', 'sendAudio', 'sendVoice', 'sendMediaGroup']"


class Segmentations(TypedDict):
    """All of include without exclude"""
    include: NotRequired[Sequence[Segment]]
    exclude: NotRequired[Sequence[Segment]]


Segment: TypeAlias = 'Mapping[str, Any]'


Message: TypeAlias = 'Mapping[str, Any]'


class Variant(TypedDict):
    name: str
    share: int
    """A whole percentage; the sum of all shares is 100"""
    message: Message


class BroadcastSettings(TypedDict):
    intervalCap: NotRequired[int]
    """Messages a second, 1 to 30, with paid broadcasts to 1000; default 10"""
    track_clicks: NotRequired[bool]
    """Links lead through this service, which counts clicks; default false"""
    rateLimitOnError: NotRequired[RateLimitOnError]


class RateLimitOnError(TypedDict):
    stop: NotRequired[bool]
    """Stop when the platform asks to slow down; default true"""
    extraDelay: NotRequired[int]
    """If stop is false: the least gap between messages after such a request, in milliseconds"""


LocalTime: TypeAlias = 'str'


class Broadcast(TypedDict):
    id: int
    status: Literal[0, 1, 2, 3, 4, 5, 6, 7, 8]
    """0 draft, 1 scheduled, 2 sending, 3 finished, 4 stopped, 5 error; 6 resolving the audience, 7 about to be sent, 8 stopping"""
    name: str | None
    type: MessageType
    segmentations: Segmentations
    message: Message
    variants: NotRequired[list[Variant]]
    """2 to 10 messages instead of one message. A hash of the recipient chooses the message that it gets"""
    settings: BroadcastSettings
    date_send: LocalTime | None
    date_create: LocalTime
    date_activate: LocalTime | None
    date_finish: LocalTime | None
    count_recipients: int
    count_delivered: int
    count_not_delivered: int
    """Includes recipients with an unknown outcome"""
    count_cancelled: int
    """Recipients never called, because the broadcast was stopped or failed"""
    count_unknown: int
    """Messages that may have been delivered: the platform gave no answer"""
    archived: NotRequired[Literal[True]]
    """The broadcast is archived; a launch takes it out of the archive"""
    error: str | None
    paused_until: LocalTime | None


class SaveBroadcastRequest(TypedDict):
    resource_key: NotRequired[str]
    id: int
    type: NotRequired[Literal['sendMessage', 'sendPhoto', 'sendVideo', 'sendDocument', 'sendAnimation', 'sendAudio', 'sendVoice', 'sendMediaGroup'] | None]
    """Changes the type of a draft. Without message and variants in the request the draft loses its own"""
    name: NotRequired[str | None]
    """For the owner, 1 to 250 characters"""
    segmentations: NotRequired[Segmentations | None]
    message: NotRequired[Message | None]
    variants: NotRequired[Sequence[Variant] | None]
    settings: NotRequired[BroadcastSettings | None]
    date_send: NotRequired[LocalTime | None]
    """In the bot's time zone; null: at once when it is activated"""


class Broadcasts(TypedDict):
    items: list[Broadcast]
    total: int
    limit: int
    offset: int
    data_as_of: Timestamp
    """The answer includes everything recorded up to this time"""


class BroadcastIdRequest(TypedDict):
    resource_key: NotRequired[str]
    id: int


class ArchiveBroadcastRequest(TypedDict):
    resource_key: NotRequired[str]
    id: int
    archived: NotRequired[bool | None]
    """false: take it out of the archive; default true"""


class DeletedBroadcast(TypedDict):
    id: int


class UploadSegmentRequest(TypedDict):
    resource_key: NotRequired[str]
    task_id: int
    """The draft that it is for"""
    chat_ids: Sequence[int]
    """Groups and channels are negative"""


class UploadedSegment(TypedDict):
    segment_id: int
    """Name it in a segment of type custom"""
    count_list: int
    """Without duplicates"""
    duplicates: int


class SegmentFromReportRequest(TypedDict):
    resource_key: NotRequired[str]
    uuid: NotRequired[Uuid | None]
    """A saved report; or a report_config, not both"""
    report_config: NotRequired[ReportConfig | None]
    params: NotRequired[ReportParams | None]
    """Another period than the one that was saved"""
    cell: NotRequired[ReportCell | None]
    task_id: int
    """The draft that it is for"""


class SegmentFromReport(TypedDict):
    segment_id: int
    """Name it in a segment of type custom"""
    count: int
    """Users in the list"""
    data_as_of: Timestamp
    """The count includes every event received up to this time"""


class Recipients(TypedDict):
    items: list[Recipient]
    total: int
    limit: int
    offset: int


class Recipient(TypedDict):
    chat_id: int
    state: Literal['pending', 'delivered', 'not_delivered', 'cancelled', 'unknown']
    reason: str | None
    date: LocalTime | None


class BroadcastStatistics(TypedDict):
    total: BroadcastCounts
    variants: list[VariantCounts]
    """In their order; empty: none"""
    links: list[LinkClicks]
    """Links whose clicks are counted, by launch, in the order of the message"""
    data_as_of: Timestamp
    """What was recorded up to then has been counted"""


class BroadcastCounts(TypedDict):
    count_recipients: int
    count_delivered: int
    count_not_delivered: int
    """Those of unknown outcome included"""
    count_cancelled: int
    """Never attempted, since it was stopped or failed"""
    count_unknown: int
    """May have been delivered: the platform gave no answer"""
    clicked: int | None
    """Recipients with a counted click; null: no launch tracked clicks"""
    clicks: int | None
    """Counted clicks"""


class VariantCounts(TypedDict):
    name: str
    share: int
    count_recipients: int
    count_delivered: int
    count_not_delivered: int
    """Those of unknown outcome included"""
    count_cancelled: int
    """Never attempted, since it was stopped or failed"""
    count_unknown: int
    """May have been delivered: the platform gave no answer"""
    clicked: int | None
    """Recipients with a counted click; null: no launch tracked clicks"""
    clicks: int | None
    """Counted clicks"""


class LinkClicks(TypedDict):
    launch: int
    variant: str | None
    """Its name; null: the broadcast has none"""
    url: str
    clicked: int
    """Recipients with a counted click"""
    clicks: int


class ConversionsRequest(TypedDict):
    resource_key: NotRequired[str]
    task_id: int
    """The broadcast"""
    event_id: int | None
    """Null: any event"""
    days: int
    """Of 24 hours, from each message on"""
    conditions: NotRequired[Sequence[Any] | None]
    """On fields of the event, as in a performed_event"""


class BroadcastConversions(TypedDict):
    total: ConversionCounts
    variants: list[VariantConversions]
    """In their order; empty: none"""
    days: int
    data_as_of: Timestamp
    """What was recorded up to then has been counted"""
    warnings: list[FieldWarning]
    """Amounts that await revaluation"""


class ConversionCounts(TypedDict):
    delivered: int
    """Recipients with the message, private chats only"""
    converted: int
    """Of these, with such an event in the window"""
    in_window: int
    """Not converted, and the window was not over: they still may"""
    rate: Decimal | int | None
    """converted divided by delivered; null: none was delivered"""
    events: int
    """Such events in the windows"""
    value: str
    """The sum of their value_amount, a decimal"""


class VariantConversions(TypedDict):
    name: str
    share: int
    delivered: int
    """Recipients with the message, private chats only"""
    converted: int
    """Of these, with such an event in the window"""
    in_window: int
    """Not converted, and the window was not over: they still may"""
    rate: Decimal | int | None
    """converted divided by delivered; null: none was delivered"""
    events: int
    """Such events in the windows"""
    value: str
    """The sum of their value_amount, a decimal"""


class BroadcastFields(TypedDict):
    users: list[AudienceField]
    """For user_conditions; below a name that ends in .* there is any key"""
    events: list[AudienceField]
    """For the conditions of event_filters"""
    templates: list[str]
    """What a template can name"""


class AudienceField(TypedDict):
    name: str
    type: str
    operators: list[str]


class AudienceSizeRequest(TypedDict):
    resource_key: NotRequired[str]
    segmentations: Segmentations
    task_id: NotRequired[int | None]
    """The draft whose uploaded lists custom segments name"""
    sample: NotRequired[int | None]
    """How many chats to name; default 5"""


class AudienceSize(TypedDict):
    count: int
    sample: list[AudienceChat]
    data_as_of: str
    """How far the data were applied; the launch resolves the audience again"""


class AudienceChat(TypedDict):
    chat_id: int
    first_name: str | None
    last_name: str | None
    username: str | None


class PreviewBroadcastRequest(TypedDict):
    resource_key: NotRequired[str]
    type: MessageType
    message: Message
    user_id: NotRequired[int | None]
    """The user to render it for; default the bot's first user"""


class BroadcastPreview(TypedDict):
    user: PreviewUser
    text: PreviewText | None
    caption: PreviewText | None
    media: list[PreviewMedia]
    buttons: list[list[PreviewButton]]
    problems: list[Problem]
    """What create or the platform would refuse"""


class PreviewUser(TypedDict):
    user_id: int
    first_name: str | None
    username: str | None
    invented: bool
    """The bot has no users yet"""


class PreviewText(TypedDict):
    text: str
    """Without markup"""
    entities: list[MessageEntity]
    characters: int
    """Code points without markup and the blanks around it"""
    limit: int


class MessageEntity(TypedDict):
    type: Literal['bold', 'italic', 'underline', 'strikethrough', 'spoiler', 'code', 'pre', 'text_link', 'custom_emoji', 'blockquote', 'expandable_blockquote']
    offset: int
    """UTF-16 units"""
    length: int
    url: NotRequired[str]
    language: NotRequired[str]


class PreviewMedia(TypedDict):
    type: str
    media: str
    caption: PreviewText | None


class PreviewButton(TypedDict):
    text: str
    action: str | None
    value: str | None


class Problem(TypedDict):
    path: str
    """Of the value in the request"""
    message: str
    allowed: NotRequired[list[str]]


class TestSendRequest(TypedDict):
    resource_key: NotRequired[str]
    type: MessageType
    message: Message
    chat_id: int
    """Groups and channels are negative"""


class TestSendOutcome(TypedDict):
    outcome: Literal['delivered', 'refused', 'unknown', 'not_sent']
    reason: str | None
    """The platform's words, or why there is no answer"""


class SaveSegmentRequest(TypedDict):
    resource_key: NotRequired[str]
    name: str
    """1 to 250 characters"""
    conditions: SavedSegmentConditions
    saved_segment_id: NotRequired[int | None]
    """The saved segment to replace; without one, a new one is saved"""


class SavedSegmentConditions(TypedDict):
    """As the config of a filter segment of a broadcast"""
    user_conditions: NotRequired[Sequence[Any] | None]
    event_filters: NotRequired[Sequence[Any] | None]


class SavedSegmentId(TypedDict):
    saved_segment_id: int


class SavedSegment(TypedDict):
    saved_segment_id: int
    name: str
    resource_key: str
    """Of its bot"""
    conditions: SavedSegmentConditions
    date_create: Timestamp
    date_change: Timestamp
    """When it was saved last"""


class ListSavedSegmentsData(TypedDict):
    items: list[SavedSegment]


class DeleteSavedSegmentRequest(TypedDict):
    resource_key: NotRequired[str]
    saved_segment_id: int


class UserRequest(TypedDict):
    user_id: int


class CreatedCode(TypedDict):
    code: str
    link: str | None


class CodeOwner(TypedDict):
    code: str
    user_id: int


class CodeOwnerships(TypedDict):
    results: list[CodeOwnership]


class CodeOwnership(TypedDict):
    code: str
    owner_id: int
    created: bool
    backfilled: int


class ReferralCodes(TypedDict):
    total_referrals: int
    codes: list[ReferralCode]


class ReferralCode(TypedDict):
    code: str
    link: str | None
    date_create: UtcTime


UtcTime: TypeAlias = 'str'


class Referrals(TypedDict):
    referrals: list[Referral]


class Referral(TypedDict):
    referral_id: int
    date: UtcTime


class MarkReferralRequest(TypedDict):
    referral_user_id: int
    """Who is referred"""
    code: NotRequired[str | None]
    """The code that referred the user; this or referrer_user_id"""
    referrer_user_id: NotRequired[int | None]
    """Who referred the user; this or code"""


class Attribution(TypedDict):
    referral_id: int
    referrer_id: int | None
    code: str | None
    already_attributed: bool


class Balances(TypedDict):
    balance: list[Balance]
    data_as_of: NotRequired[Timestamp]
    """With `at` only"""


class Balance(TypedDict):
    unit_id: int | None
    available: Decimal
    reserved: Decimal
    paid: Decimal
    on_hold: Decimal


class PayoutRequest(TypedDict):
    user_id: int
    unit_id: NotRequired[int | None]
    """Absent: every unit; null: amounts without a unit"""
    method: NotRequired[Literal['webhook', 'manual'] | None]
    """Default webhook"""


class RequestedPayouts(TypedDict):
    payout_id: int
    payout_ids: list[int]


class Payouts(TypedDict):
    payouts: list[Payout]


class Payout(TypedDict):
    payout_id: int
    amount: Decimal
    unit_id: int | None
    status: Literal[0, 1, 2, 3, 4]
    """0 created, 1 processing, 2 paid, 3 failed, 4 cancelled"""
    method: Literal['webhook', 'manual']
    initiated_by: Literal['api', 'admin', 'auto']
    requested_at: UtcTime
    processed_at: UtcTime | None


class ChangePayoutRequest(TypedDict):
    payout_id: int
    reason: NotRequired[str | None]
    """Kept with the payout"""


class ChangedPayout(TypedDict):
    payout_id: int


class FailPayoutRequest(TypedDict):
    payout_id: int
    reason: str
    """Becomes the `error` of the payout"""


class CancelPayoutRequest(TypedDict):
    payout_id: int
    reason: str
    """Kept with the payout"""
    force: NotRequired[bool | None]
    """Cancel although the client may have paid. Default false"""


class ReverseAccrualRequest(TypedDict):
    accrual_id: int
    reason: NotRequired[str | None]
    """Kept with the accrual; without effect"""


class Reversal(TypedDict):
    pass


class Accruals(TypedDict):
    accruals: list[Accrual]


class Accrual(TypedDict):
    id: int
    date: UtcTime
    referral_id: int
    amount: Decimal
    unit_id: int | None
    status: Literal[0, 1, 2]
    """0 on hold, 1 confirmed, 2 paid out"""
    available_at: UtcTime | None


class RewardRates(TypedDict):
    rates: list[RewardRate]


class RewardRate(TypedDict):
    rule_id: int
    rule_name: str | None
    trigger_event_id: int
    reward_type: Literal['fixed', 'percent', 'external']
    reward_amount: Decimal | None
    reward_percent: Decimal | None
    unit_id: int | None
    locked: bool
    source: Literal['auto', 'manual'] | None


class BalanceHistory(TypedDict):
    history: list[BalanceChange]


class BalanceChange(TypedDict):
    unit_id: int | None
    available: Decimal
    reserved: Decimal
    paid: Decimal
    on_hold: Decimal
    position: int | None
    """The commit of the account; null: no commit, the clock"""
    date: UtcTime
    event: Literal['accrued', 'hold_passed', 'cancelled', 'compensated', 'payout_requested', 'payout_paid', 'payout_cancelled']
    accrual_id: int | None
    payout_id: int | None
    amount: Decimal
    reason: str | None
    """Why it was taken back, paid or cancelled; null: none was given"""


class Referrers(TypedDict):
    referrers: list[Referrer]
    data_as_of: Timestamp
    """What was received up to then has been applied by all read models of the answer"""


class Referrer(TypedDict):
    user_id: int
    first_name: str | None
    """Null: unknown or erased"""
    username: str | None
    """Null: unknown or erased"""
    referrals: int
    """Users that the user referred"""
    balance: list[ReferrerBalance]


class ReferrerBalance(TypedDict):
    unit_id: int | None
    available: Decimal
    reserved: Decimal
    paid: Decimal
    on_hold: Decimal
    earned: Decimal
    """All accruals that were not cancelled"""


class DetailedPayouts(TypedDict):
    payouts: list[DetailedPayout]
    data_as_of: Timestamp
    """What was received up to then has been applied by all read models of the answer"""


class DetailedPayout(TypedDict):
    payout_id: int
    amount: Decimal
    unit_id: int | None
    status: Literal[0, 1, 2, 3, 4]
    """0 created, 1 processing, 2 paid, 3 failed, 4 cancelled"""
    method: Literal['webhook', 'manual']
    initiated_by: Literal['api', 'admin', 'auto']
    requested_at: UtcTime
    processed_at: UtcTime | None
    user_id: int
    first_name: str | None
    """Null: unknown or erased"""
    username: str | None
    """Null: unknown or erased"""
    error: str | None
    """Why the last attempt, or the payout, failed"""
    reason: str | None
    """Why an administrator last confirmed, retried or cancelled it; null: none was given"""
    deliveries: list[DeliveryAttempt]


class DeliveryAttempt(TypedDict):
    attempt: int
    at: UtcTime
    status: int | None
    """HTTP status of the client's answer; null: none, or none yet"""
    error: str | None


class ReferralTotals(TypedDict):
    visited: int
    """Users who opened a link whose code has an owner"""
    came: int
    """Users of them who were new to the bot"""
    referred: int
    """Users with a referrer, by a link or marked"""
    rewarded: int
    """Users who earned a referrer a reward that was not taken back"""
    referrers: int
    """Users who referred at least one"""
    amounts: list[ReferralAmounts]
    data_as_of: Timestamp
    """What was received up to then has been applied by all read models of the answer"""


class ReferralAmounts(TypedDict):
    unit_id: int | None
    earned: Decimal
    reserved: Decimal
    paid: Decimal


class DetailedAccruals(TypedDict):
    entries: list[DetailedAccrual]


class DetailedAccrual(TypedDict):
    accrual_id: int
    position: int
    """The commit of the account that recorded it"""
    date: UtcTime
    """Receipt of the event that earned it"""
    recorded_at: UtcTime
    available_at: UtcTime
    referral_id: int
    rule_id: int
    rule_name: str | None
    amount: Decimal
    unit_id: int | None
    payout_id: int | None
    """The payout that claims it now"""
    compensates: int | None
    """The accrual that it makes good"""
    compensated_by: int | None
    """The accrual that makes it good"""
    reversed_at: UtcTime | None
    reason: str | None
    """Why it was reversed; of a compensation: why its accrual was"""


class AccountChain(TypedDict):
    head: ChainLink | None
    """The last commit of the account; null: it has none"""
    commits: list[AccountCommit]


class ChainLink(TypedDict):
    position: int
    hash: str


class AccountCommit(TypedDict):
    position: int
    hash: str
    date: UtcTime
    prev: str
    """Hash of the commit before it; empty: it is the first"""
    events: list[str]


class ProofFile(TypedDict):
    format: Literal['botledger-proof/v1']
    stream: str
    at: int | None
    """Milliseconds UTC up to when the verifier folds the account; null: the checkpoint"""
    policy: str
    vrf: str
    entry: str
    checkpoint: str
    map: ProofFileMap
    tree: int
    missing: NotRequired[list[str]]
    """With `with_events` only: the commits of events that earned and that the log lacks, by id"""
    commits: list[ProvenCommit]
    causes: list[ProvenCommit]
    hashes: list[str]


class ProofFileMap(TypedDict):
    revision: int
    leaves: int
    steps: list[list[int | str]]


class ProvenCommit(TypedDict):
    index: int
    """Its place in the tree of the partition"""
    body: str
    """The stored text, byte for byte"""
    path: list[int]
    """Indexes in `hashes` of the siblings, from the leaf up"""


class ReferralProgram(TypedDict):
    rules: list[ProgramRule]
    units: list[Unit]


class ProgramRule(TypedDict):
    rule_id: int
    name: str
    trigger_event_id: int
    trigger_event: str | None
    reward_type: Literal['fixed', 'percent', 'external']
    amount: Decimal | None
    percent: Decimal | None
    unit_id: int | None
    hold_days: Decimal | int
    active: bool


class Unit(TypedDict):
    unit_id: int
    code: str
    name: str | None
    scale: int
    """Decimals of a normal unit"""


class BotSettings(TypedDict):
    resource_key: str
    name: str
    username: str | None
    has_token: bool
    timezone: str
    pair_separator: str
    value_separator: str
    referral_new_users_only: bool
    auto_payout: Literal['off', 'daily', 'weekly', 'monthly']
    paid_broadcasts: bool


class ListBotSettingsData(TypedDict):
    items: list[BotSettings]


class CreateBotRequest(TypedDict):
    name: str
    username: NotRequired[str | None]
    """The platform's name of the bot; empty: none"""
    token: NotRequired[str | None]
    """Of the Bot API; empty: none. It is never answered"""
    timezone: NotRequired[str | None]
    """IANA name"""


class BotSecret(TypedDict):
    resource_key: str
    webhook_secret: str | None


class SetBotRequest(TypedDict):
    name: NotRequired[str | None]
    username: NotRequired[str | None]
    """The platform's name of the bot; empty: none"""
    token: NotRequired[str | None]
    """Of the Bot API; empty: none. It is never answered"""
    timezone: NotRequired[str | None]
    """IANA name"""
    pair_separator: NotRequired[str | None]
    """Between the pairs of a start payload"""
    value_separator: NotRequired[str | None]
    """Between key and value of a pair"""
    referral_new_users_only: NotRequired[bool | None]
    """A visit refers only users first seen by it"""
    auto_payout: NotRequired[Literal['off', 'daily', 'weekly', 'monthly'] | None]
    paid_broadcasts: NotRequired[bool | None]
    """Allows more than 30 messages a second. The platform charges for them"""


class ResourceKey(TypedDict):
    resource_key: str


class NoFields(TypedDict):
    pass


class Key(TypedDict):
    key_id: int
    public_part: str
    bots: list[str] | None
    kind: Literal['personal', 'service', 'owner']
    name: str | None
    issued_at: str
    expires_at: str | None
    revoked_at: str | None
    state: Literal['valid', 'expired', 'revoked']
    """By the service's clock, when it answered"""
    rotates: int | None
    last_used_at: str | None
    """Cut to the minute; null: no use is recorded"""
    is_own: bool
    """Whether it is the key of this request"""


class ListKeysData(TypedDict):
    items: list[Key]


class IssueKeyRequest(TypedDict):
    bots: Literal['all'] | Sequence[str]
    """Resource keys of the bots, or `all`: later ones too"""
    kind: NotRequired[Literal['personal', 'service', 'owner']]
    """`owner` is refused: an operator issues owner keys"""
    name: NotRequired[str | None]
    expires_at: NotRequired[str | None]
    """Absent: never"""


class IssuedKey(TypedDict):
    key_id: int
    api_key: str | None


class RotateKeyRequest(TypedDict):
    key_id: int
    overlap_seconds: NotRequired[int | None]
    """How long the old key keeps working; default a day, for owner keys at most; at least 600 for the key of the request"""


class RevokeKeyRequest(TypedDict):
    key_id: int


class KeyId(TypedDict):
    key_id: int


class Goal(TypedDict):
    target_id: int
    event_id: int
    name: str


class ListGoalsData(TypedDict):
    items: list[Goal]


class CreateGoalRequest(TypedDict):
    target_id: int
    name: str


class GoalId(TypedDict):
    target_id: int
    event_id: int


class ListUnitsData(TypedDict):
    items: list[Unit]


class CreateUnitRequest(TypedDict):
    code: str
    name: NotRequired[str | None]
    scale: NotRequired[int | None]
    """Decimals, 0 to 18; default 2"""


class UnitId(TypedDict):
    unit_id: int


ExchangeRate = TypedDict(
    'ExchangeRate',
    {'from': 'str', 'to': 'str', 'date': 'str', 'rate': 'Decimal'},
)


class ListExchangeRatesData(TypedDict):
    items: list[ExchangeRate]


class DescribeEventBody(TypedDict):
    event_id: int
    title: NotRequired[str | None]
    """Shown in place of the name; an empty text: the name is shown"""
    description: NotRequired[str | None]
    """An empty text: none"""
    hidden: NotRequired[bool | None]
    """Pickers leave a hidden event out; it is counted as before"""


class EventId(TypedDict):
    event_id: int


class Plan(TypedDict):
    plan: Literal['premium', 'free']
    currency: str
    """Amounts of reports are in it"""
    broadcasts: PlanBroadcasts


class PlanBroadcasts(TypedDict):
    month: str
    """The calendar month, UTC"""
    used: int
    limit: int


class Rule(TypedDict):
    rule_id: int
    name: str
    trigger_event_id: int
    reward_type: Literal['fixed', 'percent', 'external']
    amount: Decimal | None
    percent: Decimal | None
    unit_id: int | None
    hold_days: Decimal | int
    active: bool


class ListRulesData(TypedDict):
    items: list[Rule]


class CreateRuleRequest(TypedDict):
    name: str
    trigger_event_id: int
    """The event that earns, as reports/events lists it"""
    reward_type: Literal['fixed', 'percent', 'external']
    amount: NotRequired[Decimal | int | str | str | None]
    """Of a fixed reward, in normal units"""
    percent: NotRequired[Decimal | int | str | str | None]
    """Of the event's value, at most 100"""
    hold_days: NotRequired[Decimal | int | str | str | None]
    """How long a reward is on hold; default 0"""
    unit_id: NotRequired[int | None]
    """A unit of the bot"""
    currency: NotRequired[str | None]
    """A currency instead of unit_id. Default of a fixed rule: the owner's currency"""


class RuleId(TypedDict):
    rule_id: int


class EditRuleRequest(TypedDict):
    rule_id: int
    name: NotRequired[str | None]
    amount: NotRequired[Decimal | int | str | str | None]
    """Of a fixed reward, in normal units"""
    percent: NotRequired[Decimal | int | str | str | None]
    """Of the event's value, at most 100"""
    hold_days: NotRequired[Decimal | int | str | str | None]
    """How long a reward is on hold; default 0"""
    active: NotRequired[bool | None]
    """Whether it earns"""


class PayoutWebhookSetting(TypedDict):
    webhook: PayoutWebhook | None


class PayoutWebhook(TypedDict):
    url: str
    set_at: str
    signatures: int
    """2 for a day after a rotation"""


class SetWebhookRequest(TypedDict):
    url: str


class WebhookSecret(TypedDict):
    secret: str | None


class Delivery(TypedDict):
    payout_id: int
    webhook_id: str
    attempt: int
    at: str
    status: int | None
    """HTTP status of the answer; null: there is none, or none yet"""
    error: str | None


class ListDeliveriesData(TypedDict):
    items: list[Delivery]


class RedeliverPayoutRequest(TypedDict):
    payout_id: int


class PayoutId(TypedDict):
    payout_id: int


class ReadModelVersions(TypedDict):
    items: list[ReadModelVersion]
    commits: int
    """All commits of the log, about"""


class ReadModelVersion(TypedDict):
    name: str
    version: int
    state: Literal['live', 'building', 'ready', 'stopped']
    live: bool
    """Whether the version answers, also if it has stopped"""
    verified: bool
    """Whether a comparison found it equal to a replay of the log"""
    served: bool
    """Whether it answered before: a switch back to it needs no comparison"""
    position: str | None
    lag: Lag
    deferred: ReadModelVersionDeferred | None
    quarantined: list[ReadModelVersionQuarantinedItem]
    """Bots whose commits the version does not apply now; their answers say how old they are"""
    error: str | None
    build: VersionBuild | None
    """Null: the version is not being built"""
    next: Literal['retry', 'rebuild', 'resume', 'verify', 'switch', 'drop'] | None
    """What to do next"""


class Lag(TypedDict):
    events: Decimal | int
    """Commits not read yet, an upper bound"""
    seconds: Decimal | int
    """Age of the oldest of them"""


class ReadModelVersionDeferred(TypedDict):
    events: int
    exact: bool


class ReadModelVersionQuarantinedItem(TypedDict):
    bot: str
    """Public key"""
    since: UtcTimestamp


class VersionBuild(TypedDict):
    paused: bool
    max_rate: Decimal | int | None
    """The most events a second; null: no limit"""
    builders: int
    """How many projectors of instances, jobs and commands build it now"""
    backs_off: bool
    """Whether one of them pauses, since answers have become slower or live read models late"""
    events_per_second: int | None
    """Applied over the last minute at most; null: not known yet, or no instance builds it"""
    seconds_left: int | None
    """An estimate, without deferred work; null: unknown"""


class SwitchVersionRequest(TypedDict):
    name: ReadModelName
    version: NotRequired[int]
    reason: str
    """Why, 1 to 1000 characters; the log keeps it"""


ReadModelName: TypeAlias = "Literal['catalog', 'users', 'events', 'reports', 'broadcasts', 'recipients', 'clicks', 'referral', 'accounts']"


class ChangedVersion(TypedDict):
    name: str
    version: int


class ChangeBuildRequest(TypedDict):
    name: ReadModelName
    paused: NotRequired[bool]
    max_rate: NotRequired[int | None]
    """The most events a second; null: no limit"""


class DropVersionRequest(TypedDict):
    name: ReadModelName
    version: int
    reason: str
    """Why, 1 to 1000 characters; the log keeps it"""


class DeadLetters(TypedDict):
    items: list[DeadLetter]
    total: int


class DeadLetter(TypedDict):
    id: str
    projection: str
    version: int
    stream: str
    position: str
    blocking: bool
    """Whether the read model waits at the commit"""
    quarantined: bool
    """Whether only the bot of the commit waits at it; neither: the read model has skipped the commit"""
    at: UtcTimestamp
    """When the read model failed to apply it"""
    error: str
    recorded_at: UtcTimestamp
    events: list[DeadLetterEvent]
    """The first 20 events; of each the first 4096 characters. Personal data are sealed; tokens and hashes of secrets are left out"""
    events_count: int


class DeadLetterEvent(TypedDict):
    type: str
    v: int
    data: Any
    """If it is not shown whole: the start of its JSON text, or null"""
    data_bytes: int
    """Of the JSON text of the whole data"""
    data_whole: bool


class RetryDeadLetterRequest(TypedDict):
    id: str
    """As in the list"""


class DecidedDeadLetter(TypedDict):
    id: str
    in_effect: bool
    """Whether the read model has passed the commit"""


class SkipDeadLetterRequest(TypedDict):
    id: str
    """As in the list"""
    reason: str
    """Why, 1 to 1000 characters; the log keeps it"""


class BackgroundProcess(TypedDict):
    name: str
    state: Literal['live', 'stopped']
    lag: Lag
    error: str | None
    lease: BackgroundProcessLease | None
    """The instance that works, of several the one with the first partitions; null: none does now"""
    instances: list[BackgroundProcessInstancesItem]
    """The instances that work, and how many groups of partitions each has; null: the work is not divided"""
    failures: list[BackgroundProcessFailuresItem]
    """Parts of the work that fail now and are tried again"""


class BackgroundProcessLease(TypedDict):
    holder: str
    expires_at: UtcTimestamp


class BackgroundProcessInstancesItem(TypedDict):
    holder: str
    parts: int | None


class BackgroundProcessFailuresItem(TypedDict):
    subject: str
    error: str
    until: UtcTimestamp


class AdminListProcessesData(TypedDict):
    items: list[BackgroundProcess]


class BotErrorGroup(TypedDict):
    kind: str
    source: str
    message: str
    """With … for each number"""
    count: int
    unresolved: int
    bots: int
    last: UtcTimestamp


class AdminListBotErrorsData(TypedDict):
    items: list[BotErrorGroup]


class JobRequest(TypedDict):
    kind: JobKind
    projection: NotRequired[ReadModelName]
    """The read model of a rebuild or a verification"""
    max_rate: NotRequired[int]
    """Of a rebuild: the most events a second; default: as the version has it"""
    bot: NotRequired[str]
    """Public key. Of an audit: only of its streams and accounts, without replays"""
    user_id: NotRequired[int]
    """Of an audit: only of this account of the bot"""
    reason: str
    """Why, 1 to 1000 characters; the log keeps it"""


JobKind: TypeAlias = "Literal['rebuild', 'verify', 'audit']"


class RequestedJob(TypedDict):
    job_id: Uuid


class Job(TypedDict):
    job_id: Uuid
    kind: JobKind
    projection: str | None
    bot: str | None
    user_id: int | None
    reason: str
    operator_id: int
    operator: str
    """Name of the operator"""
    requested_at: UtcTimestamp
    state: Literal['waiting', 'running', 'done', 'findings', 'failed']
    """waiting: no instance works on it now"""
    progress: JobProgress | None
    summary: str | None
    findings: list[Finding]
    findings_count: int
    finished_at: UtcTimestamp | None


class JobProgress(TypedDict):
    what: str
    done: Decimal | int
    total: Decimal | int | None
    unit: str
    seconds: Decimal | int
    """Since an instance began or resumed it"""


class Finding(TypedDict):
    kind: str
    stream: str | None
    revision: int | None
    message: str


class AdminListJobsData(TypedDict):
    items: list[Job]


InspectionRequest = TypedDict(
    'InspectionRequest',
    {'kind': 'InspectionKind', 'projection': 'NotRequired[ReadModelName]', 'from': 'NotRequired[int]', 'to': 'NotRequired[int]', 'answers': 'NotRequired[bool]'},
)


InspectionKind: TypeAlias = "Literal['diff', 'upgrade_plan']"


class RequestedInspection(TypedDict):
    inspection_id: Uuid


Inspection = TypedDict(
    'Inspection',
    {'inspection_id': 'Uuid', 'kind': 'InspectionKind', 'projection': 'str | None', 'from': 'int | None', 'to': 'int | None', 'answers': 'bool | None', 'operator_id': 'int', 'operator': 'str', 'requested_at': 'UtcTimestamp', 'state': "Literal['waiting', 'running', 'done', 'failed']", 'progress': 'JobProgress | None', 'error': 'str | None', 'finished_at': 'UtcTimestamp | None'},
)


class AdminListInspectionsData(TypedDict):
    items: list[Inspection]


InspectionWithResult = TypedDict(
    'InspectionWithResult',
    {'inspection_id': 'Uuid', 'kind': 'InspectionKind', 'projection': 'str | None', 'from': 'int | None', 'to': 'int | None', 'answers': 'bool | None', 'operator_id': 'int', 'operator': 'str', 'requested_at': 'UtcTimestamp', 'state': "Literal['waiting', 'running', 'done', 'failed']", 'progress': 'JobProgress | None', 'error': 'str | None', 'finished_at': 'UtcTimestamp | None', 'result': 'VersionDiff | UpgradePlan | None', 'cut': 'list[str]'},
)


VersionDiff = TypedDict(
    'VersionDiff',
    {'name': 'str', 'from': 'int', 'to': 'int', 'positions': 'list[str]', 'equal': 'bool', 'layout': 'list[str]', 'tables': 'list[TableDiff]', 'uncompared': 'list[VersionDiffUncomparedItem]', 'answers': 'list[AnswersDiff]', 'answers_left_out': 'list[str]'},
)


class TableDiff(TypedDict):
    table: str
    rows_from: int
    rows_to: int
    only_from: int
    only_to: int
    changed: int
    columns: list[TableDiffColumnsItem]
    """How many changed rows differ in each"""
    samples: list[DiffSample]


class TableDiffColumnsItem(TypedDict):
    column: str
    rows: int


class DiffSample(TypedDict):
    kind: Literal['only_from', 'only_to', 'changed']
    key: dict[str, str | None]
    """The primary key"""
    before: dict[str, str | None] | None
    """The other columns, of a changed row only the changed ones; null: no such row"""
    after: dict[str, str | None] | None
    position: str | None
    """Of the commit that the row names"""


class VersionDiffUncomparedItem(TypedDict):
    table: str
    reason: str


class AnswersDiff(TypedDict):
    kind: Literal['saved_reports', 'asked_reports', 'balances', 'broadcasts']
    compared: int
    differing: int
    samples: list[AnswersDiffSamplesItem]
    slower: list[AnswersDiffSlowerItem]


class AnswersDiffSamplesItem(TypedDict):
    question: dict[str, str | Decimal | int]
    before: Any
    after: Any


class AnswersDiffSlowerItem(TypedDict):
    question: dict[str, str | Decimal | int]
    ms_before: Decimal | int
    ms_after: Decimal | int


class UpgradePlan(TypedDict):
    release: str
    migrations: list[UpgradePlanMigrationsItem]
    """A service that runs has none left"""
    read_models: list[PlannedReadModel]
    events: UpgradePlanEvents | None
    steps: list[str]


class UpgradePlanMigrationsItem(TypedDict):
    schema: str
    names: list[str]


class PlannedReadModel(TypedDict):
    name: str
    from_shape: int | None
    to_shape: int
    is_built: bool
    """Whether a start builds it from the log"""
    serves_former: bool
    """Whether its former version answers until then, and is kept for a step back"""
    changes: list[str]
    """How its tables differ from those that answer now"""
    commits: int | None
    seconds: Decimal | int | None
    """Foretold from a sample"""
    disk_bytes: Decimal | int | None


class EventTypeOfLog(TypedDict):
    category: str
    type: str
    v: int
    events: int
    tried: int
    """How many of them were decoded"""
    unreadable: EventTypeOfLogUnreadable | None
    """The first that this release cannot read"""


class EventTypeOfLogUnreadable(TypedDict):
    position: str
    error: str


class UpgradePlanEvents(TypedDict):
    commits: int
    types: list[EventTypeOfLog]


class CustomEventFields(TypedDict):
    user_id: NotRequired[int]
    """Platform id of the acting user"""
    value_num: NotRequired[Decimal | int | str | None]
    """Amount or count; with a unit, in its smallest parts"""
    unit: NotRequired[str | None]
    """Unit of value_num"""
    value_str: NotRequired[str | None]
    category: NotRequired[str | None]
    webapp_name: NotRequired[str | None]
    date: NotRequired[str | None]
    """Default: the time of receipt"""
    event_key: NotRequired[str | None]
    """The same key of a bot counts once, forever"""
    properties: NotRequired[Mapping[str, str | Decimal | int | str | bool | None] | None]
    """Custom properties, at most 50: reports name them events.properties.<name>"""
