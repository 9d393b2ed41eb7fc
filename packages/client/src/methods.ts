// Made from openapi.json by `npm run client-types`; do not edit.
import type { CallOptions, ReceiptOptions } from './call.ts';
import type { QueryArguments } from './client.ts';
import type { Answer, Body, DataOf } from './types.ts';

/** A method for each call of the service, by the tags of openapi.json. Each gives the `data` of the answer. */
export interface Methods {
  readonly intake: {
    /** As below, and gives the receipt; null: the service keeps nothing of the request. */
    sendTarget(body: Body<'/v1/send-target'>, options: ReceiptOptions): Promise<string | null>;
    /**
     * Send one target event, or an array of 1 to 100: all are accepted or none.
     *
     * `POST /v1/send-target`
     * @throws BotledgerError
     */
    sendTarget(body: Body<'/v1/send-target'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/send-target', 'post'>>>;
    /** As below, and gives the receipt; null: the service keeps nothing of the request. */
    sendEvent(body: Body<'/v1/send-event'>, options: ReceiptOptions): Promise<string | null>;
    /**
     * Send one custom event, or an array of 1 to 1000: all are accepted or none.
     *
     * `POST /v1/send-event`
     * @throws BotledgerError
     */
    sendEvent(body: Body<'/v1/send-event'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/send-event', 'post'>>>;
    /** As below, and gives the receipt; null: the service keeps nothing of the request. */
    sendUpdate(body: Body<'/v1/send-update'>, options: ReceiptOptions): Promise<string | null>;
    /**
     * Forward one update of the messaging platform.
     *
     * `POST /v1/send-update`
     * @throws BotledgerError
     */
    sendUpdate(body: Body<'/v1/send-update'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/send-update', 'post'>>>;
    /** As below, and gives the receipt; null: the service keeps nothing of the request. */
    sendBatchUpdate(body: Body<'/v1/send-batch-update'>, options: ReceiptOptions): Promise<string | null>;
    /**
     * Forward 1 to 1000 updates: all are accepted or none.
     *
     * `POST /v1/send-batch-update`
     * @throws BotledgerError
     */
    sendBatchUpdate(body: Body<'/v1/send-batch-update'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/send-batch-update', 'post'>>>;
    /**
     * Events that were accepted and could not be processed as sent, newest first, of the last 90 days.
     *
     * `GET /v1/bot-errors`
     * @throws BotledgerError
     */
    listBotErrors(...rest: QueryArguments<'/v1/bot-errors'>): Promise<DataOf<Answer<'/v1/bot-errors', 'get'>>>;
    /**
     * The events that were received last, the last one first, as they were counted.
     *
     * `GET /v1/events/latest`
     * @throws BotledgerError
     */
    listLatestEvents(...rest: QueryArguments<'/v1/events/latest'>): Promise<DataOf<Answer<'/v1/events/latest', 'get'>>>;
  };
  readonly reports: {
    /**
     * The bots that the key can access, by their resource keys.
     *
     * `GET /v1/reports/resources`
     * @throws BotledgerError
     */
    listResources(...rest: QueryArguments<'/v1/reports/resources'>): Promise<DataOf<Answer<'/v1/reports/resources', 'get'>>>;
    /**
     * Events that reports of the bot can count, with the ids that metrics name.
     *
     * `GET /v1/reports/events`
     * @throws BotledgerError
     */
    listReportEvents(...rest: QueryArguments<'/v1/reports/events'>): Promise<DataOf<Answer<'/v1/reports/events', 'get'>>>;
    /**
     * The fixed event fields that filters can name: the same for every bot.
     *
     * `GET /v1/reports/event-fields`
     * @throws BotledgerError
     */
    listEventFields(...rest: QueryArguments<'/v1/reports/event-fields'>): Promise<DataOf<Answer<'/v1/reports/event-fields', 'get'>>>;
    /**
     * The custom properties that events of the bot have, for filters, breakdowns, columns and sums.
     *
     * `GET /v1/reports/event-properties`
     * @throws BotledgerError
     */
    listEventProperties(...rest: QueryArguments<'/v1/reports/event-properties'>): Promise<DataOf<Answer<'/v1/reports/event-properties', 'get'>>>;
    /**
     * The fields of users that filters and breakdowns can name, with the custom fields and saved segments of the bot.
     *
     * `GET /v1/reports/user-fields`
     * @throws BotledgerError
     */
    listUserFields(...rest: QueryArguments<'/v1/reports/user-fields'>): Promise<DataOf<Answer<'/v1/reports/user-fields', 'get'>>>;
    /**
     * UTM labels that the bot has seen, each list with the most used first.
     *
     * `GET /v1/reports/utm-labels`
     * @throws BotledgerError
     */
    listUtmLabels(...rest: QueryArguments<'/v1/reports/utm-labels'>): Promise<DataOf<Answer<'/v1/reports/utm-labels', 'get'>>>;
    /**
     * Run a report without saving it and get its first 10 rows.
     *
     * `POST /v1/reports/preview`
     * @throws BotledgerError
     */
    previewReport(body: Body<'/v1/reports/preview'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/reports/preview', 'post'>>>;
    /**
     * Run a saved report, or one that is not, and get all its rows as JSON or CSV.
     *
     * `POST /v1/reports/run`
     * @throws BotledgerError
     */
    runReport(body: Body<'/v1/reports/run'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/reports/run', 'post'>>>;
    /**
     * The users behind a number of a report.
     *
     * `POST /v1/reports/users`
     * @throws BotledgerError
     */
    listReportUsers(body: Body<'/v1/reports/users'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/reports/users', 'post'>>>;
    /**
     * Save a report, or replace a saved one by its uuid.
     *
     * `POST /v1/reports/save`
     * @throws BotledgerError
     */
    saveReport(body: Body<'/v1/reports/save'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/reports/save', 'post'>>>;
    /**
     * Saved reports, newest first: of one bot, or without resource_key of every bot of the key.
     *
     * `GET /v1/reports/list`
     * @throws BotledgerError
     */
    listReports(...rest: QueryArguments<'/v1/reports/list'>): Promise<DataOf<Answer<'/v1/reports/list', 'get'>>>;
    /**
     * A saved report.
     *
     * `GET /v1/reports/get`
     * @throws BotledgerError
     */
    getReport(...rest: QueryArguments<'/v1/reports/get'>): Promise<DataOf<Answer<'/v1/reports/get', 'get'>>>;
    /**
     * Delete a saved report.
     *
     * `POST /v1/reports/delete`
     * @throws BotledgerError
     */
    deleteReport(body: Body<'/v1/reports/delete'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/reports/delete', 'post'>>>;
    /**
     * Pin a saved report to the dashboard of its bot, or take it off.
     *
     * `POST /v1/reports/pin`
     * @throws BotledgerError
     */
    pinReport(body: Body<'/v1/reports/pin'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/reports/pin', 'post'>>>;
    /**
     * How many users of the bot are new, by day.
     *
     * `GET /v1/reports/new-users`
     * @throws BotledgerError
     */
    countNewUsers(...rest: QueryArguments<'/v1/reports/new-users'>): Promise<DataOf<Answer<'/v1/reports/new-users', 'get'>>>;
    /**
     * The users of the bot, found by name, username or id.
     *
     * `GET /v1/users/list`
     * @throws BotledgerError
     */
    listUsers(...rest: QueryArguments<'/v1/users/list'>): Promise<DataOf<Answer<'/v1/users/list', 'get'>>>;
    /**
     * What the bot knows of a user: profile, custom fields, first visit, who brought them.
     *
     * `GET /v1/users/get`
     * @throws BotledgerError
     */
    getUser(...rest: QueryArguments<'/v1/users/get'>): Promise<DataOf<Answer<'/v1/users/get', 'get'>>>;
    /**
     * The broadcasts whose audience had a user, the latest first, with the outcome of each for the user.
     *
     * `GET /v1/users/broadcasts`
     * @throws BotledgerError
     */
    listUserBroadcasts(...rest: QueryArguments<'/v1/users/broadcasts'>): Promise<DataOf<Answer<'/v1/users/broadcasts', 'get'>>>;
  };
  readonly broadcasts: {
    /**
     * Create a broadcast; with activate also launch it.
     *
     * `POST /v1/broadcast/create`
     * @throws BotledgerError
     */
    createBroadcast(body: Body<'/v1/broadcast/create'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/broadcast/create', 'post'>>>;
    /**
     * Change a draft; any other status is answered unchanged.
     *
     * `POST /v1/broadcast/save`
     * @throws BotledgerError
     */
    saveBroadcast(body: Body<'/v1/broadcast/save'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/broadcast/save', 'post'>>>;
    /**
     * A broadcast: its content, status and statistics.
     *
     * `GET /v1/broadcast/get`
     * @throws BotledgerError
     */
    getBroadcast(...rest: QueryArguments<'/v1/broadcast/get'>): Promise<DataOf<Answer<'/v1/broadcast/get', 'get'>>>;
    /**
     * Broadcasts of the bot, filtered, ordered and paged; the latest first.
     *
     * `GET /v1/broadcast/list`
     * @throws BotledgerError
     */
    listBroadcasts(...rest: QueryArguments<'/v1/broadcast/list'>): Promise<DataOf<Answer<'/v1/broadcast/list', 'get'>>>;
    /**
     * Save the given fields and launch. A stopped or failed broadcast continues with recipients not yet attempted.
     *
     * `POST /v1/broadcast/activate`
     * @throws BotledgerError
     */
    activateBroadcast(body: Body<'/v1/broadcast/activate'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/broadcast/activate', 'post'>>>;
    /**
     * Stop a broadcast; one that was not picked up yet becomes a draft again.
     *
     * `POST /v1/broadcast/cancel`
     * @throws BotledgerError
     */
    cancelBroadcast(body: Body<'/v1/broadcast/cancel'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/broadcast/cancel', 'post'>>>;
    /**
     * Put a broadcast into the archive, or take it out.
     *
     * `POST /v1/broadcast/archive`
     * @throws BotledgerError
     */
    archiveBroadcast(body: Body<'/v1/broadcast/archive'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/broadcast/archive', 'post'>>>;
    /**
     * Delete a draft.
     *
     * `POST /v1/broadcast/delete`
     * @throws BotledgerError
     */
    deleteBroadcast(body: Body<'/v1/broadcast/delete'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/broadcast/delete', 'post'>>>;
    /**
     * Upload a list of chats for a draft, to be named in its audience as a custom segment.
     *
     * `POST /v1/broadcast/upload-segment`
     * @throws BotledgerError
     */
    uploadSegment(body: Body<'/v1/broadcast/upload-segment'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/broadcast/upload-segment', 'post'>>>;
    /**
     * Freeze the users behind a number of a report as a list, for the audience of a draft.
     *
     * `POST /v1/broadcast/segment-from-report`
     * @throws BotledgerError
     */
    createSegmentFromReport(body: Body<'/v1/broadcast/segment-from-report'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/broadcast/segment-from-report', 'post'>>>;
    /**
     * The recipients of a broadcast by chat id, and what became of each, as JSON or CSV.
     *
     * `GET /v1/broadcast/recipients`
     * @throws BotledgerError
     */
    listRecipients(...rest: QueryArguments<'/v1/broadcast/recipients'>): Promise<DataOf<Answer<'/v1/broadcast/recipients', 'get'>>>;
    /**
     * The recipients of a broadcast by outcome, and its clicks: in total, by variant and by link.
     *
     * `GET /v1/broadcast/statistics`
     * @throws BotledgerError
     */
    getBroadcastStatistics(...rest: QueryArguments<'/v1/broadcast/statistics'>): Promise<DataOf<Answer<'/v1/broadcast/statistics', 'get'>>>;
    /**
     * How many recipients of a broadcast did something within days of their message, in total and by variant.
     *
     * `POST /v1/broadcast/conversions`
     * @throws BotledgerError
     */
    countConversions(body: Body<'/v1/broadcast/conversions'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/broadcast/conversions', 'post'>>>;
    /**
     * The fields that audiences and templates can name.
     *
     * `GET /v1/broadcast/fields`
     * @throws BotledgerError
     */
    listBroadcastFields(...rest: QueryArguments<'/v1/broadcast/fields'>): Promise<DataOf<Answer<'/v1/broadcast/fields', 'get'>>>;
    /**
     * How many chats an audience has now, with some of them; a launch resolves it again.
     *
     * `POST /v1/broadcast/audience-size`
     * @throws BotledgerError
     */
    countAudience(body: Body<'/v1/broadcast/audience-size'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/broadcast/audience-size', 'post'>>>;
    /**
     * A message as a user would get it, with its entities and its problems.
     *
     * `POST /v1/broadcast/preview`
     * @throws BotledgerError
     */
    previewBroadcast(body: Body<'/v1/broadcast/preview'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/broadcast/preview', 'post'>>>;
    /**
     * Send a message to one chat at once; it counts nowhere.
     *
     * `POST /v1/broadcast/test-send`
     * @throws BotledgerError
     */
    testSend(body: Body<'/v1/broadcast/test-send'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/broadcast/test-send', 'post'>>>;
  };
  readonly savedSegments: {
    /**
     * Save a segment: a name and conditions; or replace a saved one by its id.
     *
     * `POST /v1/saved-segments/save`
     * @throws BotledgerError
     */
    saveSegment(body: Body<'/v1/saved-segments/save'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/saved-segments/save', 'post'>>>;
    /**
     * The saved segments of the bot, newest first.
     *
     * `GET /v1/saved-segments/list`
     * @throws BotledgerError
     */
    listSavedSegments(...rest: QueryArguments<'/v1/saved-segments/list'>): Promise<DataOf<Answer<'/v1/saved-segments/list', 'get'>>>;
    /**
     * A saved segment.
     *
     * `GET /v1/saved-segments/get`
     * @throws BotledgerError
     */
    getSavedSegment(...rest: QueryArguments<'/v1/saved-segments/get'>): Promise<DataOf<Answer<'/v1/saved-segments/get', 'get'>>>;
    /**
     * Delete a saved segment, unless a scheduled broadcast uses it.
     *
     * `POST /v1/saved-segments/delete`
     * @throws BotledgerError
     */
    deleteSavedSegment(body: Body<'/v1/saved-segments/delete'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/saved-segments/delete', 'post'>>>;
  };
  readonly referrals: {
    /**
     * A new referral code of a user; old ones stay valid.
     *
     * `POST /v1/referral/create-code`
     * @throws BotledgerError
     */
    createReferralCode(body: Body<'/v1/referral/create-code'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/referral/create-code', 'post'>>>;
    /**
     * The same by GET: each request makes a new code.
     *
     * `GET /v1/referral/create-code`
     * @throws BotledgerError
     */
    createReferralCodeByGet(...rest: QueryArguments<'/v1/referral/create-code'>): Promise<DataOf<Answer<'/v1/referral/create-code', 'get'>>>;
    /**
     * Say whose codes are; past visits by them count for their owners.
     *
     * `POST /v1/referral/set-code-owners`
     * @throws BotledgerError
     */
    setCodeOwners(body: Body<'/v1/referral/set-code-owners'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/referral/set-code-owners', 'post'>>>;
    /**
     * A user's codes, newest first, and the number of the user's referrals.
     *
     * `GET /v1/referral/codes`
     * @throws BotledgerError
     */
    listReferralCodes(...rest: QueryArguments<'/v1/referral/codes'>): Promise<DataOf<Answer<'/v1/referral/codes', 'get'>>>;
    /**
     * The users that a user referred, newest first.
     *
     * `GET /v1/referral/referrals`
     * @throws BotledgerError
     */
    listReferrals(...rest: QueryArguments<'/v1/referral/referrals'>): Promise<DataOf<Answer<'/v1/referral/referrals', 'get'>>>;
    /**
     * Mark a user as referred, by a code or by the referrer; who has a referrer keeps that one.
     *
     * `POST /v1/referral/mark-referral`
     * @throws BotledgerError
     */
    markReferral(body: Body<'/v1/referral/mark-referral'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/referral/mark-referral', 'post'>>>;
    /**
     * A referrer's balance, a row for each unit with any accrual.
     *
     * `GET /v1/referral/balance`
     * @throws BotledgerError
     */
    getReferralBalance(...rest: QueryArguments<'/v1/referral/balance'>): Promise<DataOf<Answer<'/v1/referral/balance', 'get'>>>;
    /**
     * Request a payout of all that is available, one for each unit.
     *
     * `POST /v1/referral/payout`
     * @throws BotledgerError
     */
    requestReferralPayout(body: Body<'/v1/referral/payout'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/referral/payout', 'post'>>>;
    /**
     * A referrer's payouts, newest first.
     *
     * `GET /v1/referral/payouts`
     * @throws BotledgerError
     */
    listReferralPayouts(...rest: QueryArguments<'/v1/referral/payouts'>): Promise<DataOf<Answer<'/v1/referral/payouts', 'get'>>>;
    /**
     * Record that a manual payout, or one that the client accepted, was paid.
     *
     * `POST /v1/referral/payouts/confirm`
     * @throws BotledgerError
     */
    confirmReferralPayout(body: Body<'/v1/referral/payouts/confirm'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/referral/payouts/confirm', 'post'>>>;
    /**
     * Record that a payout that the client accepted was not paid.
     *
     * `POST /v1/referral/payouts/fail`
     * @throws BotledgerError
     */
    failReferralPayout(body: Body<'/v1/referral/payouts/fail'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/referral/payouts/fail', 'post'>>>;
    /**
     * Cancel a new or failed payout. Its amount returns to the balance.
     *
     * `POST /v1/referral/payouts/cancel`
     * @throws BotledgerError
     */
    cancelReferralPayout(body: Body<'/v1/referral/payouts/cancel'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/referral/payouts/cancel', 'post'>>>;
    /**
     * Announce a payout now that failed or waits for its next attempt.
     *
     * `POST /v1/referral/payouts/retry`
     * @throws BotledgerError
     */
    retryReferralPayout(body: Body<'/v1/referral/payouts/retry'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/referral/payouts/retry', 'post'>>>;
    /**
     * Cancel an accrual; one that was paid is made good by one of the opposite amount.
     *
     * `POST /v1/referral/reverse-accrual`
     * @throws BotledgerError
     */
    reverseReferralAccrual(body: Body<'/v1/referral/reverse-accrual'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/referral/reverse-accrual', 'post'>>>;
    /**
     * A referrer's accruals, newest first.
     *
     * `GET /v1/referral/accruals`
     * @throws BotledgerError
     */
    listReferralAccruals(...rest: QueryArguments<'/v1/referral/accruals'>): Promise<DataOf<Answer<'/v1/referral/accruals', 'get'>>>;
    /**
     * What each active rule of the bot earns a referrer: the rate that was locked, else the rule's.
     *
     * `GET /v1/referral/rates`
     * @throws BotledgerError
     */
    listReferralRates(...rest: QueryArguments<'/v1/referral/rates'>): Promise<DataOf<Answer<'/v1/referral/rates', 'get'>>>;
    /**
     * The changes of a referrer's balances, each row with the balance after it.
     *
     * `GET /v1/referral/history`
     * @throws BotledgerError
     */
    listReferralHistory(...rest: QueryArguments<'/v1/referral/history'>): Promise<DataOf<Answer<'/v1/referral/history', 'get'>>>;
    /**
     * The bot's referrers with their balances, by referrals or by an amount of a unit.
     *
     * `GET /v1/referral/referrers`
     * @throws BotledgerError
     */
    listReferrers(...rest: QueryArguments<'/v1/referral/referrers'>): Promise<DataOf<Answer<'/v1/referral/referrers', 'get'>>>;
    /**
     * The payouts of all referrers, each with its webhook deliveries.
     *
     * `GET /v1/referral/all-payouts`
     * @throws BotledgerError
     */
    listAllReferralPayouts(...rest: QueryArguments<'/v1/referral/all-payouts'>): Promise<DataOf<Answer<'/v1/referral/all-payouts', 'get'>>>;
    /**
     * The steps of the program from visits by a link to rewards, and the amounts of all accounts.
     *
     * `GET /v1/referral/totals`
     * @throws BotledgerError
     */
    getReferralTotals(...rest: QueryArguments<'/v1/referral/totals'>): Promise<DataOf<Answer<'/v1/referral/totals', 'get'>>>;
    /**
     * Every accrual of an account, also reversed ones, with the payout that claims it.
     *
     * `GET /v1/referral/entries`
     * @throws BotledgerError
     */
    listReferralEntries(...rest: QueryArguments<'/v1/referral/entries'>): Promise<DataOf<Answer<'/v1/referral/entries', 'get'>>>;
    /**
     * The commits of an account's stream with their hashes, oldest first.
     *
     * `GET /v1/referral/chain`
     * @throws BotledgerError
     */
    getReferralChain(...rest: QueryArguments<'/v1/referral/chain'>): Promise<DataOf<Answer<'/v1/referral/chain', 'get'>>>;
    /**
     * A proof of a referrer's balance, which anybody checks without the service.
     *
     * `GET /v1/referral/proof`
     * @throws BotledgerError
     */
    getReferralProof(...rest: QueryArguments<'/v1/referral/proof'>): Promise<DataOf<Answer<'/v1/referral/proof', 'get'>>>;
    /**
     * The bot's reward rules, and the units of its amounts.
     *
     * `GET /v1/referral/program`
     * @throws BotledgerError
     */
    getReferralProgram(...rest: QueryArguments<'/v1/referral/program'>): Promise<DataOf<Answer<'/v1/referral/program', 'get'>>>;
  };
  readonly settings: {
    /**
     * The bots of the key, with their settings.
     *
     * `GET /v1/settings/bots`
     * @throws BotledgerError
     */
    listBotSettings(...rest: QueryArguments<'/v1/settings/bots'>): Promise<DataOf<Answer<'/v1/settings/bots', 'get'>>>;
    /**
     * Create a bot, with a key for all bots. Shows the secret of its platform webhook once.
     *
     * `POST /v1/settings/bots/create`
     * @throws BotledgerError
     */
    createBot(body: Body<'/v1/settings/bots/create'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/settings/bots/create', 'post'>>>;
    /**
     * Change a bot's settings: each field that is given.
     *
     * `POST /v1/settings/bots/set`
     * @throws BotledgerError
     */
    setBot(body: Body<'/v1/settings/bots/set'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/settings/bots/set', 'post'>>>;
    /**
     * Replace the secret of the platform's webhook, and show the new one once.
     *
     * `POST /v1/settings/bots/rotate-webhook-secret`
     * @throws BotledgerError
     */
    rotateBotWebhookSecret(body: Body<'/v1/settings/bots/rotate-webhook-secret'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/settings/bots/rotate-webhook-secret', 'post'>>>;
    /**
     * The keys within the reach of the key, the latest first, with their last use.
     *
     * `GET /v1/settings/keys`
     * @throws BotledgerError
     */
    listKeys(...rest: QueryArguments<'/v1/settings/keys'>): Promise<DataOf<Answer<'/v1/settings/keys', 'get'>>>;
    /**
     * Issue a key of kind personal or service. Its value is shown once.
     *
     * `POST /v1/settings/keys/issue`
     * @throws BotledgerError
     */
    issueKey(body: Body<'/v1/settings/keys/issue'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/settings/keys/issue', 'post'>>>;
    /**
     * Issue a key in the place of another. The old key works until the overlap ends. The new value is shown once.
     *
     * `POST /v1/settings/keys/rotate`
     * @throws BotledgerError
     */
    rotateKey(body: Body<'/v1/settings/keys/rotate'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/settings/keys/rotate', 'post'>>>;
    /**
     * Revoke another key than the one of the request, and the keys that it made by rotating itself, within 2 s.
     *
     * `POST /v1/settings/keys/revoke`
     * @throws BotledgerError
     */
    revokeKey(body: Body<'/v1/settings/keys/revoke'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/settings/keys/revoke', 'post'>>>;
    /**
     * The goals of a bot, Sale included.
     *
     * `GET /v1/settings/goals`
     * @throws BotledgerError
     */
    listGoals(...rest: QueryArguments<'/v1/settings/goals'>): Promise<DataOf<Answer<'/v1/settings/goals', 'get'>>>;
    /**
     * Create a goal. send-target names it by its target_id.
     *
     * `POST /v1/settings/goals/create`
     * @throws BotledgerError
     */
    createGoal(body: Body<'/v1/settings/goals/create'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/settings/goals/create', 'post'>>>;
    /**
     * The units of a bot.
     *
     * `GET /v1/settings/units`
     * @throws BotledgerError
     */
    listUnits(...rest: QueryArguments<'/v1/settings/units'>): Promise<DataOf<Answer<'/v1/settings/units', 'get'>>>;
    /**
     * Create a unit. Currencies of ISO 4217 and XTR need none.
     *
     * `POST /v1/settings/units/create`
     * @throws BotledgerError
     */
    createUnit(body: Body<'/v1/settings/units/create'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/settings/units/create', 'post'>>>;
    /**
     * The exchange rates. An operator sets them for all owners.
     *
     * `GET /v1/settings/exchange-rates`
     * @throws BotledgerError
     */
    listExchangeRates(...rest: QueryArguments<'/v1/settings/exchange-rates'>): Promise<DataOf<Answer<'/v1/settings/exchange-rates', 'get'>>>;
    /**
     * Give an event a title and a description for people, or hide it from pickers.
     *
     * `POST /v1/settings/events/describe`
     * @throws BotledgerError
     */
    describeEvent(body: Body<'/v1/settings/events/describe'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/settings/events/describe', 'post'>>>;
    /**
     * The owner's plan, report currency, and the broadcasts of this month.
     *
     * `GET /v1/settings/plan`
     * @throws BotledgerError
     */
    getPlan(...rest: QueryArguments<'/v1/settings/plan'>): Promise<DataOf<Answer<'/v1/settings/plan', 'get'>>>;
    /**
     * The reward rules of a bot.
     *
     * `GET /v1/settings/rules`
     * @throws BotledgerError
     */
    listRules(...rest: QueryArguments<'/v1/settings/rules'>): Promise<DataOf<Answer<'/v1/settings/rules', 'get'>>>;
    /**
     * Create a reward rule.
     *
     * `POST /v1/settings/rules/create`
     * @throws BotledgerError
     */
    createRule(body: Body<'/v1/settings/rules/create'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/settings/rules/create', 'post'>>>;
    /**
     * Change a rule: each field that is given. Rewards that were earned keep their amounts.
     *
     * `POST /v1/settings/rules/edit`
     * @throws BotledgerError
     */
    editRule(body: Body<'/v1/settings/rules/edit'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/settings/rules/edit', 'post'>>>;
    /**
     * The webhook that payouts of a bot are announced to, without its secret.
     *
     * `GET /v1/settings/webhook`
     * @throws BotledgerError
     */
    getPayoutWebhook(...rest: QueryArguments<'/v1/settings/webhook'>): Promise<DataOf<Answer<'/v1/settings/webhook', 'get'>>>;
    /**
     * Set the address. The first time shows the signing secret. Later addresses keep it.
     *
     * `POST /v1/settings/webhook/set`
     * @throws BotledgerError
     */
    setPayoutWebhook(body: Body<'/v1/settings/webhook/set'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/settings/webhook/set', 'post'>>>;
    /**
     * Replace the signing secret and show it once. The old one also signs for 24 hours.
     *
     * `POST /v1/settings/webhook/rotate-secret`
     * @throws BotledgerError
     */
    rotatePayoutWebhookSecret(body: Body<'/v1/settings/webhook/rotate-secret'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/settings/webhook/rotate-secret', 'post'>>>;
    /**
     * Every attempt to announce a payout of a bot, the latest first.
     *
     * `GET /v1/settings/webhook/deliveries`
     * @throws BotledgerError
     */
    listDeliveries(...rest: QueryArguments<'/v1/settings/webhook/deliveries'>): Promise<DataOf<Answer<'/v1/settings/webhook/deliveries', 'get'>>>;
    /**
     * Announce a payout now that failed or waits for its next attempt, as `payout retry`.
     *
     * `POST /v1/settings/webhook/redeliver`
     * @throws BotledgerError
     */
    redeliverPayout(body: Body<'/v1/settings/webhook/redeliver'>, options?: CallOptions): Promise<DataOf<Answer<'/v1/settings/webhook/redeliver', 'post'>>>;
  };
}

export const CALLS: Readonly<Record<keyof Methods, Readonly<Record<string, string>>>> = {
  intake: {
    sendTarget: 'POST /v1/send-target',
    sendEvent: 'POST /v1/send-event',
    sendUpdate: 'POST /v1/send-update',
    sendBatchUpdate: 'POST /v1/send-batch-update',
    listBotErrors: 'GET /v1/bot-errors',
    listLatestEvents: 'GET /v1/events/latest',
  },
  reports: {
    listResources: 'GET /v1/reports/resources',
    listReportEvents: 'GET /v1/reports/events',
    listEventFields: 'GET /v1/reports/event-fields',
    listEventProperties: 'GET /v1/reports/event-properties',
    listUserFields: 'GET /v1/reports/user-fields',
    listUtmLabels: 'GET /v1/reports/utm-labels',
    previewReport: 'POST /v1/reports/preview',
    runReport: 'POST /v1/reports/run',
    listReportUsers: 'POST /v1/reports/users',
    saveReport: 'POST /v1/reports/save',
    listReports: 'GET /v1/reports/list',
    getReport: 'GET /v1/reports/get',
    deleteReport: 'POST /v1/reports/delete',
    pinReport: 'POST /v1/reports/pin',
    countNewUsers: 'GET /v1/reports/new-users',
    listUsers: 'GET /v1/users/list',
    getUser: 'GET /v1/users/get',
    listUserBroadcasts: 'GET /v1/users/broadcasts',
  },
  broadcasts: {
    createBroadcast: 'POST /v1/broadcast/create',
    saveBroadcast: 'POST /v1/broadcast/save',
    getBroadcast: 'GET /v1/broadcast/get',
    listBroadcasts: 'GET /v1/broadcast/list',
    activateBroadcast: 'POST /v1/broadcast/activate',
    cancelBroadcast: 'POST /v1/broadcast/cancel',
    archiveBroadcast: 'POST /v1/broadcast/archive',
    deleteBroadcast: 'POST /v1/broadcast/delete',
    uploadSegment: 'POST /v1/broadcast/upload-segment',
    createSegmentFromReport: 'POST /v1/broadcast/segment-from-report',
    listRecipients: 'GET /v1/broadcast/recipients',
    getBroadcastStatistics: 'GET /v1/broadcast/statistics',
    countConversions: 'POST /v1/broadcast/conversions',
    listBroadcastFields: 'GET /v1/broadcast/fields',
    countAudience: 'POST /v1/broadcast/audience-size',
    previewBroadcast: 'POST /v1/broadcast/preview',
    testSend: 'POST /v1/broadcast/test-send',
  },
  savedSegments: {
    saveSegment: 'POST /v1/saved-segments/save',
    listSavedSegments: 'GET /v1/saved-segments/list',
    getSavedSegment: 'GET /v1/saved-segments/get',
    deleteSavedSegment: 'POST /v1/saved-segments/delete',
  },
  referrals: {
    createReferralCode: 'POST /v1/referral/create-code',
    createReferralCodeByGet: 'GET /v1/referral/create-code',
    setCodeOwners: 'POST /v1/referral/set-code-owners',
    listReferralCodes: 'GET /v1/referral/codes',
    listReferrals: 'GET /v1/referral/referrals',
    markReferral: 'POST /v1/referral/mark-referral',
    getReferralBalance: 'GET /v1/referral/balance',
    requestReferralPayout: 'POST /v1/referral/payout',
    listReferralPayouts: 'GET /v1/referral/payouts',
    confirmReferralPayout: 'POST /v1/referral/payouts/confirm',
    failReferralPayout: 'POST /v1/referral/payouts/fail',
    cancelReferralPayout: 'POST /v1/referral/payouts/cancel',
    retryReferralPayout: 'POST /v1/referral/payouts/retry',
    reverseReferralAccrual: 'POST /v1/referral/reverse-accrual',
    listReferralAccruals: 'GET /v1/referral/accruals',
    listReferralRates: 'GET /v1/referral/rates',
    listReferralHistory: 'GET /v1/referral/history',
    listReferrers: 'GET /v1/referral/referrers',
    listAllReferralPayouts: 'GET /v1/referral/all-payouts',
    getReferralTotals: 'GET /v1/referral/totals',
    listReferralEntries: 'GET /v1/referral/entries',
    getReferralChain: 'GET /v1/referral/chain',
    getReferralProof: 'GET /v1/referral/proof',
    getReferralProgram: 'GET /v1/referral/program',
  },
  settings: {
    listBotSettings: 'GET /v1/settings/bots',
    createBot: 'POST /v1/settings/bots/create',
    setBot: 'POST /v1/settings/bots/set',
    rotateBotWebhookSecret: 'POST /v1/settings/bots/rotate-webhook-secret',
    listKeys: 'GET /v1/settings/keys',
    issueKey: 'POST /v1/settings/keys/issue',
    rotateKey: 'POST /v1/settings/keys/rotate',
    revokeKey: 'POST /v1/settings/keys/revoke',
    listGoals: 'GET /v1/settings/goals',
    createGoal: 'POST /v1/settings/goals/create',
    listUnits: 'GET /v1/settings/units',
    createUnit: 'POST /v1/settings/units/create',
    listExchangeRates: 'GET /v1/settings/exchange-rates',
    describeEvent: 'POST /v1/settings/events/describe',
    getPlan: 'GET /v1/settings/plan',
    listRules: 'GET /v1/settings/rules',
    createRule: 'POST /v1/settings/rules/create',
    editRule: 'POST /v1/settings/rules/edit',
    getPayoutWebhook: 'GET /v1/settings/webhook',
    setPayoutWebhook: 'POST /v1/settings/webhook/set',
    rotatePayoutWebhookSecret: 'POST /v1/settings/webhook/rotate-secret',
    listDeliveries: 'GET /v1/settings/webhook/deliveries',
    redeliverPayout: 'POST /v1/settings/webhook/redeliver',
  },
};
