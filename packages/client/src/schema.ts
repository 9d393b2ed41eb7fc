// Made from openapi.json by `npm run client-types`; do not edit.
// Sources: sha256 17d46f6f3fc9d020217c3f2c20507b9d6f4f228e0f49a08f300e4ef2378cd2d9
// Types: sha256 a55747192aac5e7ba1f1bedb656aedf0af1b0961f6c69808e6634fb0cf637f2b
type Schemas = components["schemas"];

export interface paths {
  "/v1/send-target": {
    post: { query: Schemas["SendTargetQuery"]; body: Schemas["SendTargetBody"]; answer: Schemas["AcceptedEvents"] };
  };
  "/v1/send-event": {
    post: { query: Schemas["SendEventQuery"]; body: Schemas["SendEventBody"]; answer: Schemas["AcceptedEvents"] };
  };
  "/v1/send-update": {
    post: { body: Schemas["ForwardedUpdate"]; answer: Schemas["AcceptedUpdates"] };
  };
  "/v1/send-batch-update": {
    post: { body: Schemas["SendBatchUpdateBody"]; answer: Schemas["AcceptedUpdates"] };
  };
  "/v1/bot-errors": {
    get: { query: Schemas["ListBotErrorsQuery"]; answer: Schemas["ListBotErrorsAnswer"] };
  };
  "/v1/events/latest": {
    get: { query: Schemas["ListLatestEventsQuery"]; answer: Schemas["ListLatestEventsAnswer"] };
  };
  "/v1/reports/resources": {
    get: { answer: Schemas["ListResourcesAnswer"] };
  };
  "/v1/reports/events": {
    get: { answer: Schemas["ListReportEventsAnswer"] };
  };
  "/v1/reports/event-fields": {
    get: { answer: Schemas["ListEventFieldsAnswer"] };
  };
  "/v1/reports/event-properties": {
    get: { answer: Schemas["ListEventPropertiesAnswer"] };
  };
  "/v1/reports/user-fields": {
    get: { answer: Schemas["ListUserFieldsAnswer"] };
  };
  "/v1/reports/utm-labels": {
    get: { answer: Schemas["ListUtmLabelsAnswer"] };
  };
  "/v1/reports/preview": {
    post: { body: Schemas["PreviewRequest"]; answer: Schemas["PreviewReportAnswer"] };
  };
  "/v1/reports/run": {
    post: { body: Schemas["RunRequest"]; answer: Schemas["RunReportAnswer"]; csv: true };
  };
  "/v1/reports/users": {
    post: { body: Schemas["ReportUsersRequest"]; answer: Schemas["ListReportUsersAnswer"] };
  };
  "/v1/reports/save": {
    post: { body: Schemas["SaveRequest"]; answer: Schemas["SaveReportAnswer"] };
  };
  "/v1/reports/list": {
    get: { answer: Schemas["ListReportsAnswer"] };
  };
  "/v1/reports/get": {
    get: { query: Schemas["GetReportQuery"]; answer: Schemas["GetReportAnswer"] };
  };
  "/v1/reports/delete": {
    post: { body: Schemas["DeleteReportRequest"]; answer: Schemas["DeleteReportAnswer"] };
  };
  "/v1/reports/pin": {
    post: { body: Schemas["PinReportRequest"]; answer: Schemas["PinReportAnswer"] };
  };
  "/v1/reports/new-users": {
    get: { query: Schemas["CountNewUsersQuery"]; answer: Schemas["CountNewUsersAnswer"] };
  };
  "/v1/users/list": {
    get: { query: Schemas["ListUsersQuery"]; answer: Schemas["ListUsersAnswer"] };
  };
  "/v1/users/get": {
    get: { query: Schemas["GetUserQuery"]; answer: Schemas["GetUserAnswer"] };
  };
  "/v1/users/broadcasts": {
    get: { query: Schemas["ListUserBroadcastsQuery"]; answer: Schemas["ListUserBroadcastsAnswer"] };
  };
  "/v1/broadcast/create": {
    post: { body: Schemas["CreateBroadcastRequest"]; answer: Schemas["CreateBroadcastAnswer"] };
  };
  "/v1/broadcast/save": {
    post: { body: Schemas["SaveBroadcastRequest"]; answer: Schemas["SaveBroadcastAnswer"] };
  };
  "/v1/broadcast/get": {
    get: { query: Schemas["GetBroadcastQuery"]; answer: Schemas["GetBroadcastAnswer"] };
  };
  "/v1/broadcast/list": {
    get: { query: Schemas["ListBroadcastsQuery"]; answer: Schemas["ListBroadcastsAnswer"] };
  };
  "/v1/broadcast/activate": {
    post: { body: Schemas["SaveBroadcastRequest"]; answer: Schemas["ActivateBroadcastAnswer"] };
  };
  "/v1/broadcast/cancel": {
    post: { body: Schemas["BroadcastIdRequest"]; answer: Schemas["CancelBroadcastAnswer"] };
  };
  "/v1/broadcast/archive": {
    post: { body: Schemas["ArchiveBroadcastRequest"]; answer: Schemas["ArchiveBroadcastAnswer"] };
  };
  "/v1/broadcast/delete": {
    post: { body: Schemas["BroadcastIdRequest"]; answer: Schemas["DeleteBroadcastAnswer"] };
  };
  "/v1/broadcast/upload-segment": {
    post: { body: Schemas["UploadSegmentRequest"]; answer: Schemas["UploadSegmentAnswer"] };
  };
  "/v1/broadcast/segment-from-report": {
    post: { body: Schemas["SegmentFromReportRequest"]; answer: Schemas["CreateSegmentFromReportAnswer"] };
  };
  "/v1/broadcast/recipients": {
    get: { query: Schemas["ListRecipientsQuery"]; answer: Schemas["ListRecipientsAnswer"]; csv: true };
  };
  "/v1/broadcast/statistics": {
    get: { query: Schemas["GetBroadcastStatisticsQuery"]; answer: Schemas["GetBroadcastStatisticsAnswer"] };
  };
  "/v1/broadcast/conversions": {
    post: { body: Schemas["ConversionsRequest"]; answer: Schemas["CountConversionsAnswer"] };
  };
  "/v1/broadcast/fields": {
    get: { answer: Schemas["ListBroadcastFieldsAnswer"] };
  };
  "/v1/broadcast/audience-size": {
    post: { body: Schemas["AudienceSizeRequest"]; answer: Schemas["CountAudienceAnswer"] };
  };
  "/v1/broadcast/preview": {
    post: { body: Schemas["PreviewBroadcastRequest"]; answer: Schemas["PreviewBroadcastAnswer"] };
  };
  "/v1/broadcast/test-send": {
    post: { body: Schemas["TestSendRequest"]; answer: Schemas["TestSendAnswer"] };
  };
  "/v1/saved-segments/save": {
    post: { body: Schemas["SaveSegmentRequest"]; answer: Schemas["SaveSegmentAnswer"] };
  };
  "/v1/saved-segments/list": {
    get: { answer: Schemas["ListSavedSegmentsAnswer"] };
  };
  "/v1/saved-segments/get": {
    get: { query: Schemas["GetSavedSegmentQuery"]; answer: Schemas["GetSavedSegmentAnswer"] };
  };
  "/v1/saved-segments/delete": {
    post: { body: Schemas["DeleteSavedSegmentRequest"]; answer: Schemas["DeleteSavedSegmentAnswer"] };
  };
  "/v1/referral/create-code": {
    post: { body: Schemas["UserRequest"]; answer: Schemas["CreateReferralCodeAnswer"] };
    get: { query: Schemas["CreateReferralCodeByGetQuery"]; answer: Schemas["CreateReferralCodeByGetAnswer"] };
  };
  "/v1/referral/set-code-owners": {
    post: { body: Schemas["SetCodeOwnersBody"]; answer: Schemas["SetCodeOwnersAnswer"] };
  };
  "/v1/referral/codes": {
    get: { query: Schemas["ListReferralCodesQuery"]; answer: Schemas["ListReferralCodesAnswer"] };
  };
  "/v1/referral/referrals": {
    get: { query: Schemas["ListReferralsQuery"]; answer: Schemas["ListReferralsAnswer"] };
  };
  "/v1/referral/mark-referral": {
    post: { body: Schemas["MarkReferralRequest"]; answer: Schemas["MarkReferralAnswer"] };
  };
  "/v1/referral/balance": {
    get: { query: Schemas["GetReferralBalanceQuery"]; answer: Schemas["GetReferralBalanceAnswer"] };
  };
  "/v1/referral/payout": {
    post: { body: Schemas["PayoutRequest"]; answer: Schemas["RequestReferralPayoutAnswer"] };
  };
  "/v1/referral/payouts": {
    get: { query: Schemas["ListReferralPayoutsQuery"]; answer: Schemas["ListReferralPayoutsAnswer"] };
  };
  "/v1/referral/payouts/confirm": {
    post: { body: Schemas["ChangePayoutRequest"]; answer: Schemas["ConfirmReferralPayoutAnswer"] };
  };
  "/v1/referral/payouts/fail": {
    post: { body: Schemas["FailPayoutRequest"]; answer: Schemas["FailReferralPayoutAnswer"] };
  };
  "/v1/referral/payouts/cancel": {
    post: { body: Schemas["CancelPayoutRequest"]; answer: Schemas["CancelReferralPayoutAnswer"] };
  };
  "/v1/referral/payouts/retry": {
    post: { body: Schemas["ChangePayoutRequest"]; answer: Schemas["RetryReferralPayoutAnswer"] };
  };
  "/v1/referral/reverse-accrual": {
    post: { body: Schemas["ReverseAccrualRequest"]; answer: Schemas["ReverseReferralAccrualAnswer"] };
  };
  "/v1/referral/accruals": {
    get: { query: Schemas["ListReferralAccrualsQuery"]; answer: Schemas["ListReferralAccrualsAnswer"] };
  };
  "/v1/referral/rates": {
    get: { query: Schemas["ListReferralRatesQuery"]; answer: Schemas["ListReferralRatesAnswer"] };
  };
  "/v1/referral/history": {
    get: { query: Schemas["ListReferralHistoryQuery"]; answer: Schemas["ListReferralHistoryAnswer"] };
  };
  "/v1/referral/referrers": {
    get: { query: Schemas["ListReferrersQuery"]; answer: Schemas["ListReferrersAnswer"] };
  };
  "/v1/referral/all-payouts": {
    get: { query: Schemas["ListAllReferralPayoutsQuery"]; answer: Schemas["ListAllReferralPayoutsAnswer"] };
  };
  "/v1/referral/totals": {
    get: { answer: Schemas["GetReferralTotalsAnswer"] };
  };
  "/v1/referral/entries": {
    get: { query: Schemas["ListReferralEntriesQuery"]; answer: Schemas["ListReferralEntriesAnswer"] };
  };
  "/v1/referral/chain": {
    get: { query: Schemas["GetReferralChainQuery"]; answer: Schemas["GetReferralChainAnswer"] };
  };
  "/v1/referral/proof": {
    get: { query: Schemas["GetReferralProofQuery"]; answer: Schemas["GetReferralProofAnswer"] };
  };
  "/v1/referral/program": {
    get: { answer: Schemas["GetReferralProgramAnswer"] };
  };
  "/v1/settings/bots": {
    get: { answer: Schemas["ListBotSettingsAnswer"] };
  };
  "/v1/settings/bots/create": {
    post: { body: Schemas["CreateBotRequest"]; answer: Schemas["CreateBotAnswer"] };
  };
  "/v1/settings/bots/set": {
    post: { body: Schemas["SetBotRequest"]; answer: Schemas["SetBotAnswer"] };
  };
  "/v1/settings/bots/rotate-webhook-secret": {
    post: { body: Schemas["NoFields"]; answer: Schemas["RotateBotWebhookSecretAnswer"] };
  };
  "/v1/settings/keys": {
    get: { query: Schemas["ListKeysQuery"]; answer: Schemas["ListKeysAnswer"] };
  };
  "/v1/settings/keys/issue": {
    post: { body: Schemas["IssueKeyRequest"]; answer: Schemas["IssueKeyAnswer"] };
  };
  "/v1/settings/keys/rotate": {
    post: { body: Schemas["RotateKeyRequest"]; answer: Schemas["RotateKeyAnswer"] };
  };
  "/v1/settings/keys/revoke": {
    post: { body: Schemas["RevokeKeyRequest"]; answer: Schemas["RevokeKeyAnswer"] };
  };
  "/v1/settings/goals": {
    get: { answer: Schemas["ListGoalsAnswer"] };
  };
  "/v1/settings/goals/create": {
    post: { body: Schemas["CreateGoalRequest"]; answer: Schemas["CreateGoalAnswer"] };
  };
  "/v1/settings/units": {
    get: { answer: Schemas["ListUnitsAnswer"] };
  };
  "/v1/settings/units/create": {
    post: { body: Schemas["CreateUnitRequest"]; answer: Schemas["CreateUnitAnswer"] };
  };
  "/v1/settings/exchange-rates": {
    get: { query: Schemas["ListExchangeRatesQuery"]; answer: Schemas["ListExchangeRatesAnswer"] };
  };
  "/v1/settings/events/describe": {
    post: { body: Schemas["DescribeEventBody"]; answer: Schemas["DescribeEventAnswer"] };
  };
  "/v1/settings/plan": {
    get: { answer: Schemas["GetPlanAnswer"] };
  };
  "/v1/settings/rules": {
    get: { answer: Schemas["ListRulesAnswer"] };
  };
  "/v1/settings/rules/create": {
    post: { body: Schemas["CreateRuleRequest"]; answer: Schemas["CreateRuleAnswer"] };
  };
  "/v1/settings/rules/edit": {
    post: { body: Schemas["EditRuleRequest"]; answer: Schemas["EditRuleAnswer"] };
  };
  "/v1/settings/webhook": {
    get: { answer: Schemas["GetPayoutWebhookAnswer"] };
  };
  "/v1/settings/webhook/set": {
    post: { body: Schemas["SetWebhookRequest"]; answer: Schemas["SetPayoutWebhookAnswer"] };
  };
  "/v1/settings/webhook/rotate-secret": {
    post: { body: Schemas["NoFields"]; answer: Schemas["RotatePayoutWebhookSecretAnswer"] };
  };
  "/v1/settings/webhook/deliveries": {
    get: { query: Schemas["ListDeliveriesQuery"]; answer: Schemas["ListDeliveriesAnswer"] };
  };
  "/v1/settings/webhook/redeliver": {
    post: { body: Schemas["RedeliverPayoutRequest"]; answer: Schemas["RedeliverPayoutAnswer"] };
  };
}

export interface components {
  schemas: {
    /**
     * @example {
     *       "ok": true
     *     }
     */
    AcceptedEvents: {
      /** @constant */
      ok: true;
      /** @description Only with report=unknown_users. Events of these users count if the user appears within 24 h. Null: the look-up failed */
      unknown_users?: number[] | null;
      /** @description Only with the header `Receipt: signed`: a signed note. Null: nothing of the request is kept */
      receipt?: string | null;
      /** @description unknown_users considers every update received up to this time */
      data_as_of?: components["schemas"]["Timestamp"];
    };
    /**
     * @example {
     *       "ok": true
     *     }
     */
    AcceptedUpdates: {
      /** @constant */
      ok: true;
      /** @description Only with the header `Receipt: signed`: a signed note. Null: nothing of the request is kept */
      receipt?: string | null;
    };
    AccountChain: {
      /** @description The last commit of the account; null: it has none */
      head: components["schemas"]["ChainLink"] | null;
      commits: components["schemas"]["AccountCommit"][];
    };
    AccountCommit: {
      position: number;
      hash: string;
      date: components["schemas"]["UtcTime"];
      /** @description Hash of the commit before it; empty: it is the first */
      prev: string;
      events: string[];
    };
    Accrual: {
      id: number;
      date: components["schemas"]["UtcTime"];
      referral_id: number;
      /** @example 12.5 */
      amount: string;
      unit_id: number | null;
      /**
       * @description 0 on hold, 1 confirmed, 2 paid out
       * @enum {integer}
       */
      status: 0 | 1 | 2;
      available_at: components["schemas"]["UtcTime"] | null;
    };
    Accruals: {
      accruals: components["schemas"]["Accrual"][];
    };
    ActivateBroadcastAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["Broadcast"];
      /** @description Values that were accepted but are probably mistakes; absent: none */
      warnings?: components["schemas"]["FieldWarning"][];
    };
    ArchiveBroadcastAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["Broadcast"];
      /** @description Values that were accepted but are probably mistakes; absent: none */
      warnings?: components["schemas"]["FieldWarning"][];
    };
    ArchiveBroadcastRequest: {
      resource_key?: string;
      id: number;
      /** @description false: take it out of the archive; default true */
      archived?: boolean | null;
    };
    Attribution: {
      referral_id: number;
      referrer_id: number | null;
      code: string | null;
      already_attributed: boolean;
    };
    AudienceChat: {
      chat_id: number;
      first_name: string | null;
      last_name: string | null;
      username: string | null;
    };
    AudienceField: {
      name: string;
      type: string;
      operators: string[];
    };
    AudienceSize: {
      count: number;
      sample: components["schemas"]["AudienceChat"][];
      /** @description How far the data were applied; the launch resolves the audience again */
      data_as_of: string;
    };
    AudienceSizeRequest: {
      resource_key?: string;
      segmentations: components["schemas"]["Segmentations"];
      /** @description The draft whose uploaded lists custom segments name */
      task_id?: number | null;
      /** @description How many chats to name; default 5 */
      sample?: number | null;
    };
    Balance: {
      unit_id: number | null;
      /** @example 12.5 */
      available: string;
      /** @example 12.5 */
      reserved: string;
      /** @example 12.5 */
      paid: string;
      /** @example 12.5 */
      on_hold: string;
    };
    BalanceChange: {
      unit_id: number | null;
      /** @example 12.5 */
      available: string;
      /** @example 12.5 */
      reserved: string;
      /** @example 12.5 */
      paid: string;
      /** @example 12.5 */
      on_hold: string;
      /** @description The commit of the account; null: no commit, the clock */
      position: number | null;
      date: components["schemas"]["UtcTime"];
      /** @enum {string} */
      event: "accrued" | "hold_passed" | "cancelled" | "compensated" | "payout_requested" | "payout_paid" | "payout_cancelled";
      accrual_id: number | null;
      payout_id: number | null;
      /** @example 12.5 */
      amount: string;
      /** @description Why it was taken back, paid or cancelled; null: none was given */
      reason: string | null;
    };
    BalanceHistory: {
      history: components["schemas"]["BalanceChange"][];
    };
    Balances: {
      balance: components["schemas"]["Balance"][];
      /** @description With `at` only */
      data_as_of?: components["schemas"]["Timestamp"];
    };
    BotError: {
      id: string;
      date: components["schemas"]["UtcTimestamp"];
      /** @enum {string} */
      source: "send-target" | "send-event" | "send-update";
      /** @enum {string} */
      kind: "unknown_user" | "warning" | "property_limit";
      message: string;
      payload: unknown;
      resolved_at: components["schemas"]["UtcTimestamp"] | null;
    };
    BotSecret: {
      resource_key: string;
      webhook_secret: string | null;
    };
    BotSettings: {
      resource_key: string;
      name: string;
      username: string | null;
      has_token: boolean;
      timezone: string;
      pair_separator: string;
      value_separator: string;
      referral_new_users_only: boolean;
      /** @enum {string} */
      auto_payout: "off" | "daily" | "weekly" | "monthly";
      paid_broadcasts: boolean;
    };
    BotUser: {
      user_id: number;
      first_name: string | null;
      last_name: string | null;
      username: string | null;
      language_code: string | null;
      /** @description Null: not known, or erased */
      user_status: ("active" | "blocked" | "deactivated") | null;
      date_create: components["schemas"]["Timestamp"] | null;
      date_last_active: components["schemas"]["Timestamp"] | null;
      is_premium: boolean | null;
      gender: string | null;
      timezone: string | null;
      custom_fields: {
        [key: string]: unknown;
      };
      /** @description Of the first visit: start_param and utm_* */
      addition_fields: {
        [key: string]: string;
      };
      /** @description Who brought the user */
      referral: {
        referrer_id: number;
        code: string | null;
        date: components["schemas"]["Timestamp"];
      } | null;
      /** @description Users that they brought */
      referrals: number;
      /** @description Whether the personal data were erased */
      erased: boolean;
      /** @description What was received up to then has been counted */
      data_as_of: components["schemas"]["Timestamp"];
    };
    BotUsers: {
      items: components["schemas"]["ReportUser"][];
      /** @description Without limit and offset */
      total: number;
      /** @description What was received up to then has been counted */
      data_as_of: components["schemas"]["Timestamp"];
    };
    Breakdown: {
      [key: string]: string | number | boolean | null;
    };
    Broadcast: {
      id: number;
      /**
       * @description 0 draft, 1 scheduled, 2 sending, 3 finished, 4 stopped, 5 error; 6 resolving the audience, 7 about to be sent, 8 stopping
       * @enum {integer}
       */
      status: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;
      name: string | null;
      type: components["schemas"]["MessageType"];
      segmentations: components["schemas"]["Segmentations"];
      message: components["schemas"]["Message"];
      /** @description 2 to 10 messages instead of one message. A hash of the recipient chooses the message that it gets */
      variants?: components["schemas"]["Variant"][];
      settings: components["schemas"]["BroadcastSettings"];
      date_send: components["schemas"]["LocalTime"] | null;
      date_create: components["schemas"]["LocalTime"];
      date_activate: components["schemas"]["LocalTime"] | null;
      date_finish: components["schemas"]["LocalTime"] | null;
      count_recipients: number;
      count_delivered: number;
      /** @description Includes recipients with an unknown outcome */
      count_not_delivered: number;
      /** @description Recipients never called, because the broadcast was stopped or failed */
      count_cancelled: number;
      /** @description Messages that may have been delivered: the platform gave no answer */
      count_unknown: number;
      /**
       * @description The broadcast is archived; a launch takes it out of the archive
       * @constant
       */
      archived?: true;
      error: string | null;
      paused_until: components["schemas"]["LocalTime"] | null;
    };
    BroadcastConversions: {
      total: components["schemas"]["ConversionCounts"];
      /** @description In their order; empty: none */
      variants: components["schemas"]["VariantConversions"][];
      days: number;
      /** @description What was recorded up to then has been counted */
      data_as_of: components["schemas"]["Timestamp"];
      /** @description Amounts that await revaluation */
      warnings: components["schemas"]["FieldWarning"][];
    };
    BroadcastCounts: {
      count_recipients: number;
      count_delivered: number;
      /** @description Those of unknown outcome included */
      count_not_delivered: number;
      /** @description Never attempted, since it was stopped or failed */
      count_cancelled: number;
      /** @description May have been delivered: the platform gave no answer */
      count_unknown: number;
      /** @description Recipients with a counted click; null: no launch tracked clicks */
      clicked: number | null;
      /** @description Counted clicks */
      clicks: number | null;
    };
    BroadcastFields: {
      /** @description For user_conditions; below a name that ends in .* there is any key */
      users: components["schemas"]["AudienceField"][];
      /** @description For the conditions of event_filters */
      events: components["schemas"]["AudienceField"][];
      /** @description What a template can name */
      templates: string[];
    };
    BroadcastIdRequest: {
      resource_key?: string;
      id: number;
    };
    BroadcastPreview: {
      user: components["schemas"]["PreviewUser"];
      text: components["schemas"]["PreviewText"] | null;
      caption: components["schemas"]["PreviewText"] | null;
      media: components["schemas"]["PreviewMedia"][];
      buttons: components["schemas"]["PreviewButton"][][];
      /** @description What create or the platform would refuse */
      problems: components["schemas"]["Problem"][];
    };
    BroadcastSettings: {
      /** @description Messages a second, 1 to 30, with paid broadcasts to 1000; default 10 */
      intervalCap?: number;
      /** @description Links lead through this service, which counts clicks; default false */
      track_clicks?: boolean;
      rateLimitOnError?: components["schemas"]["RateLimitOnError"];
    };
    BroadcastStatistics: {
      total: components["schemas"]["BroadcastCounts"];
      /** @description In their order; empty: none */
      variants: components["schemas"]["VariantCounts"][];
      /** @description Links whose clicks are counted, by launch, in the order of the message */
      links: components["schemas"]["LinkClicks"][];
      /** @description What was recorded up to then has been counted */
      data_as_of: components["schemas"]["Timestamp"];
    };
    Broadcasts: {
      items: components["schemas"]["Broadcast"][];
      total: number;
      limit: number;
      offset: number;
      /** @description The answer includes everything recorded up to this time */
      data_as_of: components["schemas"]["Timestamp"];
    };
    CancelBroadcastAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["Broadcast"];
      /** @description Values that were accepted but are probably mistakes; absent: none */
      warnings?: components["schemas"]["FieldWarning"][];
    };
    CancelPayoutRequest: {
      payout_id: number;
      /**
       * @description Kept with the payout
       * @example The account was closed
       */
      reason: string;
      /** @description Cancel although the client may have paid. Default false */
      force?: boolean | null;
    };
    CancelReferralPayoutAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["ChangedPayout"];
      /** @enum {boolean} */
      lagging?: true;
    };
    Cells: {
      [key: string]: string | number | boolean | null;
    };
    ChainLink: {
      position: number;
      hash: string;
    };
    ChangePayoutRequest: {
      payout_id: number;
      /** @description Kept with the payout */
      reason?: string | null;
    };
    ChangedPayout: {
      payout_id: number;
    };
    CodeOwner: {
      code: string;
      user_id: number;
    };
    CodeOwnership: {
      code: string;
      owner_id: number;
      created: boolean;
      backfilled: number;
    };
    CodeOwnerships: {
      results: components["schemas"]["CodeOwnership"][];
    };
    CohortCell: {
      cohort: components["schemas"]["Timestamp"];
      /** @description Who returned in it; without it, all members of the cohort */
      interval?: number | null;
      /** @description Of a report with a breakdown: the values of the row or line */
      breakdown?: components["schemas"]["Breakdown"] | null;
      /** @description The line of all other combinations */
      other?: boolean | null;
    };
    Column: {
      key: string;
      label: string;
      /** @enum {string} */
      type: "date" | "number" | "string" | "boolean";
      /** @description Of a chart's line: index of its request */
      metric?: number;
      /** @description Of a chart's line: the measure over the whole period */
      total?: number | null;
      /** @description Of a chart's line: its combination, if broken down */
      breakdown?: components["schemas"]["Cells"];
      /** @description The line of all combinations without a line */
      other?: boolean;
    };
    ConfirmReferralPayoutAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["ChangedPayout"];
      /** @enum {boolean} */
      lagging?: true;
    };
    ConversionCounts: {
      /** @description Recipients with the message, private chats only */
      delivered: number;
      /** @description Of these, with such an event in the window */
      converted: number;
      /** @description Not converted, and the window was not over: they still may */
      in_window: number;
      /** @description converted divided by delivered; null: none was delivered */
      rate: number | null;
      /** @description Such events in the windows */
      events: number;
      /** @description The sum of their value_amount, a decimal */
      value: string;
    };
    ConversionsRequest: {
      resource_key?: string;
      /** @description The broadcast */
      task_id: number;
      /** @description Null: any event */
      event_id: number | null;
      /** @description Of 24 hours, from each message on */
      days: number;
      /** @description On fields of the event, as in a performed_event */
      conditions?: unknown[] | null;
    };
    CountAudienceAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["AudienceSize"];
    };
    CountConversionsAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["BroadcastConversions"];
    };
    CountNewUsersAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["NewUsers"];
    };
    CountNewUsersQuery: {
      /**
       * @description YYYY-MM-DD HH:MM:SS in the bot's time zone
       * @example 2026-01-01 00:00:00
       */
      date_from: string;
      /**
       * @description YYYY-MM-DD HH:MM:SS in the bot's time zone
       * @example 2026-01-01 00:00:00
       */
      date_to: string;
    };
    CreateBotAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["BotSecret"];
      /** @enum {boolean} */
      lagging?: true;
    };
    CreateBotRequest: {
      name: string;
      /** @description The platform's name of the bot; empty: none */
      username?: string | null;
      /** @description Of the Bot API; empty: none. It is never answered */
      token?: string | null;
      /** @description IANA name */
      timezone?: string | null;
    };
    CreateBroadcastAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["Broadcast"];
      /** @description Values that were accepted but are probably mistakes; absent: none */
      warnings?: components["schemas"]["FieldWarning"][];
    };
    /**
     * @example {
     *       "type": "sendMessage",
     *       "name": "Spring sale",
     *       "message": {
     *         "text": "Hello {{user.first_name | default: \"friend\"}}",
     *         "parse_mode": "html"
     *       },
     *       "segmentations": {
     *         "include": [
     *           {
     *             "type": "all",
     *             "config": {}
     *           }
     *         ]
     *       }
     *     }
     */
    CreateBroadcastRequest: {
      resource_key?: string;
      type: components["schemas"]["MessageType"];
      /** @description For the owner, 1 to 250 characters */
      name?: string | null;
      segmentations?: components["schemas"]["Segmentations"] | null;
      message?: components["schemas"]["Message"] | null;
      variants?: components["schemas"]["Variant"][] | null;
      settings?: components["schemas"]["BroadcastSettings"] | null;
      /** @description In the bot's time zone; null: at once when it is activated */
      date_send?: components["schemas"]["LocalTime"] | null;
      /** @description Also launch the broadcast */
      activate?: boolean | null;
    };
    CreateGoalAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["GoalId"];
      /** @enum {boolean} */
      lagging?: true;
    };
    CreateGoalRequest: {
      target_id: number;
      name: string;
    };
    CreateReferralCodeAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["CreatedCode"];
    };
    CreateReferralCodeByGetAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["CreatedCode"];
    };
    CreateReferralCodeByGetQuery: {
      /** @example 4242 */
      user_id: number;
    };
    CreateRuleAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["RuleId"];
      /** @enum {boolean} */
      lagging?: true;
    };
    CreateRuleRequest: {
      name: string;
      /** @description The event that earns, as reports/events lists it */
      trigger_event_id: number;
      /** @enum {string} */
      reward_type: "fixed" | "percent" | "external";
      /** @description Of a fixed reward, in normal units */
      amount?: number | string | null;
      /** @description Of the event's value, at most 100 */
      percent?: number | string | null;
      /** @description How long a reward is on hold; default 0 */
      hold_days?: number | string | null;
      /** @description A unit of the bot */
      unit_id?: number | null;
      /** @description A currency instead of unit_id. Default of a fixed rule: the owner's currency */
      currency?: string | null;
    };
    CreateSegmentFromReportAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["SegmentFromReport"];
    };
    CreateUnitAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["UnitId"];
      /** @enum {boolean} */
      lagging?: true;
    };
    CreateUnitRequest: {
      code: string;
      name?: string | null;
      /** @description Decimals, 0 to 18; default 2 */
      scale?: number | null;
    };
    CreatedCode: {
      /** @example k7Rt2Wxy */
      code: string;
      link: string | null;
    };
    /**
     * @example {
     *       "event": "order_paid",
     *       "user_id": 4242,
     *       "value_num": 1999,
     *       "unit": "USD"
     *     }
     */
    CustomEvent: {
      /** @description Name of the event */
      event: string;
      /** @description Platform id of the acting user */
      user_id: number;
      /** @description Amount or count; with a unit, in its smallest parts */
      value_num?: number | null | string;
      /** @description Unit of value_num */
      unit?: string | null;
      value_str?: string | null;
      category?: string | null;
      webapp_name?: string | null;
      /** @description Default: the time of receipt */
      date?: string | null;
      /** @description The same key of a bot counts once, forever */
      event_key?: string | null;
      /** @description Custom properties, at most 50: reports name them events.properties.<name> */
      properties?: {
        [key: string]: string | number | boolean | null;
      } | null;
    };
    DeleteBroadcastAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["DeletedBroadcast"];
    };
    DeleteReportAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["SavedReportId"];
    };
    DeleteReportRequest: {
      /**
       * @description Of a saved report
       * @example 0b9e5f0c-6f4e-4d5b-9a37-2f7c1f3f9d10
       */
      uuid: components["schemas"]["Uuid"];
    };
    DeleteSavedSegmentAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["SavedSegmentId"];
      /** @description Drafts that use it */
      warnings?: components["schemas"]["FieldWarning"][];
    };
    DeleteSavedSegmentRequest: {
      resource_key?: string;
      /** @example 1 */
      saved_segment_id: number;
    };
    DeletedBroadcast: {
      id: number;
    };
    Delivery: {
      payout_id: number;
      webhook_id: string;
      attempt: number;
      /** @example 2026-03-01T10:00:00.000Z */
      at: string;
      /** @description HTTP status of the answer; null: there is none, or none yet */
      status: number | null;
      error: string | null;
    };
    DeliveryAttempt: {
      attempt: number;
      at: components["schemas"]["UtcTime"];
      /** @description HTTP status of the client's answer; null: none, or none yet */
      status: number | null;
      error: string | null;
    };
    DescribeEventAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["EventId"];
      /** @enum {boolean} */
      lagging?: true;
    };
    DescribeEventBody: {
      event_id: number;
      /** @description Shown in place of the name; an empty text: the name is shown */
      title?: string | null;
      /** @description An empty text: none */
      description?: string | null;
      /** @description Pickers leave a hidden event out; it is counted as before */
      hidden?: boolean | null;
    };
    DetailedAccrual: {
      accrual_id: number;
      /** @description The commit of the account that recorded it */
      position: number;
      /** @description Receipt of the event that earned it */
      date: components["schemas"]["UtcTime"];
      recorded_at: components["schemas"]["UtcTime"];
      available_at: components["schemas"]["UtcTime"];
      referral_id: number;
      rule_id: number;
      rule_name: string | null;
      /** @example 12.5 */
      amount: string;
      unit_id: number | null;
      /** @description The payout that claims it now */
      payout_id: number | null;
      /** @description The accrual that it makes good */
      compensates: number | null;
      /** @description The accrual that makes it good */
      compensated_by: number | null;
      reversed_at: components["schemas"]["UtcTime"] | null;
      /** @description Why it was reversed; of a compensation: why its accrual was */
      reason: string | null;
    };
    DetailedAccruals: {
      entries: components["schemas"]["DetailedAccrual"][];
    };
    DetailedPayout: {
      payout_id: number;
      /** @example 12.5 */
      amount: string;
      unit_id: number | null;
      /**
       * @description 0 created, 1 processing, 2 paid, 3 failed, 4 cancelled
       * @enum {integer}
       */
      status: 0 | 1 | 2 | 3 | 4;
      /** @enum {string} */
      method: "webhook" | "manual";
      /** @enum {string} */
      initiated_by: "api" | "admin" | "auto";
      requested_at: components["schemas"]["UtcTime"];
      processed_at: components["schemas"]["UtcTime"] | null;
      user_id: number;
      /** @description Null: unknown or erased */
      first_name: string | null;
      /** @description Null: unknown or erased */
      username: string | null;
      /** @description Why the last attempt, or the payout, failed */
      error: string | null;
      /** @description Why an administrator last confirmed, retried or cancelled it; null: none was given */
      reason: string | null;
      deliveries: components["schemas"]["DeliveryAttempt"][];
    };
    DetailedPayouts: {
      payouts: components["schemas"]["DetailedPayout"][];
      /** @description What was received up to then has been applied by all read models of the answer */
      data_as_of: components["schemas"]["Timestamp"];
    };
    EditRuleAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["RuleId"];
      /** @enum {boolean} */
      lagging?: true;
    };
    EditRuleRequest: {
      rule_id: number;
      name?: string | null;
      /** @description Of a fixed reward, in normal units */
      amount?: number | string | null;
      /** @description Of the event's value, at most 100 */
      percent?: number | string | null;
      /** @description How long a reward is on hold; default 0 */
      hold_days?: number | string | null;
      /** @description Whether it earns */
      active?: boolean | null;
    };
    EventField: {
      name: string;
      /** @enum {string} */
      type: "number" | "string" | "date";
      operators: string[];
      /** @description Whether a report may be broken down by it */
      separator: boolean;
    };
    EventId: {
      event_id: number;
    };
    EventProperty: {
      /** @description events.properties.<name> */
      name: string;
      /**
       * @description Each value has its own type
       * @constant
       */
      type: "dynamic";
      /** @description The types that values came with */
      types: ("string" | "number" | "boolean")[];
      operators: string[];
      /**
       * @description A report may be broken down by it
       * @constant
       */
      separator: true;
    };
    /** @description `rate` is the amount of `to` for one of `from`, from the UTC day `date` on */
    ExchangeRate: {
      from: string;
      to: string;
      date: string;
      rate: string;
    };
    FailPayoutRequest: {
      payout_id: number;
      /**
       * @description Becomes the `error` of the payout
       * @example The account was closed
       */
      reason: string;
    };
    FailReferralPayoutAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["ChangedPayout"];
      /** @enum {boolean} */
      lagging?: true;
    };
    FieldWarning: {
      /** @description Of the value in the request */
      path: string;
      message: string;
    };
    /**
     * @description [operator, field, value] with =, !=, >, <, >=, <=, in or between, joined by [and, …] and [or, …]
     * @example [
     *       "and",
     *       [
     *         "=",
     *         "events.category",
     *         "shoes"
     *       ],
     *       [
     *         ">",
     *         "events.value_amount",
     *         10
     *       ]
     *     ]
     */
    Filters: unknown[] | null;
    /**
     * @example {
     *       "update": {
     *         "update_id": 1,
     *         "message": {
     *           "message_id": 1,
     *           "date": 1767225600,
     *           "chat": {
     *             "id": 4242,
     *             "type": "private"
     *           },
     *           "from": {
     *             "id": 4242,
     *             "is_bot": false,
     *             "first_name": "Ada"
     *           },
     *           "text": "/start utmsource-ads",
     *           "entities": [
     *             {
     *               "type": "bot_command",
     *               "offset": 0,
     *               "length": 6
     *             }
     *           ]
     *         }
     *       }
     *     }
     */
    ForwardedUpdate: {
      /** @description For updates without a date, such as callbacks. Default: the time of receipt */
      date?: string | null;
      update: components["schemas"]["Update"];
    };
    FunnelRequest: {
      /** @constant */
      type: "funnels";
      /** @constant */
      type_chart: "funnels";
      /** @description Steps, in order; agr may be any */
      requests: components["schemas"]["Metric"][];
      filters?: components["schemas"]["Filters"];
      separators?: components["schemas"]["Separators"];
      /** @description For the whole funnel; default 14 */
      funnel_window?: number | null;
      /** @description Default day; a month is 30 days */
      funnel_window_unit?: ("second" | "minute" | "hour" | "day" | "week" | "month") | null;
      /** @description Default ordered */
      funnel_order_type?: ("ordered" | "strict" | "unordered") | null;
    } & {
      [key: string]: unknown;
    };
    GetBroadcastAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["Broadcast"];
    };
    GetBroadcastQuery: {
      /** @example 1 */
      id: number;
    };
    GetBroadcastStatisticsAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["BroadcastStatistics"];
    };
    GetBroadcastStatisticsQuery: {
      /** @example 1 */
      id: number;
    };
    GetPayoutWebhookAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["PayoutWebhookSetting"];
    };
    GetPlanAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["Plan"];
    };
    GetReferralBalanceAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["Balances"];
    };
    GetReferralBalanceQuery: {
      /** @example 4242 */
      user_id: number;
      /**
       * @description The balance as it was then, that second included; absent: now
       * @example 2026-03-01 10:00:00
       */
      at?: string;
    };
    GetReferralChainAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["AccountChain"];
    };
    GetReferralChainQuery: {
      /** @example 4242 */
      user_id: number;
      /** @description Of the commit before the first one to list; absent: from the beginning */
      position?: number;
      /** @description Hash of that commit */
      hash?: string;
      /** @description Default 50, at most 200, clamped */
      limit?: number;
    };
    GetReferralProgramAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["ReferralProgram"];
    };
    GetReferralProofAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["ProofFile"];
    };
    GetReferralProofQuery: {
      /** @example 4242 */
      user_id: number;
      /**
       * @description The balance as it was then, that second included; absent: at the last checkpoint
       * @example 2026-03-01 10:00:00
       */
      at?: string;
      /**
       * @description Add the commits of the events that earned. They may hold events of other users, so it needs an owner key
       * @default false
       * @enum {boolean}
       */
      with_events: "true" | "false";
    };
    GetReferralTotalsAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["ReferralTotals"];
    };
    GetReportAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["SavedReport"];
    };
    GetReportQuery: {
      uuid: string;
    };
    GetSavedSegmentAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["SavedSegment"];
    };
    GetSavedSegmentQuery: {
      /** @example 1 */
      saved_segment_id: number;
    };
    GetUserAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["BotUser"];
    };
    GetUserQuery: {
      /** @example 4242 */
      user_id: number;
    };
    Goal: {
      target_id: number;
      event_id: number;
      name: string;
    };
    GoalId: {
      target_id: number;
      event_id: number;
    };
    IssueKeyAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["IssuedKey"];
      /** @enum {boolean} */
      lagging?: true;
    };
    IssueKeyRequest: {
      /** @description Resource keys of the bots, or `all`: later ones too */
      bots: "all" | string[];
      /**
       * @description `owner` is refused: an operator issues owner keys
       * @default service
       * @enum {string}
       */
      kind: "personal" | "service" | "owner";
      name?: string | null;
      /** @description Absent: never */
      expires_at?: string | null;
    };
    IssuedKey: {
      key_id: number;
      api_key: string | null;
    };
    Key: {
      key_id: number;
      public_part: string;
      bots: string[] | null;
      /** @enum {string} */
      kind: "personal" | "service" | "owner";
      name: string | null;
      /** @example 2026-03-01T10:00:00.000Z */
      issued_at: string;
      expires_at: string | null;
      revoked_at: string | null;
      /**
       * @description By the service's clock, when it answered
       * @enum {string}
       */
      state: "valid" | "expired" | "revoked";
      rotates: number | null;
      /** @description Cut to the minute; null: no use is recorded */
      last_used_at: string | null;
      /** @description Whether it is the key of this request */
      is_own: boolean;
    };
    KeyId: {
      key_id: number;
    };
    LatestEvent: {
      id: string;
      date: components["schemas"]["Timestamp"];
      date_received: components["schemas"]["Timestamp"];
      user_id: number;
      /** @description Null: not known, or erased. So are the other names */
      first_name: string | null;
      last_name: string | null;
      username: string | null;
      event_type_id: number;
      event_name: string;
      value_int: number | null;
      value_amount: number | null;
      unit: string | null;
      value_str: string | null;
      category: string | null;
      webapp_name: string | null;
      utm_source: string | null;
      utm_medium: string | null;
      utm_campaign: string | null;
      utm_term: string | null;
      utm_content: string | null;
      event_key: string | null;
      properties: {
        [key: string]: unknown;
      };
    };
    LatestEvents: {
      items: components["schemas"]["LatestEvent"][];
      data_as_of: components["schemas"]["Timestamp"];
    };
    LinkClicks: {
      launch: number;
      /** @description Its name; null: the broadcast has none */
      variant: string | null;
      url: string;
      /** @description Recipients with a counted click */
      clicked: number;
      clicks: number;
    };
    ListAllReferralPayoutsAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["DetailedPayouts"];
    };
    ListAllReferralPayoutsQuery: {
      /**
       * @description Absent: of every referrer
       * @example 4242
       */
      user_id?: number;
      /**
       * @description Absent: of every status
       * @enum {integer}
       */
      status?: 0 | 1 | 2 | 3 | 4;
      /** @description Only this payout; absent: all */
      payout_id?: number;
      /** @description A unit, or `null`: amounts without a unit; absent: every unit */
      unit_id?: string;
      /**
       * @description Each word is in a name or the username, or begins the id, whatever its case
       * @default
       */
      search: string;
      /**
       * @description By the time of the request; `largest`: by the amount
       * @default newest
       * @enum {string}
       */
      order: "newest" | "oldest" | "largest";
      /** @description Default 50, at most 200, clamped */
      limit?: number;
      /** @description Default 0, clamped */
      offset?: number;
    };
    ListBotErrorsAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: {
        items: components["schemas"]["BotError"][];
      };
    };
    ListBotErrorsQuery: {
      /** @description Default 50, at most 200, clamped */
      limit?: number;
      /** @description Default 0, clamped */
      offset?: number;
      /** @enum {string} */
      kind?: "unknown_user" | "warning" | "property_limit";
    };
    ListBotSettingsAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: {
        items: components["schemas"]["BotSettings"][];
      };
    };
    ListBroadcastFieldsAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["BroadcastFields"];
    };
    ListBroadcastsAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["Broadcasts"];
    };
    ListBroadcastsQuery: {
      "filters[status]"?: number;
      /**
       * @description true: only archived broadcasts; false: only others; absent: both
       * @enum {string}
       */
      "filters[archived]"?: "true" | "false";
      /** @description Part of the name, in upper or lower case */
      "filters[name]"?: string;
      /** @description A day of the bot's time zone, YYYY-MM-DD, or the first and the last of several, joined by a comma */
      "filters[date_create]"?: string;
      /** @enum {string} */
      "orders[id]"?: "asc" | "desc";
      /** @enum {string} */
      "orders[name]"?: "asc" | "desc";
      /** @enum {string} */
      "orders[status]"?: "asc" | "desc";
      /** @enum {string} */
      "orders[date_create]"?: "asc" | "desc";
      /** @enum {string} */
      "orders[date_send]"?: "asc" | "desc";
      /** @enum {string} */
      "orders[date_finish]"?: "asc" | "desc";
      /** @enum {string} */
      "orders[running]"?: "asc" | "desc";
      /** @enum {string} */
      "orders[count_recipients]"?: "asc" | "desc";
      /** @enum {string} */
      "orders[count_delivered]"?: "asc" | "desc";
      /** @description Default 100 */
      limit?: number;
      offset?: number;
    };
    /** @description Of a list: the users of its rows */
    ListCell: Record<string, never>;
    ListDeliveriesAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: {
        items: components["schemas"]["Delivery"][];
      };
    };
    ListDeliveriesQuery: {
      payout_id?: number;
      /** @description Default 50, at most 200, clamped */
      limit?: number;
      /** @description Default 0, clamped */
      offset?: number;
    };
    ListEventFieldsAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: {
        items: components["schemas"]["EventField"][];
      };
    };
    ListEventPropertiesAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: {
        items: components["schemas"]["EventProperty"][];
      };
    };
    ListExchangeRatesAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: {
        items: components["schemas"]["ExchangeRate"][];
      };
    };
    ListExchangeRatesQuery: {
      /** @description A code, in capitals or not; absent: of every one */
      from?: string;
      /** @description A code, in capitals or not; absent: of every one */
      to?: string;
      /** @description Default 50, at most 200, clamped */
      limit?: number;
      /** @description Default 0, clamped */
      offset?: number;
    };
    ListGoalsAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: {
        items: components["schemas"]["Goal"][];
      };
    };
    ListKeysAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: {
        items: components["schemas"]["Key"][];
      };
    };
    ListKeysQuery: {
      /** @description Default 50, at most 200, clamped */
      limit?: number;
      /** @description Default 0, clamped */
      offset?: number;
    };
    ListLatestEventsAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["LatestEvents"];
    };
    ListLatestEventsQuery: {
      /** @description Default 50, at most 200, clamped */
      limit?: number;
    };
    ListRecipientsAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["Recipients"];
    };
    ListRecipientsQuery: {
      /** @example 1 */
      id: number;
      /** @enum {string} */
      state?: "pending" | "delivered" | "not_delivered" | "cancelled" | "unknown";
      /** @description For csv: true keeps texts as they are, for programs; by default a text that a spreadsheet reads as a formula gets an apostrophe */
      raw?: boolean;
      /** @description Default 100 */
      limit?: number;
      offset?: number;
    };
    ListReferralAccrualsAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["Accruals"];
    };
    ListReferralAccrualsQuery: {
      /** @example 4242 */
      user_id: number;
      /** @description Default 50, at most 200, clamped */
      limit?: number;
      /** @description Default 0, clamped */
      offset?: number;
    };
    ListReferralCodesAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["ReferralCodes"];
    };
    ListReferralCodesQuery: {
      /** @example 4242 */
      user_id: number;
    };
    ListReferralEntriesAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["DetailedAccruals"];
    };
    ListReferralEntriesQuery: {
      /** @example 4242 */
      user_id: number;
      /** @description Default 50, at most 200, clamped */
      limit?: number;
      /** @description Default 0, clamped */
      offset?: number;
      /** @description Only accruals that this payout has; absent: all */
      payout_id?: number;
      /**
       * @description Only these accruals, with commas between; absent: all
       * @example 7,8
       */
      accrual_id?: string;
    };
    ListReferralHistoryAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["BalanceHistory"];
    };
    ListReferralHistoryQuery: {
      /** @example 4242 */
      user_id: number;
      /** @description Default 50, at most 200, clamped */
      limit?: number;
      /** @description Default 0, clamped */
      offset?: number;
      /** @description A unit, or `null`: amounts without a unit; absent: every unit */
      unit_id?: string;
      /**
       * @description The state at the end of this second: all commits and ends of holds up to it
       * @example 2026-03-01 10:00:00
       */
      at?: string;
      /**
       * @description `asc`: the oldest first; `desc`: the newest first
       * @default asc
       * @enum {string}
       */
      order: "asc" | "desc";
    };
    ListReferralPayoutsAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["Payouts"];
    };
    ListReferralPayoutsQuery: {
      /** @example 4242 */
      user_id: number;
      /** @description Default 50, at most 200, clamped */
      limit?: number;
      /** @description Default 0, clamped */
      offset?: number;
    };
    ListReferralRatesAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["RewardRates"];
    };
    ListReferralRatesQuery: {
      /** @example 4242 */
      user_id: number;
    };
    ListReferralsAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["Referrals"];
    };
    ListReferralsQuery: {
      /** @example 4242 */
      user_id: number;
      /** @description Default 50, at most 200, clamped */
      limit?: number;
      /** @description Default 0, clamped */
      offset?: number;
    };
    ListReferrersAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["Referrers"];
    };
    ListReferrersQuery: {
      /**
       * @description The largest first; all but `referrals` are in the unit `unit_id`. `balance`: available and on hold
       * @default referrals
       * @enum {string}
       */
      order: "referrals" | "balance" | "earned" | "paid";
      /** @description A unit, or `null`: amounts without a unit; absent: every unit */
      unit_id?: string;
      /**
       * @description Only this user; order and search are then without effect
       * @example 4242
       */
      user_id?: number;
      /**
       * @description Each word is in a name or the username, or begins the id, whatever its case
       * @default
       */
      search: string;
      /** @description Default 50, at most 200, clamped */
      limit?: number;
      /** @description Default 0, clamped */
      offset?: number;
    };
    ListReportEventsAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: {
        items: components["schemas"]["ReportEvent"][];
      };
    };
    ListReportUsersAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["ReportUsers"];
    };
    ListReportsAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: {
        items: components["schemas"]["SavedReport"][];
      };
    };
    ListRequest: {
      /** @constant */
      type: "list";
      /** @constant */
      type_chart: "list";
      /**
       * @description Events of the period, or users created in it, who have only the fields user.*
       * @enum {string}
       */
      table: "events" | "users";
      /** @description Keys of the rows: events.date, events.user_id, events.event_type_id, events.value_int, events.value_amount, events.unit, events.value_str, events.category, events.webapp_name, events.session_id, events.app_session_id, events.date_received, events.utm_source, events.utm_medium, events.utm_campaign, events.utm_term, events.utm_content, events.properties.value_str, events.properties.category, events.properties.webapp_name, events.properties.unit, events.properties.command, events.properties.callback_data, events.properties.start_param, events.properties.chat_type, user.user_id, user.full_name, user.username, user.first_name, user.last_name, user.date_create, user.date_last_active, user.gender, user.is_bot, user.user_status, user.is_premium, user.language_code, user.timezone, user.addition_fields.start_param, user.addition_fields.utm_source, user.addition_fields.utm_medium, user.addition_fields.utm_campaign, user.addition_fields.utm_term, user.addition_fields.utm_content, user.addition_fields.referrer_id, user.addition_fields.referral_code, events.properties.*, user.custom_fields.*, user.saved_segments.* */
      columns: string[];
      filters?: components["schemas"]["Filters"];
      /** @description By these columns, returned or not; a missing value comes last; default: the latest first */
      order?: {
        [key: string]: "asc" | "desc";
      } | null;
      /** @description Rows of the report; default 50 */
      limit?: number | null;
      /** @description Records to skip; default 0 */
      offset?: number | null;
    } & {
      [key: string]: unknown;
    };
    ListResourcesAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: {
        items: components["schemas"]["Resource"][];
      };
    };
    ListRulesAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: {
        items: components["schemas"]["Rule"][];
      };
    };
    ListSavedSegmentsAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: {
        items: components["schemas"]["SavedSegment"][];
      };
    };
    ListUnitsAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: {
        items: components["schemas"]["Unit"][];
      };
    };
    ListUserBroadcastsAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["ReceivedBroadcasts"];
    };
    ListUserBroadcastsQuery: {
      /** @example 4242 */
      user_id: number;
      /** @description Default 50, at most 200, clamped */
      limit?: number;
      /** @description Default 0, clamped */
      offset?: number;
    };
    ListUserFieldsAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: {
        items: components["schemas"]["UserField"][];
      };
    };
    ListUsersAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["BotUsers"];
    };
    ListUsersQuery: {
      /**
       * @description Each word is in a name or the username, or begins the id, whatever its case
       * @default
       */
      search: string;
      /**
       * @description Default newest: by date_create
       * @default newest
       * @enum {string}
       */
      order: "newest" | "active" | "name";
      /** @description Default 50, at most 200, clamped */
      limit?: number;
      /** @description Default 0, clamped */
      offset?: number;
    };
    ListUtmLabelsAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["UtmLabels"];
    };
    LocalTime: string;
    MarkReferralAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["Attribution"];
    };
    MarkReferralRequest: {
      /** @description Who is referred */
      referral_user_id: number;
      /** @description The code that referred the user; this or referrer_user_id */
      code?: string | null;
      /** @description Who referred the user; this or code */
      referrer_user_id?: number | null;
    };
    /** @description By type: text, or photo, video, document, animation, audio, voice or media; caption, parse_mode, reply_markup… */
    Message: {
      [key: string]: unknown;
    };
    MessageEntity: {
      /** @enum {string} */
      type: "bold" | "italic" | "underline" | "strikethrough" | "spoiler" | "code" | "pre" | "text_link" | "custom_emoji" | "blockquote" | "expandable_blockquote";
      /** @description UTF-16 units */
      offset: number;
      length: number;
      url?: string;
      language?: string;
    };
    /** @enum {string} */
    MessageType: "sendMessage" | "sendPhoto" | "sendVideo" | "sendDocument" | "sendAnimation" | "sendAudio" | "sendVoice" | "sendMediaGroup";
    Metric: {
      /** @constant */
      type: "trend";
      /** @description From reports/events; without one, events of every type count */
      event_id?: number | null;
      /** @description For people; counts nothing */
      event_name: string;
      /** @description Caption of the metric; default: event_name */
      label?: string | null;
      /**
       * @description In a table total, total_uniq, avg, min, max, median; in a chart total, total_uniq_user_id, total_uniq_session_id, total_uniq_app_session_id, avg_user_id, min_user_id, max_user_id, median_user_id, property_sum, property_avg, property_min, property_max, property_median
       * @enum {string}
       */
      agr: "total" | "total_uniq" | "avg" | "min" | "max" | "median" | "total_uniq_user_id" | "total_uniq_session_id" | "total_uniq_app_session_id" | "avg_user_id" | "min_user_id" | "max_user_id" | "median_user_id" | "property_sum" | "property_avg" | "property_min" | "property_max" | "property_median";
      /** @description Required with property_*; of a custom property the numbers count */
      agr_field?: (("events.value_int" | "events.value_amount") | string) | null;
      filters?: components["schemas"]["Filters"];
    } & {
      [key: string]: unknown;
    };
    NewUsers: {
      days: components["schemas"]["NewUsersOfDay"][];
      total: number;
      /** @description What was received up to then has been counted */
      data_as_of: components["schemas"]["Timestamp"];
    };
    NewUsersOfDay: {
      /** @description The start of the day */
      date: components["schemas"]["Timestamp"];
      users: number;
    };
    NoFields: Record<string, never>;
    Payout: {
      payout_id: number;
      /** @example 12.5 */
      amount: string;
      unit_id: number | null;
      /**
       * @description 0 created, 1 processing, 2 paid, 3 failed, 4 cancelled
       * @enum {integer}
       */
      status: 0 | 1 | 2 | 3 | 4;
      /** @enum {string} */
      method: "webhook" | "manual";
      /** @enum {string} */
      initiated_by: "api" | "admin" | "auto";
      requested_at: components["schemas"]["UtcTime"];
      processed_at: components["schemas"]["UtcTime"] | null;
    };
    PayoutId: {
      payout_id: number;
    };
    PayoutRequest: {
      user_id: number;
      /** @description Absent: every unit; null: amounts without a unit */
      unit_id?: number | null;
      /** @description Default webhook */
      method?: ("webhook" | "manual") | null;
    };
    PayoutWebhook: {
      url: string;
      /** @example 2026-03-01T10:00:00.000Z */
      set_at: string;
      /** @description 2 for a day after a rotation */
      signatures: number;
    };
    PayoutWebhookSetting: {
      webhook: components["schemas"]["PayoutWebhook"] | null;
    };
    Payouts: {
      payouts: components["schemas"]["Payout"][];
    };
    PinReportAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["SavedReportId"];
    };
    PinReportRequest: {
      /**
       * @description Of a saved report
       * @example 0b9e5f0c-6f4e-4d5b-9a37-2f7c1f3f9d10
       */
      uuid: components["schemas"]["Uuid"];
      /** @description Whether it is on the dashboard of its bot */
      pinned: boolean;
    };
    Plan: {
      /** @enum {string} */
      plan: "premium" | "free";
      /** @description Amounts of reports are in it */
      currency: string;
      broadcasts: {
        /**
         * @description The calendar month, UTC
         * @example 2026-03
         */
        month: string;
        used: number;
        limit: number;
      };
    };
    PreviewBroadcastAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["BroadcastPreview"];
    };
    PreviewBroadcastRequest: {
      resource_key?: string;
      type: components["schemas"]["MessageType"];
      message: components["schemas"]["Message"];
      /** @description The user to render it for; default the bot's first user */
      user_id?: number | null;
    };
    PreviewButton: {
      text: string;
      action: string | null;
      value: string | null;
    };
    PreviewMedia: {
      type: string;
      media: string;
      caption: components["schemas"]["PreviewText"] | null;
    };
    PreviewReportAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["Report"];
    };
    PreviewRequest: {
      resource_key?: string;
      report_config: components["schemas"]["ReportConfig"];
    };
    PreviewText: {
      /** @description Without markup */
      text: string;
      entities: components["schemas"]["MessageEntity"][];
      /** @description Code points without markup and the blanks around it */
      characters: number;
      limit: number;
    };
    PreviewUser: {
      user_id: number;
      first_name: string | null;
      username: string | null;
      /** @description The bot has no users yet */
      invented: boolean;
    };
    Problem: {
      /** @description Of the value in the request */
      path: string;
      message: string;
      allowed?: string[];
    };
    ProgramRule: {
      rule_id: number;
      name: string;
      trigger_event_id: number;
      trigger_event: string | null;
      /** @enum {string} */
      reward_type: "fixed" | "percent" | "external";
      amount: string | null;
      percent: string | null;
      unit_id: number | null;
      /** @example 12.5 */
      hold_days: number;
      active: boolean;
    };
    ProofFile: {
      /** @constant */
      format: "botledger-proof/v1";
      stream: string;
      /** @description Milliseconds UTC up to when the verifier folds the account; null: the checkpoint */
      at: number | null;
      policy: string;
      vrf: string;
      entry: string;
      checkpoint: string;
      map: {
        revision: number;
        leaves: number;
        steps: (number | string)[][];
      };
      tree: number;
      /** @description With `with_events` only: the commits of events that earned and that the log lacks, by id */
      missing?: string[];
      commits: components["schemas"]["ProvenCommit"][];
      causes: components["schemas"]["ProvenCommit"][];
      hashes: string[];
    };
    ProvenCommit: {
      /** @description Its place in the tree of the partition */
      index: number;
      /** @description The stored text, byte for byte */
      body: string;
      /** @description Indexes in `hashes` of the siblings, from the leaf up */
      path: number[];
    };
    RateLimitOnError: {
      /** @description Stop when the platform asks to slow down; default true */
      stop?: boolean;
      /** @description If stop is false: the least gap between messages after such a request, in milliseconds */
      extraDelay?: number;
    };
    ReceivedBroadcast: {
      broadcast_id: number;
      name: string | null;
      /** @enum {string} */
      state: "pending" | "delivered" | "not_delivered" | "cancelled" | "unknown";
      /** @description Why it was not delivered */
      reason: string | null;
      /** @description Of the outcome; null: there is none yet */
      date: components["schemas"]["Timestamp"] | null;
      /** @description Clicks of the user on its tracked links */
      clicks: number;
      first_click: components["schemas"]["Timestamp"] | null;
    };
    ReceivedBroadcasts: {
      items: components["schemas"]["ReceivedBroadcast"][];
      /** @description What was received up to then has been counted */
      data_as_of: components["schemas"]["Timestamp"];
    };
    Recipient: {
      chat_id: number;
      /** @enum {string} */
      state: "pending" | "delivered" | "not_delivered" | "cancelled" | "unknown";
      reason: string | null;
      date: components["schemas"]["LocalTime"] | null;
    };
    Recipients: {
      items: components["schemas"]["Recipient"][];
      total: number;
      limit: number;
      offset: number;
    };
    RedeliverPayoutAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["PayoutId"];
      /** @enum {boolean} */
      lagging?: true;
    };
    RedeliverPayoutRequest: {
      payout_id: number;
    };
    Referral: {
      referral_id: number;
      date: components["schemas"]["UtcTime"];
    };
    ReferralAmounts: {
      unit_id: number | null;
      /** @example 12.5 */
      earned: string;
      /** @example 12.5 */
      reserved: string;
      /** @example 12.5 */
      paid: string;
    };
    ReferralCode: {
      /** @example k7Rt2Wxy */
      code: string;
      link: string | null;
      date_create: components["schemas"]["UtcTime"];
    };
    ReferralCodes: {
      total_referrals: number;
      codes: components["schemas"]["ReferralCode"][];
    };
    ReferralProgram: {
      rules: components["schemas"]["ProgramRule"][];
      units: components["schemas"]["Unit"][];
    };
    ReferralTotals: {
      /** @description Users who opened a link whose code has an owner */
      visited: number;
      /** @description Users of them who were new to the bot */
      came: number;
      /** @description Users with a referrer, by a link or marked */
      referred: number;
      /** @description Users who earned a referrer a reward that was not taken back */
      rewarded: number;
      /** @description Users who referred at least one */
      referrers: number;
      amounts: components["schemas"]["ReferralAmounts"][];
      /** @description What was received up to then has been applied by all read models of the answer */
      data_as_of: components["schemas"]["Timestamp"];
    };
    Referrals: {
      referrals: components["schemas"]["Referral"][];
    };
    Referrer: {
      user_id: number;
      /** @description Null: unknown or erased */
      first_name: string | null;
      /** @description Null: unknown or erased */
      username: string | null;
      /** @description Users that the user referred */
      referrals: number;
      balance: components["schemas"]["ReferrerBalance"][];
    };
    ReferrerBalance: {
      unit_id: number | null;
      /** @example 12.5 */
      available: string;
      /** @example 12.5 */
      reserved: string;
      /** @example 12.5 */
      paid: string;
      /** @example 12.5 */
      on_hold: string;
      /**
       * @description All accruals that were not cancelled
       * @example 12.5
       */
      earned: string;
    };
    Referrers: {
      referrers: components["schemas"]["Referrer"][];
      /** @description What was received up to then has been applied by all read models of the answer */
      data_as_of: components["schemas"]["Timestamp"];
    };
    /**
     * @example {
     *       "columns": [
     *         {
     *           "key": "date",
     *           "label": "Date",
     *           "type": "date"
     *         },
     *         {
     *           "key": "s0",
     *           "label": "Orders",
     *           "type": "number",
     *           "metric": 0,
     *           "total": 3
     *         }
     *       ],
     *       "rows": [
     *         {
     *           "date": "2026-01-01T00:00:00+00:00",
     *           "s0": 2
     *         },
     *         {
     *           "date": "2026-01-02T00:00:00+00:00",
     *           "s0": 1
     *         }
     *       ],
     *       "meta": {
     *         "timezone": "UTC",
     *         "date_from": "2026-01-01T00:00:00+00:00",
     *         "date_to": "2026-01-02T23:59:59+00:00",
     *         "rows_total": 2,
     *         "truncated": false,
     *         "data_as_of": "2026-01-02T12:00:00+00:00",
     *         "lag_ms": 0,
     *         "warnings": []
     *       }
     *     }
     */
    Report: {
      columns: components["schemas"]["Column"][];
      rows: components["schemas"]["Cells"][];
      meta: components["schemas"]["ReportMeta"];
    };
    /** @description A number of the report, by the type of the report */
    ReportCell: components["schemas"]["SeriesCell"] | components["schemas"]["StepCell"] | components["schemas"]["CohortCell"] | components["schemas"]["ListCell"];
    /**
     * @example {
     *       "source_request": {
     *         "type": "trends",
     *         "type_chart": "line",
     *         "requests": [
     *           {
     *             "type": "trend",
     *             "event_id": 101,
     *             "event_name": "order_paid",
     *             "label": "Orders",
     *             "agr": "total"
     *           }
     *         ]
     *       },
     *       "settings": {
     *         "params": {
     *           ":date_from": "2026-01-01 00:00:00",
     *           ":date_to": "2026-01-31 23:59:59"
     *         }
     *       }
     *     }
     */
    ReportConfig: {
      source_request: components["schemas"]["TrendsRequest"] | components["schemas"]["ListRequest"] | components["schemas"]["FunnelRequest"] | components["schemas"]["RetentionRequest"];
      settings: {
        params: {
          /** @description YYYY-MM-DD HH:MM:SS in the bot's time zone */
          ":date_from": components["schemas"]["LocalTime"];
          /** @description The second that it names belongs to the period */
          ":date_to": components["schemas"]["LocalTime"];
        } & {
          [key: string]: unknown;
        };
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    ReportEvent: {
      event_id: number;
      name: string;
      /** @enum {string} */
      kind: "system" | "target" | "custom";
      target_id?: number;
      first_seen: components["schemas"]["Timestamp"] | null;
      last_seen: components["schemas"]["Timestamp"] | null;
      count: number;
      /** @description The words for people in place of the name; null: the name */
      title: string | null;
      description: string | null;
      /** @description Pickers leave it out */
      hidden: boolean;
    };
    ReportMeta: {
      timezone: string;
      date_from: components["schemas"]["Timestamp"];
      date_to: components["schemas"]["Timestamp"];
      /** @description Rows of the whole report */
      rows_total: number;
      /** @description Of a list: rows that there would be without limit and offset */
      rows_matching?: number;
      /** @description This answer has fewer */
      truncated: boolean;
      /** @description What was received up to then has been counted */
      data_as_of: components["schemas"]["Timestamp"];
      lag_ms: number;
      warnings: components["schemas"]["FieldWarning"][];
    };
    ReportParams: {
      ":date_from"?: components["schemas"]["LocalTime"] | null;
      ":date_to"?: components["schemas"]["LocalTime"] | null;
    } & {
      [key: string]: unknown;
    };
    ReportUser: {
      user_id: number;
      first_name: string | null;
      last_name: string | null;
      username: string | null;
      language_code: string | null;
      /** @description Null: not known, or erased */
      user_status: ("active" | "blocked" | "deactivated") | null;
      date_create: components["schemas"]["Timestamp"] | null;
      date_last_active: components["schemas"]["Timestamp"] | null;
    };
    ReportUsers: {
      /** @description Users of the cell; without limit and offset */
      count: number;
      users: components["schemas"]["ReportUser"][];
      /** @description What was received up to then has been counted */
      data_as_of: components["schemas"]["Timestamp"];
    };
    ReportUsersRequest: {
      /** @description Not needed with a uuid */
      resource_key?: string;
      /** @description A saved report; or a report_config, not both */
      uuid?: components["schemas"]["Uuid"] | null;
      report_config?: components["schemas"]["ReportConfig"] | null;
      /** @description Another period than the one that was saved */
      params?: components["schemas"]["ReportParams"] | null;
      cell?: components["schemas"]["ReportCell"] | null;
      /** @description Default 50 */
      limit?: number | null;
      /** @description Default 0 */
      offset?: number | null;
    };
    RequestReferralPayoutAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["RequestedPayouts"];
      /** @enum {boolean} */
      lagging?: true;
    };
    RequestedPayouts: {
      payout_id: number;
      payout_ids: number[];
    };
    Resource: {
      /** @description What Resource-Key or resource_key name */
      resource_key: string;
      name: string;
      username: string | null;
      /** @description IANA name */
      timezone: string;
    };
    ResourceKey: {
      resource_key: string;
    };
    RetentionEntity: {
      /** @constant */
      type: "event";
      /** @description As in a metric */
      event_id?: number | null;
      /** @description For people; counts nothing */
      event_name?: string | null;
      filters?: components["schemas"]["Filters"];
    } & {
      [key: string]: unknown;
    };
    RetentionRequest: {
      /** @constant */
      type: "retention";
      /** @constant */
      type_chart: "retention";
      /** @description The starting event */
      target_entity: components["schemas"]["RetentionEntity"];
      /** @description The returning event */
      returning_entity: components["schemas"]["RetentionEntity"];
      filters?: components["schemas"]["Filters"];
      separators?: components["schemas"]["Separators"];
      /** @description Default day */
      granularity?: ("day" | "week") | null;
      /** @description Default 8 */
      retention_total_intervals?: number | null;
      /** @description Default retention_first_time */
      retention_type?: ("retention_first_time" | "retention_first_time_ever" | "retention_recurring") | null;
    } & {
      [key: string]: unknown;
    };
    RetryReferralPayoutAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["ChangedPayout"];
      /** @enum {boolean} */
      lagging?: true;
    };
    Reversal: Record<string, never>;
    ReverseAccrualRequest: {
      accrual_id: number;
      /** @description Kept with the accrual; without effect */
      reason?: string | null;
    };
    ReverseReferralAccrualAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["Reversal"];
      /** @enum {boolean} */
      lagging?: true;
    };
    RevokeKeyAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["KeyId"];
      /** @enum {boolean} */
      lagging?: true;
    };
    RevokeKeyRequest: {
      key_id: number;
    };
    RewardRate: {
      rule_id: number;
      rule_name: string | null;
      trigger_event_id: number;
      /** @enum {string} */
      reward_type: "fixed" | "percent" | "external";
      reward_amount: string | null;
      reward_percent: string | null;
      unit_id: number | null;
      locked: boolean;
      source: ("auto" | "manual") | null;
    };
    RewardRates: {
      rates: components["schemas"]["RewardRate"][];
    };
    RotateBotWebhookSecretAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["BotSecret"];
      /** @enum {boolean} */
      lagging?: true;
    };
    RotateKeyAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["IssuedKey"];
      /** @enum {boolean} */
      lagging?: true;
    };
    RotateKeyRequest: {
      key_id: number;
      /** @description How long the old key keeps working; default a day, for owner keys at most; at least 600 for the key of the request */
      overlap_seconds?: number | null;
    };
    RotatePayoutWebhookSecretAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["WebhookSecret"];
      /** @enum {boolean} */
      lagging?: true;
    };
    Rule: {
      rule_id: number;
      name: string;
      trigger_event_id: number;
      /** @enum {string} */
      reward_type: "fixed" | "percent" | "external";
      amount: string | null;
      percent: string | null;
      unit_id: number | null;
      hold_days: number;
      active: boolean;
    };
    RuleId: {
      rule_id: number;
    };
    RunReportAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["Report"];
    };
    RunRequest: {
      /** @description Not needed with a uuid */
      resource_key?: string;
      /** @description A saved report; or a report_config, not both */
      uuid?: components["schemas"]["Uuid"] | null;
      report_config?: components["schemas"]["ReportConfig"] | null;
      /** @description Another period than the one that was saved */
      params?: components["schemas"]["ReportParams"] | null;
      /** @description For csv: true keeps texts as they are, for programs; by default a text that a spreadsheet reads as a formula gets an apostrophe */
      raw?: boolean | null;
    };
    SaveBroadcastAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["Broadcast"];
      /** @description Values that were accepted but are probably mistakes; absent: none */
      warnings?: components["schemas"]["FieldWarning"][];
    };
    SaveBroadcastRequest: {
      resource_key?: string;
      id: number;
      /** @description Changes the type of a draft. Without message and variants in the request the draft loses its own */
      type?: ("sendMessage" | "sendPhoto" | "sendVideo" | "sendDocument" | "sendAnimation" | "sendAudio" | "sendVoice" | "sendMediaGroup") | null;
      /** @description For the owner, 1 to 250 characters */
      name?: string | null;
      segmentations?: components["schemas"]["Segmentations"] | null;
      message?: components["schemas"]["Message"] | null;
      variants?: components["schemas"]["Variant"][] | null;
      settings?: components["schemas"]["BroadcastSettings"] | null;
      /** @description In the bot's time zone; null: at once when it is activated */
      date_send?: components["schemas"]["LocalTime"] | null;
    };
    SaveReportAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["SavedReportId"];
    };
    SaveRequest: {
      resource_key?: string;
      /** @description 1 to 250 characters */
      name: string;
      report_config: components["schemas"]["ReportConfig"];
      /** @description The saved report to replace; without one, a new report is saved */
      uuid?: components["schemas"]["Uuid"] | null;
    };
    SaveSegmentAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["SavedSegmentId"];
    };
    SaveSegmentRequest: {
      resource_key?: string;
      /** @description 1 to 250 characters */
      name: string;
      conditions: components["schemas"]["SavedSegmentConditions"];
      /** @description The saved segment to replace; without one, a new one is saved */
      saved_segment_id?: number | null;
    };
    SavedReport: {
      /**
       * @description Of a saved report
       * @example 0b9e5f0c-6f4e-4d5b-9a37-2f7c1f3f9d10
       */
      uuid: components["schemas"]["Uuid"];
      name: string;
      /** @description Of its bot */
      resource_key: string;
      report_config: components["schemas"]["SavedReportConfig"];
      date_create: components["schemas"]["Timestamp"];
      /** @description Whether it is on the dashboard of its bot */
      pinned: boolean;
    };
    /** @description As it was saved */
    SavedReportConfig: {
      source_request: {
        type: string;
      } & {
        [key: string]: unknown;
      };
      settings: {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    SavedReportId: {
      /**
       * @description Of a saved report
       * @example 0b9e5f0c-6f4e-4d5b-9a37-2f7c1f3f9d10
       */
      uuid: components["schemas"]["Uuid"];
    };
    SavedSegment: {
      /** @example 1 */
      saved_segment_id: number;
      name: string;
      /** @description Of its bot */
      resource_key: string;
      conditions: components["schemas"]["SavedSegmentConditions"];
      date_create: components["schemas"]["Timestamp"];
      /** @description When it was saved last */
      date_change: components["schemas"]["Timestamp"];
    };
    /**
     * @description As the config of a filter segment of a broadcast
     * @example {
     *       "user_conditions": [
     *         "=",
     *         "users.is_premium",
     *         true
     *       ],
     *       "event_filters": [
     *         "performed_event",
     *         {
     *           "event_id": 101,
     *           "period_days": 30
     *         }
     *       ]
     *     }
     */
    SavedSegmentConditions: {
      user_conditions?: unknown[] | null;
      event_filters?: unknown[] | null;
    };
    SavedSegmentId: {
      /** @example 1 */
      saved_segment_id: number;
    };
    Segment: {
      /** @enum {string} */
      type: "all" | "list" | "custom" | "channel" | "from_task" | "filter" | "saved";
      /** @description chat_ids, segment_id, task_id, saved_segment_id, or user_conditions and event_filters */
      config?: {
        [key: string]: unknown;
      } | null;
    } & {
      [key: string]: unknown;
    };
    SegmentFromReport: {
      /** @description Name it in a segment of type custom */
      segment_id: number;
      /** @description Users in the list */
      count: number;
      /** @description The count includes every event received up to this time */
      data_as_of: components["schemas"]["Timestamp"];
    };
    SegmentFromReportRequest: {
      resource_key?: string;
      /** @description A saved report; or a report_config, not both */
      uuid?: components["schemas"]["Uuid"] | null;
      report_config?: components["schemas"]["ReportConfig"] | null;
      /** @description Another period than the one that was saved */
      params?: components["schemas"]["ReportParams"] | null;
      cell?: components["schemas"]["ReportCell"] | null;
      /** @description The draft that it is for */
      task_id: number;
    };
    /** @description All of include without exclude */
    Segmentations: {
      include?: components["schemas"]["Segment"][];
      exclude?: components["schemas"]["Segment"][];
    };
    SendBatchUpdateBody: components["schemas"]["ForwardedUpdate"][];
    SendEventBody: components["schemas"]["CustomEvent"] | components["schemas"]["CustomEvent"][];
    SendEventQuery: {
      /**
       * @description unknown_users: name the users of these events that the bot has not met
       * @enum {string}
       */
      report?: "unknown_users";
    };
    SendTargetBody: components["schemas"]["TargetEvent"] | components["schemas"]["TargetEvent"][];
    SendTargetQuery: {
      /**
       * @description unknown_users: name the users of these events that the bot has not met
       * @enum {string}
       */
      report?: "unknown_users";
    };
    /** @description Breakdown by fields: events.event_type_id, events.category, events.value_str, events.webapp_name, events.unit, events.properties.*, user.*, user.custom_fields.*, user.saved_segments.* */
    Separators: ({
      property: string;
    } & {
      [key: string]: unknown;
    })[] | null;
    SeriesCell: {
      /** @description The index of the request */
      series: number;
      /** @description The date of a row; without it, the whole period */
      bucket?: components["schemas"]["Timestamp"] | null;
      /** @description Of a report with a breakdown: the values of the row or line */
      breakdown?: components["schemas"]["Breakdown"] | null;
      /** @description The line of all other combinations */
      other?: boolean | null;
    };
    SetBotAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["ResourceKey"];
      /** @enum {boolean} */
      lagging?: true;
    };
    SetBotRequest: {
      name?: string | null;
      /** @description The platform's name of the bot; empty: none */
      username?: string | null;
      /** @description Of the Bot API; empty: none. It is never answered */
      token?: string | null;
      /** @description IANA name */
      timezone?: string | null;
      /** @description Between the pairs of a start payload */
      pair_separator?: string | null;
      /** @description Between key and value of a pair */
      value_separator?: string | null;
      /** @description A visit refers only users first seen by it */
      referral_new_users_only?: boolean | null;
      auto_payout?: ("off" | "daily" | "weekly" | "monthly") | null;
      /** @description Allows more than 30 messages a second. The platform charges for them */
      paid_broadcasts?: boolean | null;
    };
    SetCodeOwnersAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["CodeOwnerships"];
    };
    SetCodeOwnersBody: components["schemas"]["CodeOwner"][];
    SetPayoutWebhookAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["WebhookSecret"];
      /** @enum {boolean} */
      lagging?: true;
    };
    SetWebhookRequest: {
      url: string;
    };
    StepCell: {
      step: number;
      /** @enum {string} */
      kind: "reached" | "dropped" | "in_progress";
      /** @description Of a report with a breakdown: the values of the row or line */
      breakdown?: components["schemas"]["Breakdown"] | null;
      /** @description The line of all other combinations */
      other?: boolean | null;
    };
    /**
     * @example {
     *       "target_id": 1,
     *       "user_id": 4242,
     *       "value": 19.99,
     *       "unit": "USD",
     *       "date": "2026-01-31T12:00:00.000Z"
     *     }
     */
    TargetEvent: {
      /** @description Id of a goal of the bot; 1 is Sale */
      target_id: number;
      user_id: number;
      /** @description Default: the time of receipt */
      date?: string | null;
      /** @description Total price, in normal units */
      value?: number | null | string;
      /** @description Currency; required with a value */
      unit?: string | null;
      /** @description The same key of a bot counts once, forever */
      event_key?: string | null;
      /** @description Custom properties, at most 50: reports name them events.properties.<name> */
      properties?: {
        [key: string]: string | number | boolean | null;
      } | null;
    };
    TestSendAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["TestSendOutcome"];
    };
    TestSendOutcome: {
      /** @enum {string} */
      outcome: "delivered" | "refused" | "unknown" | "not_sent";
      /** @description The platform's words, or why there is no answer */
      reason: string | null;
    };
    TestSendRequest: {
      resource_key?: string;
      type: components["schemas"]["MessageType"];
      message: components["schemas"]["Message"];
      /** @description Groups and channels are negative */
      chat_id: number;
    };
    /** Format: date-time */
    Timestamp: string;
    TrendsRequest: {
      /** @constant */
      type: "trends";
      /** @enum {string} */
      type_chart: "line" | "bar" | "area" | "pie" | "column" | "number" | "table" | "utm_trends" | "utm_table";
      requests: components["schemas"]["Metric"][];
      filters?: components["schemas"]["Filters"];
      separators?: components["schemas"]["Separators"];
      /** @description Of charts; default day */
      granularity?: ("hour" | "day" | "week" | "month") | null;
      /** @description UTM combinations of UTM charts; default 25 */
      breakdown_limit?: number | null;
      /** @description Rows of UTM charts; default 100 */
      row_limit?: number | null;
    } & {
      [key: string]: unknown;
    };
    Unit: {
      unit_id: number;
      code: string;
      name: string | null;
      /** @description Decimals of a normal unit */
      scale: number;
    };
    UnitId: {
      unit_id: number;
    };
    /** @description https://core.telegram.org/bots/api#update */
    Update: {
      update_id: number;
    } & {
      [key: string]: unknown;
    };
    UploadSegmentAnswer: {
      /** @enum {boolean} */
      ok: true;
      data: components["schemas"]["UploadedSegment"];
    };
    UploadSegmentRequest: {
      resource_key?: string;
      /** @description The draft that it is for */
      task_id: number;
      /** @description Groups and channels are negative */
      chat_ids: number[];
    };
    UploadedSegment: {
      /** @description Name it in a segment of type custom */
      segment_id: number;
      /** @description Without duplicates */
      count_list: number;
      duplicates: number;
    };
    UserField: {
      name: string;
      /**
       * @description dynamic: each value has its own type
       * @enum {string}
       */
      type: "number" | "string" | "date" | "boolean" | "dynamic";
      operators: string[];
      /** @description Whether a report may be broken down by it */
      separator: boolean;
      /** @description Of a saved segment: its name */
      label?: string;
    };
    UserRequest: {
      user_id: number;
    };
    /** @example 2026-03-01 10:00:00 */
    UtcTime: string;
    /** Format: date-time */
    UtcTimestamp: string;
    UtmLabels: {
      /** @description The most used first */
      sources: string[];
      /** @description The most used first */
      mediums: string[];
      /** @description The most used first */
      campaigns: string[];
      /** @description The most used first */
      terms: string[];
      /** @description The most used first */
      contents: string[];
    };
    /** Format: uuid */
    Uuid: string;
    Variant: {
      name: string;
      /** @description A whole percentage; the sum of all shares is 100 */
      share: number;
      message: components["schemas"]["Message"];
    };
    VariantConversions: {
      name: string;
      share: number;
      /** @description Recipients with the message, private chats only */
      delivered: number;
      /** @description Of these, with such an event in the window */
      converted: number;
      /** @description Not converted, and the window was not over: they still may */
      in_window: number;
      /** @description converted divided by delivered; null: none was delivered */
      rate: number | null;
      /** @description Such events in the windows */
      events: number;
      /** @description The sum of their value_amount, a decimal */
      value: string;
    };
    VariantCounts: {
      name: string;
      share: number;
      count_recipients: number;
      count_delivered: number;
      /** @description Those of unknown outcome included */
      count_not_delivered: number;
      /** @description Never attempted, since it was stopped or failed */
      count_cancelled: number;
      /** @description May have been delivered: the platform gave no answer */
      count_unknown: number;
      /** @description Recipients with a counted click; null: no launch tracked clicks */
      clicked: number | null;
      /** @description Counted clicks */
      clicks: number | null;
    };
    WebhookSecret: {
      secret: string | null;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
