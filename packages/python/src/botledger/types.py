"""Made by generate.py from openapi.json. Do not edit."""

# SHA-256 of openapi.json: 565aee33768525c7b78572ad98e01e98f268a3ca00bfb8586c76a0abe5400d12

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal

from typing_extensions import NotRequired, TypeAlias, TypedDict


class TargetEventInput(TypedDict):
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


class CustomEventInput(TypedDict):
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


class ForwardedUpdateInput(TypedDict):
    date: NotRequired[str | None]
    """For updates that carry no date of their own, callbacks for one. Default: the time of receipt"""
    update: UpdateInput


UpdateInput: TypeAlias = 'Mapping[str, Any]'


WebhookUpdateInput: TypeAlias = 'Mapping[str, Any]'


class BotError(TypedDict):
    id: str
    date: str
    source: Literal['send-target', 'send-event', 'send-update']
    kind: Literal['unknown_user', 'warning', 'property_limit']
    message: str
    payload: Any
    resolved_at: str | None


class ListBotErrorsData(TypedDict):
    items: list[BotError]


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
    first_seen: str | None
    last_seen: str | None
    count: int


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


class PreviewRequestInput(TypedDict):
    resource_key: NotRequired[str]
    report_config: ReportConfigInput


ReportConfigInput: TypeAlias = 'Mapping[str, Any]'


class Report(TypedDict):
    columns: list[Column]
    rows: list[dict[str, str | Decimal | int | bool | None]]
    meta: ReportMeta


class Column(TypedDict):
    key: str
    label: str
    type: Literal['date', 'number', 'string', 'boolean']
    metric: NotRequired[int]
    """Of a chart's line: index of its request"""
    total: NotRequired[Decimal | int | None]
    """Of a chart's line: the measure over the whole period"""
    breakdown: NotRequired[dict[str, str | Decimal | int | bool | None]]
    """Of a chart's line: its combination, if broken down"""
    other: NotRequired[bool]
    """The line of all combinations without one of their own"""


class ReportMeta(TypedDict):
    timezone: str
    date_from: str
    date_to: str
    rows_total: int
    """Rows of the whole report"""
    rows_matching: NotRequired[int]
    """Of a list: rows that there would be without limit and offset"""
    truncated: bool
    """This answer has fewer"""
    data_as_of: str
    """What was received up to then has been counted"""
    lag_ms: int
    warnings: list[ReportMetaWarningsItem]


class ReportMetaWarningsItem(TypedDict):
    path: str
    message: str


class RunRequestInput(TypedDict):
    resource_key: NotRequired[str]
    """Not needed with a uuid"""
    uuid: NotRequired[str | None]
    """A saved report; or a report_config, not both"""
    report_config: NotRequired[ReportConfigInput | None]
    params: NotRequired[Mapping[str, Any] | None]
    """Another period than the one that was saved"""
    format: NotRequired[Literal['json', 'csv'] | None]
    """Default json; csv is text/csv with the labels as its header"""
    raw: NotRequired[bool | None]
    """Of csv: texts as they are, for programs; by default a text that begins a formula gets an apostrophe"""


class ReportUsersRequestInput(TypedDict):
    resource_key: NotRequired[str]
    """Not needed with a uuid"""
    uuid: NotRequired[str | None]
    """A saved report; or a report_config, not both"""
    report_config: NotRequired[ReportConfigInput | None]
    params: NotRequired[Mapping[str, Any] | None]
    """Another period than the one that was saved"""
    cell: NotRequired[ReportUsersRequestInputCellSeries | ReportUsersRequestInputCellStepKind | ReportUsersRequestInputCellCohort | ReportUsersRequestInputCell | None]
    limit: NotRequired[int | None]
    """Default 50"""
    offset: NotRequired[int | None]
    """Default 0"""


class ReportUsersRequestInputCellSeries(TypedDict):
    series: int
    """The index of the request"""
    bucket: NotRequired[str | None]
    """The date of a row; without it, the whole period"""
    breakdown: NotRequired[Mapping[str, str | Decimal | int | str | bool | None] | None]
    """Of a report with a breakdown: the values of the row or line"""
    other: NotRequired[bool | None]
    """The line of all other combinations"""


class ReportUsersRequestInputCellStepKind(TypedDict):
    step: int
    kind: Literal['reached', 'dropped', 'in_progress']
    breakdown: NotRequired[Mapping[str, str | Decimal | int | str | bool | None] | None]
    """Of a report with a breakdown: the values of the row or line"""
    other: NotRequired[bool | None]
    """The line of all other combinations"""


class ReportUsersRequestInputCellCohort(TypedDict):
    cohort: str
    interval: NotRequired[int | None]
    """Who returned in it; without it, all members of the cohort"""
    breakdown: NotRequired[Mapping[str, str | Decimal | int | str | bool | None] | None]
    """Of a report with a breakdown: the values of the row or line"""
    other: NotRequired[bool | None]
    """The line of all other combinations"""


class ReportUsersRequestInputCell(TypedDict):
    """Of a list: the users of its rows"""


class ReportUser(TypedDict):
    user_id: int
    first_name: str | None
    last_name: str | None
    username: str | None
    language_code: str | None
    user_status: Literal['active', 'blocked', 'deactivated'] | None
    """Null: not known, or erased"""
    date_create: str | None
    date_last_active: str | None


class ListReportUsersData(TypedDict):
    count: int
    """Users of the cell; without limit and offset"""
    users: list[ReportUser]
    data_as_of: str
    """What was received up to then has been counted"""


class SaveRequestInput(TypedDict):
    resource_key: NotRequired[str]
    name: str
    """1 to 250 characters"""
    report_config: ReportConfigInput
    uuid: NotRequired[str | None]
    """The saved report to replace; without one, a new report is saved"""


class SaveReportData(TypedDict):
    uuid: str
    """Of a saved report"""


class SavedReport(TypedDict):
    uuid: str
    """Of a saved report"""
    name: str
    resource_key: str
    """Of its bot"""
    report_config: dict[str, Any]
    """As it was saved"""
    date_create: str
    pinned: bool
    """Whether it is on the dashboard of its bot"""


class ListReportsData(TypedDict):
    items: list[SavedReport]


class DeleteReportRequestInput(TypedDict):
    uuid: str
    """Of a saved report"""


class DeleteReportData(TypedDict):
    uuid: str
    """Of a saved report"""


class PinReportRequestInput(TypedDict):
    uuid: str
    """Of a saved report"""
    pinned: bool
    """Whether it is on the dashboard of its bot"""


class PinReportData(TypedDict):
    uuid: str
    """Of a saved report"""


class CountNewUsersDataDaysItem(TypedDict):
    date: str
    """The start of the day"""
    users: int


class CountNewUsersData(TypedDict):
    days: list[CountNewUsersDataDaysItem]
    total: int
    data_as_of: str
    """What was received up to then has been counted"""


class CreateBroadcastRequestInput(TypedDict):
    resource_key: NotRequired[str]
    type: Literal['sendMessage', 'sendPhoto', 'sendVideo', 'sendDocument', 'sendAnimation', 'sendAudio', 'sendVoice', 'sendMediaGroup']
    name: NotRequired[str | None]
    """For the owner, 1 to 250 characters"""
    segmentations: NotRequired[CreateBroadcastRequestInputSegmentations | None]
    message: NotRequired[Mapping[str, Any] | None]
    variants: NotRequired[Sequence[CreateBroadcastRequestInputVariantsItem] | None]
    settings: NotRequired[CreateBroadcastRequestInputSettings | None]
    date_send: NotRequired[str | None]
    """In the bot's time zone; null: at once when it is activated"""
    activate: NotRequired[bool | None]
    """Launch it, too"""


class CreateBroadcastRequestInputSegmentations(TypedDict):
    """All of include but those of exclude"""
    include: NotRequired[Sequence[Mapping[str, Any]]]
    exclude: NotRequired[Sequence[Mapping[str, Any]]]


class CreateBroadcastRequestInputVariantsItem(TypedDict):
    name: str
    share: int
    """A whole percentage; all together 100"""
    message: Mapping[str, Any]
    """By type: text, or photo, video, document, animation, audio, voice or media; caption, parse_mode, reply_markup…"""


class CreateBroadcastRequestInputSettingsRateLimitOnError(TypedDict):
    stop: NotRequired[bool]
    """Stop when the platform tells to slow down; default true"""
    extraDelay: NotRequired[int]
    """Else the least gap between messages from then on, milliseconds"""


class CreateBroadcastRequestInputSettings(TypedDict):
    intervalCap: NotRequired[int]
    """Messages a second, 1 to 30, with paid broadcasts to 1000; default 10"""
    track_clicks: NotRequired[bool]
    """Links lead through this service, which counts clicks; default false"""
    rateLimitOnError: NotRequired[CreateBroadcastRequestInputSettingsRateLimitOnError]


class Broadcast(TypedDict):
    id: int
    status: Literal[0, 1, 2, 3, 4, 5, 6, 7, 8]
    """0 draft, 1 scheduled, 2 sending, 3 finished, 4 stopped, 5 error; 6 resolving the audience, 7 about to be sent, 8 stopping"""
    name: str | None
    type: Literal['sendMessage', 'sendPhoto', 'sendVideo', 'sendDocument', 'sendAnimation', 'sendAudio', 'sendVoice', 'sendMediaGroup']
    segmentations: BroadcastSegmentations
    """All of include but those of exclude"""
    message: dict[str, Any]
    """By type: text, or photo, video, document, animation, audio, voice or media; caption, parse_mode, reply_markup…"""
    variants: NotRequired[list[BroadcastVariantsItem]]
    """2 to 10 messages in place of one; a hash of the recipient decides which of them it gets"""
    settings: BroadcastSettings
    date_send: str | None
    date_create: str
    date_activate: str | None
    date_finish: str | None
    count_recipients: int
    count_delivered: int
    count_not_delivered: int
    """Those of unknown outcome included"""
    count_cancelled: int
    """Never attempted, since it was stopped or failed"""
    count_unknown: int
    """May have been delivered: the platform gave no answer"""
    error: str | None
    paused_until: str | None


class BroadcastSegmentations(TypedDict):
    """All of include but those of exclude"""
    include: NotRequired[list[dict[str, Any]]]
    exclude: NotRequired[list[dict[str, Any]]]


class BroadcastVariantsItem(TypedDict):
    name: str
    share: int
    """A whole percentage; all together 100"""
    message: dict[str, Any]
    """By type: text, or photo, video, document, animation, audio, voice or media; caption, parse_mode, reply_markup…"""


class BroadcastSettingsRateLimitOnError(TypedDict):
    stop: NotRequired[bool]
    """Stop when the platform tells to slow down; default true"""
    extraDelay: NotRequired[int]
    """Else the least gap between messages from then on, milliseconds"""


class BroadcastSettings(TypedDict):
    intervalCap: NotRequired[int]
    """Messages a second, 1 to 30, with paid broadcasts to 1000; default 10"""
    track_clicks: NotRequired[bool]
    """Links lead through this service, which counts clicks; default false"""
    rateLimitOnError: NotRequired[BroadcastSettingsRateLimitOnError]


class SaveBroadcastRequestInput(TypedDict):
    resource_key: NotRequired[str]
    id: int
    name: NotRequired[str | None]
    """For the owner, 1 to 250 characters"""
    segmentations: NotRequired[SaveBroadcastRequestInputSegmentations | None]
    message: NotRequired[Mapping[str, Any] | None]
    variants: NotRequired[Sequence[SaveBroadcastRequestInputVariantsItem] | None]
    settings: NotRequired[SaveBroadcastRequestInputSettings | None]
    date_send: NotRequired[str | None]
    """In the bot's time zone; null: at once when it is activated"""


class SaveBroadcastRequestInputSegmentations(TypedDict):
    """All of include but those of exclude"""
    include: NotRequired[Sequence[Mapping[str, Any]]]
    exclude: NotRequired[Sequence[Mapping[str, Any]]]


class SaveBroadcastRequestInputVariantsItem(TypedDict):
    name: str
    share: int
    """A whole percentage; all together 100"""
    message: Mapping[str, Any]
    """By type: text, or photo, video, document, animation, audio, voice or media; caption, parse_mode, reply_markup…"""


class SaveBroadcastRequestInputSettingsRateLimitOnError(TypedDict):
    stop: NotRequired[bool]
    """Stop when the platform tells to slow down; default true"""
    extraDelay: NotRequired[int]
    """Else the least gap between messages from then on, milliseconds"""


class SaveBroadcastRequestInputSettings(TypedDict):
    intervalCap: NotRequired[int]
    """Messages a second, 1 to 30, with paid broadcasts to 1000; default 10"""
    track_clicks: NotRequired[bool]
    """Links lead through this service, which counts clicks; default false"""
    rateLimitOnError: NotRequired[SaveBroadcastRequestInputSettingsRateLimitOnError]


class ListBroadcastsData(TypedDict):
    items: list[Broadcast]
    total: int
    limit: int
    offset: int
    data_as_of: str
    """What was recorded up to then has been applied"""


class CancelBroadcastRequestInput(TypedDict):
    resource_key: NotRequired[str]
    id: int


class UploadSegmentRequestInput(TypedDict):
    resource_key: NotRequired[str]
    task_id: int
    """The draft that it is for"""
    chat_ids: Sequence[int]
    """Groups and channels are negative"""


class UploadSegmentData(TypedDict):
    segment_id: int
    """What a custom segment names"""
    count_list: int
    """Without duplicates"""
    duplicates: int


class SegmentFromReportRequestInput(TypedDict):
    resource_key: NotRequired[str]
    uuid: NotRequired[str | None]
    """A saved report; or a report_config, not both"""
    report_config: NotRequired[ReportConfigInput | None]
    params: NotRequired[Mapping[str, Any] | None]
    """Another period than the one that was saved"""
    cell: NotRequired[SegmentFromReportRequestInputCellSeries | SegmentFromReportRequestInputCellStepKind | SegmentFromReportRequestInputCellCohort | SegmentFromReportRequestInputCell | None]
    task_id: int
    """The draft that it is for"""


class SegmentFromReportRequestInputCellSeries(TypedDict):
    series: int
    """The index of the request"""
    bucket: NotRequired[str | None]
    """The date of a row; without it, the whole period"""
    breakdown: NotRequired[Mapping[str, str | Decimal | int | str | bool | None] | None]
    """Of a report with a breakdown: the values of the row or line"""
    other: NotRequired[bool | None]
    """The line of all other combinations"""


class SegmentFromReportRequestInputCellStepKind(TypedDict):
    step: int
    kind: Literal['reached', 'dropped', 'in_progress']
    breakdown: NotRequired[Mapping[str, str | Decimal | int | str | bool | None] | None]
    """Of a report with a breakdown: the values of the row or line"""
    other: NotRequired[bool | None]
    """The line of all other combinations"""


class SegmentFromReportRequestInputCellCohort(TypedDict):
    cohort: str
    interval: NotRequired[int | None]
    """Who returned in it; without it, all members of the cohort"""
    breakdown: NotRequired[Mapping[str, str | Decimal | int | str | bool | None] | None]
    """Of a report with a breakdown: the values of the row or line"""
    other: NotRequired[bool | None]
    """The line of all other combinations"""


class SegmentFromReportRequestInputCell(TypedDict):
    """Of a list: the users of its rows"""


class CreateSegmentFromReportData(TypedDict):
    segment_id: int
    """What a custom segment names"""
    count: int
    """Users in the list"""
    data_as_of: str
    """What was received up to then has been counted"""


class Recipient(TypedDict):
    chat_id: int
    state: Literal['pending', 'delivered', 'not_delivered', 'cancelled', 'unknown']
    reason: str | None
    date: str | None


class ListRecipientsData(TypedDict):
    items: list[Recipient]
    total: int
    limit: int
    offset: int


class GetBroadcastStatisticsDataTotal(TypedDict):
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


class GetBroadcastStatisticsDataVariantsItem(TypedDict):
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


class GetBroadcastStatisticsDataLinksItem(TypedDict):
    launch: int
    variant: str | None
    """Its name; null: the broadcast has none"""
    url: str
    clicked: int
    """Recipients with a counted click"""
    clicks: int


class GetBroadcastStatisticsData(TypedDict):
    total: GetBroadcastStatisticsDataTotal
    variants: list[GetBroadcastStatisticsDataVariantsItem]
    """In their order; empty: none"""
    links: list[GetBroadcastStatisticsDataLinksItem]
    """Links whose clicks are counted, by launch, in the order of the message"""
    data_as_of: str
    """What was recorded up to then has been counted"""


class ConversionsRequestInput(TypedDict):
    resource_key: NotRequired[str]
    task_id: int
    """The broadcast"""
    event_id: int | None
    """Null: any event"""
    days: int
    """Of 24 hours, from each message on"""
    conditions: NotRequired[Sequence[Any] | None]
    """On fields of the event, as in a performed_event"""


class CountConversionsDataTotal(TypedDict):
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


class CountConversionsDataVariantsItem(TypedDict):
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


class CountConversionsDataWarningsItem(TypedDict):
    path: str
    message: str


class CountConversionsData(TypedDict):
    total: CountConversionsDataTotal
    variants: list[CountConversionsDataVariantsItem]
    """In their order; empty: none"""
    days: int
    data_as_of: str
    """What was recorded up to then has been counted"""
    warnings: list[CountConversionsDataWarningsItem]
    """Amounts that await revaluation"""


class ListBroadcastFieldsDataUsersItem(TypedDict):
    name: str
    type: str
    operators: list[str]


class ListBroadcastFieldsDataEventsItem(TypedDict):
    name: str
    type: str
    operators: list[str]


class ListBroadcastFieldsData(TypedDict):
    users: list[ListBroadcastFieldsDataUsersItem]
    """For user_conditions; below a name that ends in .* there is any key"""
    events: list[ListBroadcastFieldsDataEventsItem]
    """For the conditions of event_filters"""
    templates: list[str]
    """What a template can name"""


class CountAudienceBodySegmentations(TypedDict):
    """All of include but those of exclude"""
    include: NotRequired[Sequence[Mapping[str, Any]]]
    exclude: NotRequired[Sequence[Mapping[str, Any]]]


class CountAudienceBody(TypedDict):
    resource_key: NotRequired[str]
    segmentations: CountAudienceBodySegmentations
    """All of include but those of exclude"""
    task_id: NotRequired[int | None]
    """The draft whose uploaded lists custom segments name"""
    sample: NotRequired[int | None]
    """How many chats to name; default 5"""


class CountAudienceDataSampleItem(TypedDict):
    chat_id: int
    first_name: str | None
    last_name: str | None
    username: str | None


class CountAudienceData(TypedDict):
    count: int
    sample: list[CountAudienceDataSampleItem]
    data_as_of: str
    """How far the data were applied; the launch resolves the audience again"""


class PreviewBroadcastBody(TypedDict):
    resource_key: NotRequired[str]
    type: Literal['sendMessage', 'sendPhoto', 'sendVideo', 'sendDocument', 'sendAnimation', 'sendAudio', 'sendVoice', 'sendMediaGroup']
    message: Mapping[str, Any]
    """By type: text, or photo, video, document, animation, audio, voice or media; caption, parse_mode, reply_markup…"""
    user_id: NotRequired[int | None]
    """The user to render it for; default the bot's first user"""


class PreviewBroadcastDataUser(TypedDict):
    user_id: int
    first_name: str | None
    username: str | None
    invented: bool
    """The bot has no users yet"""


class PreviewBroadcastDataTextEntitiesItem(TypedDict):
    type: Literal['bold', 'italic', 'underline', 'strikethrough', 'spoiler', 'code', 'pre', 'text_link', 'custom_emoji', 'blockquote', 'expandable_blockquote']
    offset: int
    """UTF-16 units"""
    length: int
    url: NotRequired[str]
    language: NotRequired[str]


class PreviewBroadcastDataText(TypedDict):
    text: str
    """Without markup"""
    entities: list[PreviewBroadcastDataTextEntitiesItem]
    characters: int
    """Code points without markup and the blanks around it"""
    limit: int


class PreviewBroadcastDataCaptionEntitiesItem(TypedDict):
    type: Literal['bold', 'italic', 'underline', 'strikethrough', 'spoiler', 'code', 'pre', 'text_link', 'custom_emoji', 'blockquote', 'expandable_blockquote']
    offset: int
    """UTF-16 units"""
    length: int
    url: NotRequired[str]
    language: NotRequired[str]


class PreviewBroadcastDataCaption(TypedDict):
    text: str
    """Without markup"""
    entities: list[PreviewBroadcastDataCaptionEntitiesItem]
    characters: int
    """Code points without markup and the blanks around it"""
    limit: int


class PreviewBroadcastDataMediaItemCaptionEntitiesItem(TypedDict):
    type: Literal['bold', 'italic', 'underline', 'strikethrough', 'spoiler', 'code', 'pre', 'text_link', 'custom_emoji', 'blockquote', 'expandable_blockquote']
    offset: int
    """UTF-16 units"""
    length: int
    url: NotRequired[str]
    language: NotRequired[str]


class PreviewBroadcastDataMediaItemCaption(TypedDict):
    text: str
    """Without markup"""
    entities: list[PreviewBroadcastDataMediaItemCaptionEntitiesItem]
    characters: int
    """Code points without markup and the blanks around it"""
    limit: int


class PreviewBroadcastDataMediaItem(TypedDict):
    type: str
    media: str
    caption: PreviewBroadcastDataMediaItemCaption | None


class PreviewBroadcastDataButtonsItemItem(TypedDict):
    text: str
    action: str | None
    value: str | None


class PreviewBroadcastDataProblemsItem(TypedDict):
    path: str
    message: str
    allowed: NotRequired[list[str]]


class PreviewBroadcastData(TypedDict):
    user: PreviewBroadcastDataUser
    text: PreviewBroadcastDataText | None
    caption: PreviewBroadcastDataCaption | None
    media: list[PreviewBroadcastDataMediaItem]
    buttons: list[list[PreviewBroadcastDataButtonsItemItem]]
    problems: list[PreviewBroadcastDataProblemsItem]
    """What create or the platform would refuse"""


class TestSendBody(TypedDict):
    resource_key: NotRequired[str]
    type: Literal['sendMessage', 'sendPhoto', 'sendVideo', 'sendDocument', 'sendAnimation', 'sendAudio', 'sendVoice', 'sendMediaGroup']
    message: Mapping[str, Any]
    """By type: text, or photo, video, document, animation, audio, voice or media; caption, parse_mode, reply_markup…"""
    chat_id: int
    """Groups and channels are negative"""


class TestSendData(TypedDict):
    outcome: Literal['delivered', 'refused', 'unknown', 'not_sent']
    reason: str | None
    """The platform's words, or why there is no answer"""


class SaveSegmentRequestInput(TypedDict):
    resource_key: NotRequired[str]
    name: str
    """1 to 250 characters"""
    conditions: SavedSegmentConditionsInput
    saved_segment_id: NotRequired[int | None]
    """The saved segment to replace; without one, a new one is saved"""


class SavedSegmentConditionsInput(TypedDict):
    """As the config of a filter segment of a broadcast"""
    user_conditions: NotRequired[Sequence[Any] | None]
    event_filters: NotRequired[Sequence[Any] | None]


class SaveSegmentData(TypedDict):
    saved_segment_id: int


class SavedSegment(TypedDict):
    saved_segment_id: int
    name: str
    resource_key: str
    """Of its bot"""
    conditions: SavedSegmentConditions
    date_create: str
    date_change: str
    """When it was saved last"""


class SavedSegmentConditions(TypedDict):
    """As the config of a filter segment of a broadcast"""
    user_conditions: NotRequired[list[Any] | None]
    event_filters: NotRequired[list[Any] | None]


class ListSavedSegmentsData(TypedDict):
    items: list[SavedSegment]


class DeleteSavedSegmentRequestInput(TypedDict):
    resource_key: NotRequired[str]
    saved_segment_id: int


class DeleteSavedSegmentData(TypedDict):
    saved_segment_id: int


class CreateReferralCodeBody(TypedDict):
    user_id: int


class CreateReferralCodeData(TypedDict):
    code: str
    link: str | None


class CreateReferralCodeByGetData(TypedDict):
    code: str
    link: str | None


class SetCodeOwnersBodyItem(TypedDict):
    code: str
    user_id: int


class SetCodeOwnersDataResultsItem(TypedDict):
    code: str
    owner_id: int
    created: bool
    backfilled: int


class SetCodeOwnersData(TypedDict):
    results: list[SetCodeOwnersDataResultsItem]


class ListReferralCodesDataCodesItem(TypedDict):
    code: str
    link: str | None
    date_create: str


class ListReferralCodesData(TypedDict):
    total_referrals: int
    codes: list[ListReferralCodesDataCodesItem]


class ListReferralsDataReferralsItem(TypedDict):
    referral_id: int
    date: str


class ListReferralsData(TypedDict):
    referrals: list[ListReferralsDataReferralsItem]


class MarkReferralBody(TypedDict):
    referral_user_id: int
    """Who is referred"""
    code: NotRequired[str | None]
    """The code that referred the user; this or referrer_user_id"""
    referrer_user_id: NotRequired[int | None]
    """Who referred the user; this or code"""


class MarkReferralData(TypedDict):
    referral_id: int
    referrer_id: int | None
    code: str | None
    already_attributed: bool


class GetReferralBalanceDataBalanceItem(TypedDict):
    unit_id: int | None
    available: Decimal
    reserved: Decimal
    paid: Decimal
    on_hold: Decimal


class GetReferralBalanceData(TypedDict):
    balance: list[GetReferralBalanceDataBalanceItem]
    data_as_of: NotRequired[str]
    """With `at` only"""


class RequestReferralPayoutBody(TypedDict):
    user_id: int
    unit_id: NotRequired[int | None]
    """Absent: every unit; null: amounts without a unit"""
    method: NotRequired[Literal['webhook', 'manual'] | None]
    """Default webhook"""


class RequestReferralPayoutData(TypedDict):
    payout_id: int
    payout_ids: list[int]


class ListReferralPayoutsDataPayoutsItem(TypedDict):
    payout_id: int
    amount: Decimal
    unit_id: int | None
    status: Literal[0, 1, 2, 3, 4]
    """0 created, 1 processing, 2 paid, 3 failed, 4 cancelled"""
    method: Literal['webhook', 'manual']
    initiated_by: Literal['api', 'admin', 'auto']
    requested_at: str
    processed_at: str | None


class ListReferralPayoutsData(TypedDict):
    payouts: list[ListReferralPayoutsDataPayoutsItem]


class ReverseReferralAccrualBody(TypedDict):
    accrual_id: int
    reason: NotRequired[str | None]
    """Kept with the accrual; without effect"""


class ReverseReferralAccrualData(TypedDict):
    pass


class ListReferralAccrualsDataAccrualsItem(TypedDict):
    id: int
    date: str
    referral_id: int
    amount: Decimal
    unit_id: int | None
    status: Literal[0, 1, 2]
    """0 on hold, 1 confirmed, 2 paid out"""
    available_at: str | None


class ListReferralAccrualsData(TypedDict):
    accruals: list[ListReferralAccrualsDataAccrualsItem]


class ListReferralRatesDataRatesItem(TypedDict):
    rule_id: int
    rule_name: str | None
    trigger_event_id: int
    reward_type: Literal['fixed', 'percent', 'external']
    reward_amount: Decimal | None
    reward_percent: Decimal | None
    unit_id: int | None
    locked: bool
    source: Literal['auto', 'manual'] | None


class ListReferralRatesData(TypedDict):
    rates: list[ListReferralRatesDataRatesItem]


class ListReferralHistoryDataHistoryItem(TypedDict):
    unit_id: int | None
    available: Decimal
    reserved: Decimal
    paid: Decimal
    on_hold: Decimal
    position: int | None
    """The commit of the account; null: no commit, the clock"""
    date: str
    event: Literal['accrued', 'hold_passed', 'cancelled', 'compensated', 'payout_requested', 'payout_paid', 'payout_cancelled']
    accrual_id: int | None
    payout_id: int | None
    amount: Decimal


class ListReferralHistoryData(TypedDict):
    history: list[ListReferralHistoryDataHistoryItem]


class ListReferrersDataReferrersItemBalanceItem(TypedDict):
    unit_id: int | None
    available: Decimal
    reserved: Decimal
    paid: Decimal
    on_hold: Decimal
    earned: Decimal
    """All accruals that were not cancelled"""


class ListReferrersDataReferrersItem(TypedDict):
    user_id: int
    first_name: str | None
    """Null: unknown or erased"""
    username: str | None
    """Null: unknown or erased"""
    referrals: int
    """Users that the user referred"""
    balance: list[ListReferrersDataReferrersItemBalanceItem]


class ListReferrersData(TypedDict):
    referrers: list[ListReferrersDataReferrersItem]
    data_as_of: str
    """What was received up to then has been applied by all read models of the answer"""


class ListAllReferralPayoutsDataPayoutsItemDeliveriesItem(TypedDict):
    attempt: int
    at: str
    status: int | None
    """HTTP status of the client's answer; null: none, or none yet"""
    error: str | None


class ListAllReferralPayoutsDataPayoutsItem(TypedDict):
    payout_id: int
    amount: Decimal
    unit_id: int | None
    status: Literal[0, 1, 2, 3, 4]
    """0 created, 1 processing, 2 paid, 3 failed, 4 cancelled"""
    method: Literal['webhook', 'manual']
    initiated_by: Literal['api', 'admin', 'auto']
    requested_at: str
    processed_at: str | None
    user_id: int
    first_name: str | None
    """Null: unknown or erased"""
    username: str | None
    """Null: unknown or erased"""
    error: str | None
    """Why the last attempt, or the payout, failed"""
    deliveries: list[ListAllReferralPayoutsDataPayoutsItemDeliveriesItem]


class ListAllReferralPayoutsData(TypedDict):
    payouts: list[ListAllReferralPayoutsDataPayoutsItem]
    data_as_of: str
    """What was received up to then has been applied by all read models of the answer"""


class ListReferralEntriesDataEntriesItem(TypedDict):
    accrual_id: int
    position: int
    """The commit of the account that recorded it"""
    date: str
    """Receipt of the event that earned it"""
    recorded_at: str
    available_at: str
    referral_id: int
    rule_id: int
    rule_name: str | None
    amount: Decimal
    unit_id: int | None
    payout_id: int | None
    """The payout that has it now"""
    compensates: int | None
    """The accrual that it makes good"""
    compensated_by: int | None
    """The accrual that makes it good"""
    reversed_at: str | None
    reason: str | None
    """Why it was reversed; of a compensation: why its accrual was"""


class ListReferralEntriesData(TypedDict):
    entries: list[ListReferralEntriesDataEntriesItem]


class GetReferralChainDataHead(TypedDict):
    position: int
    hash: str


class GetReferralChainDataCommitsItem(TypedDict):
    position: int
    hash: str
    date: str
    prev: str
    """Hash of the commit before it; empty: it is the first"""
    events: list[str]


class GetReferralChainData(TypedDict):
    head: GetReferralChainDataHead | None
    """The last commit of the account; null: it has none"""
    commits: list[GetReferralChainDataCommitsItem]


class GetReferralProgramDataRulesItem(TypedDict):
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


class GetReferralProgramDataUnitsItem(TypedDict):
    unit_id: int
    code: str
    name: str | None
    scale: int
    """Decimals of a normal unit"""


class GetReferralProgramData(TypedDict):
    rules: list[GetReferralProgramDataRulesItem]
    units: list[GetReferralProgramDataUnitsItem]


class ListBotSettingsDataItemsItem(TypedDict):
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
    items: list[ListBotSettingsDataItemsItem]


class CreateBotBody(TypedDict):
    name: str
    username: NotRequired[str | None]
    """The platform's name of the bot; empty: none"""
    token: NotRequired[str | None]
    """Of the Bot API; empty: none. It is never answered"""
    timezone: NotRequired[str | None]
    """IANA name"""


class CreateBotData(TypedDict):
    resource_key: str
    webhook_secret: str | None


class SetBotBody(TypedDict):
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
    """Allows more than 30 messages a second, which the platform charges for"""


class SetBotData(TypedDict):
    resource_key: str


class RotateBotWebhookSecretBody(TypedDict):
    pass


class RotateBotWebhookSecretData(TypedDict):
    resource_key: str
    webhook_secret: str | None


class ListKeysDataItemsItem(TypedDict):
    key_id: int
    public_part: str
    bots: list[str] | None
    kind: Literal['personal', 'service', 'owner']
    name: str | None
    issued_at: str
    expires_at: str | None
    revoked_at: str | None
    rotates: int | None
    last_used_at: str | None
    """Cut to the minute; null: no use is recorded"""
    is_own: bool
    """Whether it is the key of this request"""


class ListKeysData(TypedDict):
    items: list[ListKeysDataItemsItem]


class IssueKeyBody(TypedDict):
    bots: Literal['all'] | Sequence[str]
    """Resource keys of the bots, or `all`: later ones too"""
    kind: NotRequired[Literal['personal', 'service', 'owner']]
    """`owner` is refused: an operator issues owner keys"""
    name: NotRequired[str | None]
    expires_at: NotRequired[str | None]
    """Absent: never"""


class IssueKeyData(TypedDict):
    key_id: int
    api_key: str | None


class RotateKeyBody(TypedDict):
    key_id: int
    overlap_seconds: NotRequired[int | None]
    """How long the old key keeps working; default a day, for owner keys at most; at least 600 for the key of the request"""


class RotateKeyData(TypedDict):
    key_id: int
    api_key: str | None


class RevokeKeyBody(TypedDict):
    key_id: int


class RevokeKeyData(TypedDict):
    key_id: int


class ListGoalsDataItemsItem(TypedDict):
    target_id: int
    event_id: int
    name: str


class ListGoalsData(TypedDict):
    items: list[ListGoalsDataItemsItem]


class CreateGoalBody(TypedDict):
    target_id: int
    name: str


class CreateGoalData(TypedDict):
    target_id: int
    event_id: int


class ListUnitsDataItemsItem(TypedDict):
    unit_id: int
    code: str
    name: str | None
    scale: int


class ListUnitsData(TypedDict):
    items: list[ListUnitsDataItemsItem]


class CreateUnitBody(TypedDict):
    code: str
    name: NotRequired[str | None]
    scale: NotRequired[int | None]
    """Decimals, 0 to 18; default 2"""


class CreateUnitData(TypedDict):
    unit_id: int


ListExchangeRatesDataItemsItem = TypedDict(
    'ListExchangeRatesDataItemsItem',
    {'from': 'str', 'to': 'str', 'date': 'str', 'rate': 'Decimal'},
)


class ListExchangeRatesData(TypedDict):
    items: list[ListExchangeRatesDataItemsItem]


class ListRulesDataItemsItem(TypedDict):
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
    items: list[ListRulesDataItemsItem]


class CreateRuleBody(TypedDict):
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


class CreateRuleData(TypedDict):
    rule_id: int


class EditRuleBody(TypedDict):
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


class EditRuleData(TypedDict):
    rule_id: int


class GetPayoutWebhookDataWebhook(TypedDict):
    url: str
    set_at: str
    signatures: int
    """2 for a day after a rotation"""


class GetPayoutWebhookData(TypedDict):
    webhook: GetPayoutWebhookDataWebhook | None


class SetPayoutWebhookBody(TypedDict):
    url: str


class SetPayoutWebhookData(TypedDict):
    secret: str | None


class RotatePayoutWebhookSecretBody(TypedDict):
    pass


class RotatePayoutWebhookSecretData(TypedDict):
    secret: str | None


class ListDeliveriesDataItemsItem(TypedDict):
    payout_id: int
    webhook_id: str
    attempt: int
    at: str
    status: int | None
    """HTTP status of the answer; null: there is none, or none yet"""
    error: str | None


class ListDeliveriesData(TypedDict):
    items: list[ListDeliveriesDataItemsItem]


class RedeliverPayoutBody(TypedDict):
    payout_id: int


class RedeliverPayoutData(TypedDict):
    payout_id: int


class ReadModelVersion(TypedDict):
    name: str
    version: int
    state: Literal['live', 'building', 'ready', 'stopped']
    live: bool
    """Whether the version answers, also if it has stopped"""
    verified: bool
    """Whether a comparison found it equal to a replay of the log"""
    position: str | None
    lag: ReadModelVersionLag
    deferred: ReadModelVersionDeferred | None
    error: str | None
    next: Literal['retry', 'rebuild', 'verify', 'switch', 'drop'] | None
    """What to do next"""


class ReadModelVersionLag(TypedDict):
    events: Decimal | int
    """Commits not read yet, an upper bound"""
    seconds: Decimal | int
    """Age of the oldest of them"""


class ReadModelVersionDeferred(TypedDict):
    events: int
    exact: bool


class AdminListProjectionsData(TypedDict):
    items: list[ReadModelVersion]
    commits: int
    """All commits of the log, about"""


class AdminSwitchProjectionBody(TypedDict):
    name: Literal['catalog', 'users', 'events', 'reports', 'broadcasts', 'recipients', 'clicks', 'referral', 'accounts']
    version: NotRequired[int]
    reason: str
    """Why, 1 to 1000 characters; the log keeps it"""


class AdminSwitchProjectionData(TypedDict):
    name: str
    version: int


class AdminDropProjectionBody(TypedDict):
    name: Literal['catalog', 'users', 'events', 'reports', 'broadcasts', 'recipients', 'clicks', 'referral', 'accounts']
    version: int
    reason: str
    """Why, 1 to 1000 characters; the log keeps it"""


class AdminDropProjectionData(TypedDict):
    name: str
    version: int


class DeadLetter(TypedDict):
    id: str
    projection: str
    version: int
    stream: str
    position: str
    blocking: bool
    """Whether the read model waits at the commit; false: it has skipped it"""
    at: str
    """When the read model failed to apply it"""
    error: str
    recorded_at: str
    events: list[DeadLetterEventsItem]
    """The first 20 events; of each the first 4096 characters. Personal data are sealed; tokens and hashes of secrets are left out"""
    events_count: int


class DeadLetterEventsItem(TypedDict):
    type: str
    v: int
    data: Any
    """If it is not shown whole: the start of its JSON text, or null"""
    data_bytes: int
    """Of the JSON text of the whole data"""
    data_whole: bool


class AdminListDeadLettersData(TypedDict):
    items: list[DeadLetter]
    total: int


class AdminRetryDeadLetterBody(TypedDict):
    id: str
    """As the list has it"""


class AdminRetryDeadLetterData(TypedDict):
    id: str
    in_effect: bool
    """Whether the read model has passed the commit"""


class AdminSkipDeadLetterBody(TypedDict):
    id: str
    """As the list has it"""
    reason: str
    """Why, 1 to 1000 characters; the log keeps it"""


class AdminSkipDeadLetterData(TypedDict):
    id: str
    in_effect: bool
    """Whether the read model has passed the commit"""


class BackgroundProcess(TypedDict):
    name: str
    state: Literal['live', 'stopped']
    lag: BackgroundProcessLag
    error: str | None
    lease: BackgroundProcessLease | None
    """The instance that works, of several the one with the first partitions; null: none does now"""
    instances: list[BackgroundProcessInstancesItem]
    """The instances that work, and how many groups of partitions each has; null: the work is not divided"""
    failures: list[BackgroundProcessFailuresItem]
    """Parts of the work that fail now and are tried again"""


class BackgroundProcessLag(TypedDict):
    events: Decimal | int
    """Commits not read yet, an upper bound"""
    seconds: Decimal | int
    """Age of the oldest of them"""


class BackgroundProcessLease(TypedDict):
    holder: str
    expires_at: str


class BackgroundProcessInstancesItem(TypedDict):
    holder: str
    parts: int | None


class BackgroundProcessFailuresItem(TypedDict):
    subject: str
    error: str
    until: str


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
    last: str


class AdminListBotErrorsData(TypedDict):
    items: list[BotErrorGroup]


class AdminRequestJobBody(TypedDict):
    kind: Literal['rebuild', 'verify', 'audit']
    projection: NotRequired[Literal['catalog', 'users', 'events', 'reports', 'broadcasts', 'recipients', 'clicks', 'referral', 'accounts']]
    """The read model of a rebuild or a verification"""
    bot: NotRequired[str]
    """Public key. Of an audit: of its streams and accounts alone, without replays"""
    user_id: NotRequired[int]
    """Of an audit: of this account of the bot alone"""
    reason: str
    """Why, 1 to 1000 characters; the log keeps it"""


class AdminRequestJobData(TypedDict):
    job_id: str


class Job(TypedDict):
    job_id: str
    kind: Literal['rebuild', 'verify', 'audit']
    projection: str | None
    bot: str | None
    user_id: int | None
    reason: str
    operator_id: int
    operator: str
    """Name of the operator"""
    requested_at: str
    state: Literal['waiting', 'running', 'done', 'findings', 'failed']
    """waiting: no instance works on it now"""
    progress: JobProgress | None
    summary: str | None
    findings: list[JobFindingsItem]
    findings_count: int
    finished_at: str | None


class JobProgress(TypedDict):
    what: str
    done: Decimal | int
    total: Decimal | int | None
    unit: str
    seconds: Decimal | int
    """Since an instance began or resumed it"""


class JobFindingsItem(TypedDict):
    kind: str
    stream: str | None
    revision: int | None
    message: str


class AdminListJobsData(TypedDict):
    items: list[Job]


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
