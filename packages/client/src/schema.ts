// Made from openapi.json by `npm run client-types`; do not edit.
// Sources: sha256 ca1197ed049a4f3ce21d03de9fbdaa91678ab34e6105ada046d64e080cc7412a
// Types: sha256 a3d85effc561b53f4529feec6e323fa3d44d392268d910cb151d91472330c962
export interface paths {
    "/v1/send-target": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send one target event, or an array of 1 to 100: all are accepted or none */
        post: operations["sendTarget"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/send-event": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send one custom event, or an array of 1 to 1000: all are accepted or none */
        post: operations["sendEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/send-update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Forward one update of the messaging platform */
        post: operations["sendUpdate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/send-batch-update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Forward 1 to 1000 updates: all are accepted or none */
        post: operations["sendBatchUpdate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bot-errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Events that were accepted and could not be processed as sent, newest first, of the last 90 days */
        get: operations["listBotErrors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/resources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The bots that the key can access, by their resource keys */
        get: operations["listResources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Events that reports of the bot can count, with the ids that metrics name */
        get: operations["listReportEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/event-fields": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The fixed event fields that filters can name: the same for every bot */
        get: operations["listEventFields"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/event-properties": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The custom properties that events of the bot have, for filters, breakdowns, columns and sums */
        get: operations["listEventProperties"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/user-fields": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The fields of users that filters and breakdowns can name, with the custom fields and saved segments of the bot */
        get: operations["listUserFields"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/utm-labels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** UTM labels that the bot has seen, each list with the most used first */
        get: operations["listUtmLabels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Run a report without saving it and get its first 10 rows */
        post: operations["previewReport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Run a saved report, or one that is not, and get all its rows as JSON or CSV */
        post: operations["runReport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The users behind a number of a report */
        post: operations["listReportUsers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/save": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Save a report, or replace a saved one by its uuid */
        post: operations["saveReport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Saved reports, newest first: of one bot, or without resource_key of every bot of the key */
        get: operations["listReports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A saved report */
        get: operations["getReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Delete a saved report */
        post: operations["deleteReport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/pin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pin a saved report to the dashboard of its bot, or take it off */
        post: operations["pinReport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/new-users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How many users of the bot are new, by day */
        get: operations["countNewUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/broadcast/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a broadcast, and with activate launch it */
        post: operations["createBroadcast"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/broadcast/save": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change a draft; any other status is answered unchanged */
        post: operations["saveBroadcast"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/broadcast/get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A broadcast: its content, status and statistics */
        get: operations["getBroadcast"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/broadcast/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Broadcasts of the bot, filtered, ordered and paged; the latest first */
        get: operations["listBroadcasts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/broadcast/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Save the given fields and launch. A stopped or failed broadcast continues with recipients not yet attempted */
        post: operations["activateBroadcast"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/broadcast/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop a broadcast; one that was not picked up yet becomes a draft again */
        post: operations["cancelBroadcast"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/broadcast/upload-segment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Upload a list of chats for a draft, to be named in its audience as a custom segment */
        post: operations["uploadSegment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/broadcast/segment-from-report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Freeze the users behind a number of a report as a list for a draft, to be named in its audience */
        post: operations["createSegmentFromReport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/broadcast/recipients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The recipients of a broadcast by chat id, and what became of each, as JSON or CSV */
        get: operations["listRecipients"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/broadcast/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What became of a broadcast: its recipients by outcome, and clicks, in all and by variant and link */
        get: operations["getBroadcastStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/broadcast/conversions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** How many recipients of a broadcast did something within days of their message, in all and by variant */
        post: operations["countConversions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/broadcast/fields": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The fields that audiences and templates can name */
        get: operations["listBroadcastFields"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/broadcast/audience-size": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** How many chats an audience has now, with some of them; a launch resolves it again */
        post: operations["countAudience"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/broadcast/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A message as a user would get it, with its entities, and what is wrong with it */
        post: operations["previewBroadcast"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/broadcast/test-send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a message to one chat at once; it counts nowhere */
        post: operations["testSend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/saved-segments/save": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Save a segment: a name and conditions; or replace a saved one by its id */
        post: operations["saveSegment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/saved-segments/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The saved segments of the bot, newest first */
        get: operations["listSavedSegments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/saved-segments/get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A saved segment */
        get: operations["getSavedSegment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/saved-segments/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Delete a saved segment, unless a scheduled broadcast uses it */
        post: operations["deleteSavedSegment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/referral/create-code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The same by GET: each request makes a new code */
        get: operations["createReferralCodeByGet"];
        put?: never;
        /** A new referral code of a user; old ones stay valid */
        post: operations["createReferralCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/referral/set-code-owners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Say whose codes are; past visits by them count for their owners */
        post: operations["setCodeOwners"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/referral/codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A user's codes, newest first, and the number of the user's referrals */
        get: operations["listReferralCodes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/referral/referrals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The users that a user referred, newest first */
        get: operations["listReferrals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/referral/mark-referral": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Mark a user as referred, by a code or by the referrer; who has a referrer keeps that one */
        post: operations["markReferral"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/referral/balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A referrer's balance, a row for each unit with any accrual */
        get: operations["getReferralBalance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/referral/payout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Request a payout of all that is available, one for each unit */
        post: operations["requestReferralPayout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/referral/payouts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A referrer's payouts, newest first */
        get: operations["listReferralPayouts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/referral/reverse-accrual": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel an accrual; one that was paid is made good by one of the opposite amount */
        post: operations["reverseReferralAccrual"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/referral/accruals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A referrer's accruals, newest first */
        get: operations["listReferralAccruals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/referral/rates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What each active rule of the bot earns a referrer: the rate that was locked, else the rule's */
        get: operations["listReferralRates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/referral/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The changes of a referrer's balances, each row with the balance after it */
        get: operations["listReferralHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/referral/referrers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The bot's referrers with their balances, by referrals or by an amount of a unit */
        get: operations["listReferrers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/referral/all-payouts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The payouts of all referrers, newest first, each with its webhook deliveries */
        get: operations["listAllReferralPayouts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/referral/entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every accrual of an account, reversed ones too, with the payout that has it */
        get: operations["listReferralEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/referral/chain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The commits of an account's stream with their hashes, oldest first */
        get: operations["getReferralChain"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/referral/program": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The bot's reward rules, and the units of its amounts */
        get: operations["getReferralProgram"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/bots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The bots of the key, with their settings */
        get: operations["listBotSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/bots/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a bot, with a key for all bots. Shows the secret of its platform webhook once */
        post: operations["createBot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/bots/set": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change a bot's settings: each field that is given */
        post: operations["setBot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/bots/rotate-webhook-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replace the secret of the platform's webhook, and show the new one once */
        post: operations["rotateBotWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The keys within the reach of the key, the latest first, with their last use */
        get: operations["listKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/keys/issue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Issue a key of kind personal or service. Its value is shown once */
        post: operations["issueKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/keys/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Issue a key in the place of another, which keeps working for the overlap. Its value is shown once */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/keys/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Revoke a key other than that of the request, and the keys that it made by rotating itself, within 2 s */
        post: operations["revokeKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/goals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The goals of a bot, Sale included */
        get: operations["listGoals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/goals/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a goal, which send-target names by its target_id */
        post: operations["createGoal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/units": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The units of a bot */
        get: operations["listUnits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/units/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a unit. Currencies of ISO 4217 and XTR need none */
        post: operations["createUnit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/exchange-rates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The exchange rates, which an operator sets for all owners */
        get: operations["listExchangeRates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The reward rules of a bot */
        get: operations["listRules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/rules/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a reward rule */
        post: operations["createRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/rules/edit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change a rule: each field that is given. Rewards that were earned keep their amounts */
        post: operations["editRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The webhook that payouts of a bot are announced to, without its secret */
        get: operations["getPayoutWebhook"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/webhook/set": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Set the address. The first time shows the signing secret, which later addresses keep */
        post: operations["setPayoutWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/webhook/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replace the signing secret and show it once. The former one also signs for 24 hours */
        post: operations["rotatePayoutWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/webhook/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every attempt to announce a payout of a bot, the latest first */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/webhook/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Announce a payout now that failed or waits for its next attempt, as `payout retry` */
        post: operations["redeliverPayout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @example {
         *       "target_id": 1,
         *       "user_id": 4242,
         *       "value": 19.99,
         *       "unit": "USD",
         *       "date": "2026-01-31T12:00:00.000Z"
         *     }
         */
        TargetEventInput: {
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
        /**
         * @example {
         *       "ok": true
         *     }
         */
        AcceptedEvents: {
            /** @constant */
            ok: true;
            /** @description Only if asked for. Events of these users count once the user appears within 24 h. Null: the look-up failed */
            unknown_users?: number[] | null;
            /**
             * Format: date-time
             * @description The moment for which unknown_users holds
             */
            data_as_of?: string;
        };
        /**
         * @example {
         *       "event": "order_paid",
         *       "user_id": 4242,
         *       "value_num": 1999,
         *       "unit": "USD"
         *     }
         */
        CustomEventInput: {
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
        ForwardedUpdateInput: {
            /** @description For updates that carry no date of their own, callbacks for one. Default: the time of receipt */
            date?: string | null;
            update: components["schemas"]["UpdateInput"];
        };
        /** @description https://core.telegram.org/bots/api#update */
        UpdateInput: {
            update_id: number;
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "ok": true
         *     }
         */
        Accepted: {
            /** @constant */
            ok: true;
        };
        BotError: {
            id: string;
            /** Format: date-time */
            date: string;
            /** @enum {string} */
            source: "send-target" | "send-event" | "send-update";
            /** @enum {string} */
            kind: "unknown_user" | "warning" | "property_limit";
            message: string;
            payload: unknown;
            resolved_at: string | null;
        };
        Resource: {
            /** @description What Resource-Key or resource_key name */
            resource_key: string;
            name: string;
            username: string | null;
            /** @description IANA name */
            timezone: string;
        };
        ReportEvent: {
            event_id: number;
            name: string;
            /** @enum {string} */
            kind: "system" | "target" | "custom";
            target_id?: number;
            first_seen: string | null;
            last_seen: string | null;
            count: number;
        };
        EventField: {
            name: string;
            /** @enum {string} */
            type: "number" | "string" | "date";
            operators: string[];
            /** @description Whether a report may be broken down by it */
            separator: boolean;
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
        PreviewRequestInput: {
            resource_key?: string;
            report_config: components["schemas"]["ReportConfigInput"];
        };
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
        ReportConfigInput: {
            source_request: ({
                /** @constant */
                type: "trends";
                /** @enum {string} */
                type_chart: "line" | "bar" | "area" | "pie" | "column" | "number" | "table" | "utm_trends" | "utm_table";
                requests: components["schemas"]["MetricInput"][];
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
                filters?: unknown[] | null;
                /** @description Breakdown by fields: events.event_type_id, events.category, events.value_str, events.webapp_name, events.unit, events.properties.*, user.*, user.custom_fields.*, user.saved_segments.* */
                separators?: ({
                    property: string;
                } & {
                    [key: string]: unknown;
                })[] | null;
                /** @description Of charts; default day */
                granularity?: ("hour" | "day" | "week" | "month") | null;
                /** @description UTM combinations of UTM charts; default 25 */
                breakdown_limit?: number | null;
                /** @description Rows of UTM charts; default 100 */
                row_limit?: number | null;
            } & {
                [key: string]: unknown;
            }) | ({
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
                filters?: unknown[] | null;
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
            }) | ({
                /** @constant */
                type: "funnels";
                /** @constant */
                type_chart: "funnels";
                /** @description Steps, in order; agr may be any */
                requests: components["schemas"]["MetricInput"][];
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
                filters?: unknown[] | null;
                /** @description Breakdown by fields: events.event_type_id, events.category, events.value_str, events.webapp_name, events.unit, events.properties.*, user.*, user.custom_fields.*, user.saved_segments.* */
                separators?: ({
                    property: string;
                } & {
                    [key: string]: unknown;
                })[] | null;
                /** @description For the whole funnel; default 14 */
                funnel_window?: number | null;
                /** @description Default day; a month is 30 days */
                funnel_window_unit?: ("second" | "minute" | "hour" | "day" | "week" | "month") | null;
                /** @description Default ordered */
                funnel_order_type?: ("ordered" | "strict" | "unordered") | null;
            } & {
                [key: string]: unknown;
            }) | ({
                /** @constant */
                type: "retention";
                /** @constant */
                type_chart: "retention";
                /** @description The starting event */
                target_entity: {
                    /** @constant */
                    type: "event";
                    /** @description As in a metric */
                    event_id?: number | null;
                    /** @description For people; counts nothing */
                    event_name?: string | null;
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
                    filters?: unknown[] | null;
                } & {
                    [key: string]: unknown;
                };
                /** @description The returning event */
                returning_entity: {
                    /** @constant */
                    type: "event";
                    /** @description As in a metric */
                    event_id?: number | null;
                    /** @description For people; counts nothing */
                    event_name?: string | null;
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
                    filters?: unknown[] | null;
                } & {
                    [key: string]: unknown;
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
                filters?: unknown[] | null;
                /** @description Breakdown by fields: events.event_type_id, events.category, events.value_str, events.webapp_name, events.unit, events.properties.*, user.*, user.custom_fields.*, user.saved_segments.* */
                separators?: ({
                    property: string;
                } & {
                    [key: string]: unknown;
                })[] | null;
                /** @description Default day */
                granularity?: ("day" | "week") | null;
                /** @description Default 8 */
                retention_total_intervals?: number | null;
                /** @description Default retention_first_time */
                retention_type?: ("retention_first_time" | "retention_first_time_ever" | "retention_recurring") | null;
            } & {
                [key: string]: unknown;
            });
            settings: {
                params: {
                    /** @description YYYY-MM-DD HH:MM:SS in the bot's time zone */
                    ":date_from": string;
                    /** @description The second that it names belongs to the period */
                    ":date_to": string;
                } & {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        MetricInput: {
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
            filters?: unknown[] | null;
        } & {
            [key: string]: unknown;
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
            rows: {
                [key: string]: string | number | boolean | null;
            }[];
            meta: components["schemas"]["ReportMeta"];
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
            breakdown?: {
                [key: string]: string | number | boolean | null;
            };
            /** @description The line of all combinations without one of their own */
            other?: boolean;
        };
        ReportMeta: {
            timezone: string;
            /** Format: date-time */
            date_from: string;
            /** Format: date-time */
            date_to: string;
            /** @description Rows of the whole report */
            rows_total: number;
            /** @description Of a list: rows that there would be without limit and offset */
            rows_matching?: number;
            /** @description This answer has fewer */
            truncated: boolean;
            /**
             * Format: date-time
             * @description What was received up to then has been counted
             */
            data_as_of: string;
            lag_ms: number;
            warnings: {
                path: string;
                message: string;
            }[];
        };
        RunRequestInput: {
            /** @description Not needed with a uuid */
            resource_key?: string;
            /** @description A saved report; or a report_config, not both */
            uuid?: string | null;
            report_config?: components["schemas"]["ReportConfigInput"] | null;
            /** @description Another period than the one that was saved */
            params?: ({
                ":date_from"?: string | null;
                ":date_to"?: string | null;
            } & {
                [key: string]: unknown;
            }) | null;
            /** @description Of csv: texts as they are, for programs; by default a text that begins a formula gets an apostrophe */
            raw?: boolean | null;
        };
        ReportUsersRequestInput: {
            /** @description Not needed with a uuid */
            resource_key?: string;
            /** @description A saved report; or a report_config, not both */
            uuid?: string | null;
            report_config?: components["schemas"]["ReportConfigInput"] | null;
            /** @description Another period than the one that was saved */
            params?: ({
                ":date_from"?: string | null;
                ":date_to"?: string | null;
            } & {
                [key: string]: unknown;
            }) | null;
            cell?: ({
                /** @description The index of the request */
                series: number;
                /** @description The date of a row; without it, the whole period */
                bucket?: string | null;
                /** @description Of a report with a breakdown: the values of the row or line */
                breakdown?: {
                    [key: string]: string | number | boolean | null;
                } | null;
                /** @description The line of all other combinations */
                other?: boolean | null;
            } | {
                step: number;
                /** @enum {string} */
                kind: "reached" | "dropped" | "in_progress";
                /** @description Of a report with a breakdown: the values of the row or line */
                breakdown?: {
                    [key: string]: string | number | boolean | null;
                } | null;
                /** @description The line of all other combinations */
                other?: boolean | null;
            } | {
                /** Format: date-time */
                cohort: string;
                /** @description Who returned in it; without it, all members of the cohort */
                interval?: number | null;
                /** @description Of a report with a breakdown: the values of the row or line */
                breakdown?: {
                    [key: string]: string | number | boolean | null;
                } | null;
                /** @description The line of all other combinations */
                other?: boolean | null;
            } | Record<string, never>) | null;
            /** @description Default 50 */
            limit?: number | null;
            /** @description Default 0 */
            offset?: number | null;
        };
        ReportUser: {
            user_id: number;
            first_name: string | null;
            last_name: string | null;
            username: string | null;
            language_code: string | null;
            /** @description Null: not known, or erased */
            user_status: ("active" | "blocked" | "deactivated") | null;
            date_create: string | null;
            date_last_active: string | null;
        };
        SaveRequestInput: {
            resource_key?: string;
            /** @description 1 to 250 characters */
            name: string;
            report_config: components["schemas"]["ReportConfigInput"];
            /** @description The saved report to replace; without one, a new report is saved */
            uuid?: string | null;
        };
        SavedReport: {
            /**
             * Format: uuid
             * @description Of a saved report
             * @example 0b9e5f0c-6f4e-4d5b-9a37-2f7c1f3f9d10
             */
            uuid: string;
            name: string;
            /** @description Of its bot */
            resource_key: string;
            /** @description As it was saved */
            report_config: {
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
            /** Format: date-time */
            date_create: string;
            /** @description Whether it is on the dashboard of its bot */
            pinned: boolean;
        };
        DeleteReportRequestInput: {
            /**
             * Format: uuid
             * @description Of a saved report
             * @example 0b9e5f0c-6f4e-4d5b-9a37-2f7c1f3f9d10
             */
            uuid: string;
        };
        PinReportRequestInput: {
            /**
             * Format: uuid
             * @description Of a saved report
             * @example 0b9e5f0c-6f4e-4d5b-9a37-2f7c1f3f9d10
             */
            uuid: string;
            /** @description Whether it is on the dashboard of its bot */
            pinned: boolean;
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
        CreateBroadcastRequestInput: {
            resource_key?: string;
            /** @enum {string} */
            type: "sendMessage" | "sendPhoto" | "sendVideo" | "sendDocument" | "sendAnimation" | "sendAudio" | "sendVoice" | "sendMediaGroup";
            /** @description For the owner, 1 to 250 characters */
            name?: string | null;
            segmentations?: {
                include?: ({
                    /** @enum {string} */
                    type: "all" | "list" | "custom" | "channel" | "from_task" | "filter" | "saved";
                    /** @description chat_ids, segment_id, task_id, saved_segment_id, or user_conditions and event_filters */
                    config?: {
                        [key: string]: unknown;
                    } | null;
                } & {
                    [key: string]: unknown;
                })[];
                exclude?: ({
                    /** @enum {string} */
                    type: "all" | "list" | "custom" | "channel" | "from_task" | "filter" | "saved";
                    /** @description chat_ids, segment_id, task_id, saved_segment_id, or user_conditions and event_filters */
                    config?: {
                        [key: string]: unknown;
                    } | null;
                } & {
                    [key: string]: unknown;
                })[];
            } | null;
            message?: {
                [key: string]: unknown;
            } | null;
            variants?: {
                name: string;
                /** @description A whole percentage; all together 100 */
                share: number;
                /** @description By type: text, or photo, video, document, animation, audio, voice or media; caption, parse_mode, reply_markup… */
                message: {
                    [key: string]: unknown;
                };
            }[] | null;
            settings?: {
                /** @description Messages a second, 1 to 30, with paid broadcasts to 1000; default 10 */
                intervalCap?: number;
                /** @description Links lead through this service, which counts clicks; default false */
                track_clicks?: boolean;
                rateLimitOnError?: {
                    /** @description Stop when the platform tells to slow down; default true */
                    stop?: boolean;
                    /** @description Else the least gap between messages from then on, milliseconds */
                    extraDelay?: number;
                };
            } | null;
            /** @description In the bot's time zone; null: at once when it is activated */
            date_send?: string | null;
            /** @description Launch it, too */
            activate?: boolean | null;
        };
        Broadcast: {
            id: number;
            /**
             * @description 0 draft, 1 scheduled, 2 sending, 3 finished, 4 stopped, 5 error; 6 resolving the audience, 7 about to be sent, 8 stopping
             * @enum {integer}
             */
            status: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;
            name: string | null;
            /** @enum {string} */
            type: "sendMessage" | "sendPhoto" | "sendVideo" | "sendDocument" | "sendAnimation" | "sendAudio" | "sendVoice" | "sendMediaGroup";
            /** @description All of include but those of exclude */
            segmentations: {
                include?: ({
                    /** @enum {string} */
                    type: "all" | "list" | "custom" | "channel" | "from_task" | "filter" | "saved";
                    /** @description chat_ids, segment_id, task_id, saved_segment_id, or user_conditions and event_filters */
                    config?: {
                        [key: string]: unknown;
                    } | null;
                } & {
                    [key: string]: unknown;
                })[];
                exclude?: ({
                    /** @enum {string} */
                    type: "all" | "list" | "custom" | "channel" | "from_task" | "filter" | "saved";
                    /** @description chat_ids, segment_id, task_id, saved_segment_id, or user_conditions and event_filters */
                    config?: {
                        [key: string]: unknown;
                    } | null;
                } & {
                    [key: string]: unknown;
                })[];
            };
            /** @description By type: text, or photo, video, document, animation, audio, voice or media; caption, parse_mode, reply_markup… */
            message: {
                [key: string]: unknown;
            };
            /** @description 2 to 10 messages in place of one; a hash of the recipient decides which of them it gets */
            variants?: {
                name: string;
                /** @description A whole percentage; all together 100 */
                share: number;
                /** @description By type: text, or photo, video, document, animation, audio, voice or media; caption, parse_mode, reply_markup… */
                message: {
                    [key: string]: unknown;
                };
            }[];
            settings: {
                /** @description Messages a second, 1 to 30, with paid broadcasts to 1000; default 10 */
                intervalCap?: number;
                /** @description Links lead through this service, which counts clicks; default false */
                track_clicks?: boolean;
                rateLimitOnError?: {
                    /** @description Stop when the platform tells to slow down; default true */
                    stop?: boolean;
                    /** @description Else the least gap between messages from then on, milliseconds */
                    extraDelay?: number;
                };
            };
            date_send: string | null;
            date_create: string;
            date_activate: string | null;
            date_finish: string | null;
            count_recipients: number;
            count_delivered: number;
            /** @description Those of unknown outcome included */
            count_not_delivered: number;
            /** @description Never attempted, since it was stopped or failed */
            count_cancelled: number;
            /** @description May have been delivered: the platform gave no answer */
            count_unknown: number;
            error: string | null;
            paused_until: string | null;
        };
        SaveBroadcastRequestInput: {
            resource_key?: string;
            id: number;
            /** @description For the owner, 1 to 250 characters */
            name?: string | null;
            segmentations?: {
                include?: ({
                    /** @enum {string} */
                    type: "all" | "list" | "custom" | "channel" | "from_task" | "filter" | "saved";
                    /** @description chat_ids, segment_id, task_id, saved_segment_id, or user_conditions and event_filters */
                    config?: {
                        [key: string]: unknown;
                    } | null;
                } & {
                    [key: string]: unknown;
                })[];
                exclude?: ({
                    /** @enum {string} */
                    type: "all" | "list" | "custom" | "channel" | "from_task" | "filter" | "saved";
                    /** @description chat_ids, segment_id, task_id, saved_segment_id, or user_conditions and event_filters */
                    config?: {
                        [key: string]: unknown;
                    } | null;
                } & {
                    [key: string]: unknown;
                })[];
            } | null;
            message?: {
                [key: string]: unknown;
            } | null;
            variants?: {
                name: string;
                /** @description A whole percentage; all together 100 */
                share: number;
                /** @description By type: text, or photo, video, document, animation, audio, voice or media; caption, parse_mode, reply_markup… */
                message: {
                    [key: string]: unknown;
                };
            }[] | null;
            settings?: {
                /** @description Messages a second, 1 to 30, with paid broadcasts to 1000; default 10 */
                intervalCap?: number;
                /** @description Links lead through this service, which counts clicks; default false */
                track_clicks?: boolean;
                rateLimitOnError?: {
                    /** @description Stop when the platform tells to slow down; default true */
                    stop?: boolean;
                    /** @description Else the least gap between messages from then on, milliseconds */
                    extraDelay?: number;
                };
            } | null;
            /** @description In the bot's time zone; null: at once when it is activated */
            date_send?: string | null;
        };
        CancelBroadcastRequestInput: {
            resource_key?: string;
            id: number;
        };
        UploadSegmentRequestInput: {
            resource_key?: string;
            /** @description The draft that it is for */
            task_id: number;
            /** @description Groups and channels are negative */
            chat_ids: number[];
        };
        SegmentFromReportRequestInput: {
            resource_key?: string;
            /** @description A saved report; or a report_config, not both */
            uuid?: string | null;
            report_config?: components["schemas"]["ReportConfigInput"] | null;
            /** @description Another period than the one that was saved */
            params?: ({
                ":date_from"?: string | null;
                ":date_to"?: string | null;
            } & {
                [key: string]: unknown;
            }) | null;
            cell?: ({
                /** @description The index of the request */
                series: number;
                /** @description The date of a row; without it, the whole period */
                bucket?: string | null;
                /** @description Of a report with a breakdown: the values of the row or line */
                breakdown?: {
                    [key: string]: string | number | boolean | null;
                } | null;
                /** @description The line of all other combinations */
                other?: boolean | null;
            } | {
                step: number;
                /** @enum {string} */
                kind: "reached" | "dropped" | "in_progress";
                /** @description Of a report with a breakdown: the values of the row or line */
                breakdown?: {
                    [key: string]: string | number | boolean | null;
                } | null;
                /** @description The line of all other combinations */
                other?: boolean | null;
            } | {
                /** Format: date-time */
                cohort: string;
                /** @description Who returned in it; without it, all members of the cohort */
                interval?: number | null;
                /** @description Of a report with a breakdown: the values of the row or line */
                breakdown?: {
                    [key: string]: string | number | boolean | null;
                } | null;
                /** @description The line of all other combinations */
                other?: boolean | null;
            } | Record<string, never>) | null;
            /** @description The draft that it is for */
            task_id: number;
        };
        Recipient: {
            chat_id: number;
            /** @enum {string} */
            state: "pending" | "delivered" | "not_delivered" | "cancelled" | "unknown";
            reason: string | null;
            date: string | null;
        };
        ConversionsRequestInput: {
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
        SaveSegmentRequestInput: {
            resource_key?: string;
            /** @description 1 to 250 characters */
            name: string;
            conditions: components["schemas"]["SavedSegmentConditionsInput"];
            /** @description The saved segment to replace; without one, a new one is saved */
            saved_segment_id?: number | null;
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
        SavedSegmentConditionsInput: {
            user_conditions?: unknown[] | null;
            event_filters?: unknown[] | null;
        };
        SavedSegment: {
            /** @example 1 */
            saved_segment_id: number;
            name: string;
            /** @description Of its bot */
            resource_key: string;
            conditions: components["schemas"]["SavedSegmentConditions"];
            /** Format: date-time */
            date_create: string;
            /**
             * Format: date-time
             * @description When it was saved last
             */
            date_change: string;
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
        DeleteSavedSegmentRequestInput: {
            resource_key?: string;
            /** @example 1 */
            saved_segment_id: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    sendTarget: {
        parameters: {
            query?: {
                /** @description unknown_users: name the users of these events that the bot has not met */
                report?: "unknown_users";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "target_id": 1,
                 *       "user_id": 4242,
                 *       "value": 19.99,
                 *       "unit": "USD",
                 *       "date": "2026-01-31T12:00:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["TargetEventInput"] | components["schemas"]["TargetEventInput"][];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedEvents"];
                };
            };
        };
    };
    sendEvent: {
        parameters: {
            query?: {
                /** @description unknown_users: name the users of these events that the bot has not met */
                report?: "unknown_users";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "hello",
                 *       "user_id": 4242
                 *     }
                 */
                "application/json": components["schemas"]["CustomEventInput"] | components["schemas"]["CustomEventInput"][];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedEvents"];
                };
            };
        };
    };
    sendUpdate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
                 *           "text": "hello"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ForwardedUpdateInput"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
        };
    };
    sendBatchUpdate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example [
                 *       {
                 *         "date": "2026-01-31T12:00:00Z",
                 *         "update": {
                 *           "update_id": 2,
                 *           "message": {
                 *             "message_id": 1,
                 *             "date": 1767225600,
                 *             "chat": {
                 *               "id": 4242,
                 *               "type": "private"
                 *             },
                 *             "from": {
                 *               "id": 4242,
                 *               "is_bot": false,
                 *               "first_name": "Ada"
                 *             },
                 *             "text": "hello"
                 *           }
                 *         }
                 *       }
                 *     ]
                 */
                "application/json": components["schemas"]["ForwardedUpdateInput"][];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
        };
    };
    listBotErrors: {
        parameters: {
            query?: {
                /** @description Default 50, at most 200, clamped */
                limit?: number;
                /** @description Default 0, clamped */
                offset?: number;
                kind?: "unknown_user" | "warning" | "property_limit";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            items: components["schemas"]["BotError"][];
                        };
                    };
                };
            };
        };
    };
    listResources: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            items: components["schemas"]["Resource"][];
                        };
                    };
                };
            };
        };
    };
    listReportEvents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            items: components["schemas"]["ReportEvent"][];
                        };
                    };
                };
            };
        };
    };
    listEventFields: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            items: components["schemas"]["EventField"][];
                        };
                    };
                };
            };
        };
    };
    listEventProperties: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            items: components["schemas"]["EventProperty"][];
                        };
                    };
                };
            };
        };
    };
    listUserFields: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            items: components["schemas"]["UserField"][];
                        };
                    };
                };
            };
        };
    };
    listUtmLabels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: components["schemas"]["UtmLabels"];
                    };
                };
            };
        };
    };
    previewReport: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "report_config": {
                 *         "source_request": {
                 *           "type": "trends",
                 *           "type_chart": "table",
                 *           "requests": [
                 *             {
                 *               "type": "trend",
                 *               "event_id": null,
                 *               "event_name": "all",
                 *               "agr": "total"
                 *             }
                 *           ]
                 *         },
                 *         "settings": {
                 *           "params": {
                 *             ":date_from": "2026-01-01 00:00:00",
                 *             ":date_to": "2035-12-31 23:59:59"
                 *           }
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PreviewRequestInput"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: components["schemas"]["Report"];
                    };
                };
            };
        };
    };
    runReport: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "report_config": {
                 *         "source_request": {
                 *           "type": "trends",
                 *           "type_chart": "table",
                 *           "requests": [
                 *             {
                 *               "type": "trend",
                 *               "event_id": null,
                 *               "event_name": "all",
                 *               "agr": "total"
                 *             }
                 *           ]
                 *         },
                 *         "settings": {
                 *           "params": {
                 *             ":date_from": "2026-01-01 00:00:00",
                 *             ":date_to": "2035-12-31 23:59:59"
                 *           }
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["RunRequestInput"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: components["schemas"]["Report"];
                    };
                    "text/csv": string;
                };
            };
        };
    };
    listReportUsers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "report_config": {
                 *         "source_request": {
                 *           "type": "trends",
                 *           "type_chart": "table",
                 *           "requests": [
                 *             {
                 *               "type": "trend",
                 *               "event_id": null,
                 *               "event_name": "all",
                 *               "agr": "total"
                 *             }
                 *           ]
                 *         },
                 *         "settings": {
                 *           "params": {
                 *             ":date_from": "2026-01-01 00:00:00",
                 *             ":date_to": "2035-12-31 23:59:59"
                 *           }
                 *         }
                 *       },
                 *       "cell": {
                 *         "series": 0
                 *       },
                 *       "limit": 10
                 *     }
                 */
                "application/json": components["schemas"]["ReportUsersRequestInput"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            /** @description Users of the cell; without limit and offset */
                            count: number;
                            users: components["schemas"]["ReportUser"][];
                            /**
                             * Format: date-time
                             * @description What was received up to then has been counted
                             */
                            data_as_of: string;
                        };
                    };
                };
            };
        };
    };
    saveReport: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Events",
                 *       "report_config": {
                 *         "source_request": {
                 *           "type": "trends",
                 *           "type_chart": "table",
                 *           "requests": [
                 *             {
                 *               "type": "trend",
                 *               "event_id": null,
                 *               "event_name": "all",
                 *               "agr": "total"
                 *             }
                 *           ]
                 *         },
                 *         "settings": {
                 *           "params": {
                 *             ":date_from": "2026-01-01 00:00:00",
                 *             ":date_to": "2035-12-31 23:59:59"
                 *           }
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SaveRequestInput"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description Of a saved report
                             * @example 0b9e5f0c-6f4e-4d5b-9a37-2f7c1f3f9d10
                             */
                            uuid: string;
                        };
                    };
                };
            };
        };
    };
    listReports: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            items: components["schemas"]["SavedReport"][];
                        };
                    };
                };
            };
        };
    };
    getReport: {
        parameters: {
            query: {
                uuid: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: components["schemas"]["SavedReport"];
                    };
                };
            };
        };
    };
    deleteReport: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "uuid": "00000000-0000-4000-8000-000000000000"
                 *     }
                 */
                "application/json": components["schemas"]["DeleteReportRequestInput"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description Of a saved report
                             * @example 0b9e5f0c-6f4e-4d5b-9a37-2f7c1f3f9d10
                             */
                            uuid: string;
                        };
                    };
                };
            };
        };
    };
    pinReport: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "uuid": "00000000-0000-4000-8000-000000000000",
                 *       "pinned": true
                 *     }
                 */
                "application/json": components["schemas"]["PinReportRequestInput"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description Of a saved report
                             * @example 0b9e5f0c-6f4e-4d5b-9a37-2f7c1f3f9d10
                             */
                            uuid: string;
                        };
                    };
                };
            };
        };
    };
    countNewUsers: {
        parameters: {
            query: {
                /** @description YYYY-MM-DD HH:MM:SS in the bot's time zone */
                date_from: string;
                /** @description YYYY-MM-DD HH:MM:SS in the bot's time zone */
                date_to: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            days: {
                                /**
                                 * Format: date-time
                                 * @description The start of the day
                                 */
                                date: string;
                                users: number;
                            }[];
                            total: number;
                            /**
                             * Format: date-time
                             * @description What was received up to then has been counted
                             */
                            data_as_of: string;
                        };
                    };
                };
            };
        };
    };
    createBroadcast: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "sendMessage",
                 *       "name": "Spring sale",
                 *       "message": {
                 *         "text": "Hello!"
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
                "application/json": components["schemas"]["CreateBroadcastRequestInput"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: components["schemas"]["Broadcast"];
                        /** @description Values that were accepted but are probably mistakes; absent: none */
                        warnings?: {
                            /** @description Path of the value in the body */
                            path: string;
                            message: string;
                        }[];
                    };
                };
            };
        };
    };
    saveBroadcast: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": 1,
                 *       "date_send": "2100-01-01 10:00:00"
                 *     }
                 */
                "application/json": components["schemas"]["SaveBroadcastRequestInput"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: components["schemas"]["Broadcast"];
                        /** @description Values that were accepted but are probably mistakes; absent: none */
                        warnings?: {
                            /** @description Path of the value in the body */
                            path: string;
                            message: string;
                        }[];
                    };
                };
            };
        };
    };
    getBroadcast: {
        parameters: {
            query: {
                id: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: components["schemas"]["Broadcast"];
                    };
                };
            };
        };
    };
    listBroadcasts: {
        parameters: {
            query?: {
                "filters[status]"?: number;
                /** @description Part of the name, whatever its case */
                "filters[name]"?: string;
                /** @description A day of the bot's time zone, YYYY-MM-DD, or the first and the last of several, joined by a comma */
                "filters[date_create]"?: string;
                "orders[id]"?: "asc" | "desc";
                "orders[name]"?: "asc" | "desc";
                "orders[status]"?: "asc" | "desc";
                "orders[date_create]"?: "asc" | "desc";
                "orders[date_send]"?: "asc" | "desc";
                "orders[date_finish]"?: "asc" | "desc";
                /** @description Default 100 */
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            items: components["schemas"]["Broadcast"][];
                            total: number;
                            limit: number;
                            offset: number;
                            /**
                             * Format: date-time
                             * @description What was recorded up to then has been applied
                             */
                            data_as_of: string;
                        };
                    };
                };
            };
        };
    };
    activateBroadcast: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": 1
                 *     }
                 */
                "application/json": components["schemas"]["SaveBroadcastRequestInput"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: components["schemas"]["Broadcast"];
                        /** @description Values that were accepted but are probably mistakes; absent: none */
                        warnings?: {
                            /** @description Path of the value in the body */
                            path: string;
                            message: string;
                        }[];
                    };
                };
            };
        };
    };
    cancelBroadcast: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": 1
                 *     }
                 */
                "application/json": components["schemas"]["CancelBroadcastRequestInput"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: components["schemas"]["Broadcast"];
                        /** @description Values that were accepted but are probably mistakes; absent: none */
                        warnings?: {
                            /** @description Path of the value in the body */
                            path: string;
                            message: string;
                        }[];
                    };
                };
            };
        };
    };
    uploadSegment: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "task_id": 1,
                 *       "chat_ids": [
                 *         4242
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["UploadSegmentRequestInput"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            /** @description What a custom segment names */
                            segment_id: number;
                            /** @description Without duplicates */
                            count_list: number;
                            duplicates: number;
                        };
                    };
                };
            };
        };
    };
    createSegmentFromReport: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "task_id": 1,
                 *       "report_config": {
                 *         "source_request": {
                 *           "type": "trends",
                 *           "type_chart": "table",
                 *           "requests": [
                 *             {
                 *               "type": "trend",
                 *               "event_id": null,
                 *               "event_name": "all",
                 *               "agr": "total"
                 *             }
                 *           ]
                 *         },
                 *         "settings": {
                 *           "params": {
                 *             ":date_from": "2026-01-01 00:00:00",
                 *             ":date_to": "2035-12-31 23:59:59"
                 *           }
                 *         }
                 *       },
                 *       "cell": {
                 *         "series": 0
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SegmentFromReportRequestInput"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            /** @description What a custom segment names */
                            segment_id: number;
                            /** @description Users in the list */
                            count: number;
                            /**
                             * Format: date-time
                             * @description What was received up to then has been counted
                             */
                            data_as_of: string;
                        };
                    };
                };
            };
        };
    };
    listRecipients: {
        parameters: {
            query: {
                id: number;
                state?: "pending" | "delivered" | "not_delivered" | "cancelled" | "unknown";
                /** @description Of csv: texts as they are, for programs; by default a text that begins a formula gets an apostrophe */
                raw?: boolean;
                /** @description Default 100 */
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            items: components["schemas"]["Recipient"][];
                            total: number;
                            limit: number;
                            offset: number;
                        };
                    };
                    "text/csv": string;
                };
            };
        };
    };
    getBroadcastStatistics: {
        parameters: {
            query: {
                id: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            total: {
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
                            /** @description In their order; empty: none */
                            variants: {
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
                            }[];
                            /** @description Links whose clicks are counted, by launch, in the order of the message */
                            links: {
                                launch: number;
                                /** @description Its name; null: the broadcast has none */
                                variant: string | null;
                                url: string;
                                /** @description Recipients with a counted click */
                                clicked: number;
                                clicks: number;
                            }[];
                            /**
                             * Format: date-time
                             * @description What was recorded up to then has been counted
                             */
                            data_as_of: string;
                        };
                    };
                };
            };
        };
    };
    countConversions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "task_id": 1,
                 *       "event_id": 101,
                 *       "days": 7
                 *     }
                 */
                "application/json": components["schemas"]["ConversionsRequestInput"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            total: {
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
                            /** @description In their order; empty: none */
                            variants: {
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
                            }[];
                            days: number;
                            /**
                             * Format: date-time
                             * @description What was recorded up to then has been counted
                             */
                            data_as_of: string;
                            /** @description Amounts that await revaluation */
                            warnings: {
                                path: string;
                                message: string;
                            }[];
                        };
                    };
                };
            };
        };
    };
    listBroadcastFields: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            /** @description For user_conditions; below a name that ends in .* there is any key */
                            users: {
                                name: string;
                                type: string;
                                operators: string[];
                            }[];
                            /** @description For the conditions of event_filters */
                            events: {
                                name: string;
                                type: string;
                                operators: string[];
                            }[];
                            /** @description What a template can name */
                            templates: string[];
                        };
                    };
                };
            };
        };
    };
    countAudience: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
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
                "application/json": {
                    resource_key?: string;
                    /** @description All of include but those of exclude */
                    segmentations: {
                        include?: ({
                            /** @enum {string} */
                            type: "all" | "list" | "custom" | "channel" | "from_task" | "filter" | "saved";
                            /** @description chat_ids, segment_id, task_id, saved_segment_id, or user_conditions and event_filters */
                            config?: {
                                [key: string]: unknown;
                            } | null;
                        } & {
                            [key: string]: unknown;
                        })[];
                        exclude?: ({
                            /** @enum {string} */
                            type: "all" | "list" | "custom" | "channel" | "from_task" | "filter" | "saved";
                            /** @description chat_ids, segment_id, task_id, saved_segment_id, or user_conditions and event_filters */
                            config?: {
                                [key: string]: unknown;
                            } | null;
                        } & {
                            [key: string]: unknown;
                        })[];
                    };
                    /** @description The draft whose uploaded lists custom segments name */
                    task_id?: number | null;
                    /** @description How many chats to name; default 5 */
                    sample?: number | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            count: number;
                            sample: {
                                chat_id: number;
                                first_name: string | null;
                                last_name: string | null;
                                username: string | null;
                            }[];
                            /** @description How far the data were applied; the launch resolves the audience again */
                            data_as_of: string;
                        };
                    };
                };
            };
        };
    };
    previewBroadcast: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "sendMessage",
                 *       "message": {
                 *         "text": "Hello {{user.first_name}}"
                 *       }
                 *     }
                 */
                "application/json": {
                    resource_key?: string;
                    /** @enum {string} */
                    type: "sendMessage" | "sendPhoto" | "sendVideo" | "sendDocument" | "sendAnimation" | "sendAudio" | "sendVoice" | "sendMediaGroup";
                    /** @description By type: text, or photo, video, document, animation, audio, voice or media; caption, parse_mode, reply_markup… */
                    message: {
                        [key: string]: unknown;
                    };
                    /** @description The user to render it for; default the bot's first user */
                    user_id?: number | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            user: {
                                user_id: number;
                                first_name: string | null;
                                username: string | null;
                                /** @description The bot has no users yet */
                                invented: boolean;
                            };
                            text: {
                                /** @description Without markup */
                                text: string;
                                entities: {
                                    /** @enum {string} */
                                    type: "bold" | "italic" | "underline" | "strikethrough" | "spoiler" | "code" | "pre" | "text_link" | "custom_emoji" | "blockquote" | "expandable_blockquote";
                                    /** @description UTF-16 units */
                                    offset: number;
                                    length: number;
                                    url?: string;
                                    language?: string;
                                }[];
                                /** @description Code points without markup and the blanks around it */
                                characters: number;
                                limit: number;
                            } | null;
                            caption: {
                                /** @description Without markup */
                                text: string;
                                entities: {
                                    /** @enum {string} */
                                    type: "bold" | "italic" | "underline" | "strikethrough" | "spoiler" | "code" | "pre" | "text_link" | "custom_emoji" | "blockquote" | "expandable_blockquote";
                                    /** @description UTF-16 units */
                                    offset: number;
                                    length: number;
                                    url?: string;
                                    language?: string;
                                }[];
                                /** @description Code points without markup and the blanks around it */
                                characters: number;
                                limit: number;
                            } | null;
                            media: {
                                type: string;
                                media: string;
                                caption: {
                                    /** @description Without markup */
                                    text: string;
                                    entities: {
                                        /** @enum {string} */
                                        type: "bold" | "italic" | "underline" | "strikethrough" | "spoiler" | "code" | "pre" | "text_link" | "custom_emoji" | "blockquote" | "expandable_blockquote";
                                        /** @description UTF-16 units */
                                        offset: number;
                                        length: number;
                                        url?: string;
                                        language?: string;
                                    }[];
                                    /** @description Code points without markup and the blanks around it */
                                    characters: number;
                                    limit: number;
                                } | null;
                            }[];
                            buttons: {
                                text: string;
                                action: string | null;
                                value: string | null;
                            }[][];
                            /** @description What create or the platform would refuse */
                            problems: {
                                path: string;
                                message: string;
                                allowed?: string[];
                            }[];
                        };
                    };
                };
            };
        };
    };
    testSend: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "sendMessage",
                 *       "message": {
                 *         "text": "Hello!"
                 *       },
                 *       "chat_id": 4242
                 *     }
                 */
                "application/json": {
                    resource_key?: string;
                    /** @enum {string} */
                    type: "sendMessage" | "sendPhoto" | "sendVideo" | "sendDocument" | "sendAnimation" | "sendAudio" | "sendVoice" | "sendMediaGroup";
                    /** @description By type: text, or photo, video, document, animation, audio, voice or media; caption, parse_mode, reply_markup… */
                    message: {
                        [key: string]: unknown;
                    };
                    /** @description Groups and channels are negative */
                    chat_id: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            /** @enum {string} */
                            outcome: "delivered" | "refused" | "unknown" | "not_sent";
                            /** @description The platform's words, or why there is no answer */
                            reason: string | null;
                        };
                    };
                };
            };
        };
    };
    saveSegment: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Premium users",
                 *       "conditions": {
                 *         "user_conditions": [
                 *           "=",
                 *           "users.is_premium",
                 *           true
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SaveSegmentRequestInput"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            /** @example 1 */
                            saved_segment_id: number;
                        };
                    };
                };
            };
        };
    };
    listSavedSegments: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            items: components["schemas"]["SavedSegment"][];
                        };
                    };
                };
            };
        };
    };
    getSavedSegment: {
        parameters: {
            query: {
                saved_segment_id: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: components["schemas"]["SavedSegment"];
                    };
                };
            };
        };
    };
    deleteSavedSegment: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "saved_segment_id": 1
                 *     }
                 */
                "application/json": components["schemas"]["DeleteSavedSegmentRequestInput"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            /** @example 1 */
                            saved_segment_id: number;
                        };
                        /** @description Drafts that use it */
                        warnings?: {
                            path: string;
                            message: string;
                        }[];
                    };
                };
            };
        };
    };
    createReferralCodeByGet: {
        parameters: {
            query: {
                user_id: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            /** @example k7Rt2Wxy */
                            code: string;
                            link: string | null;
                        };
                    };
                };
            };
        };
    };
    createReferralCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "user_id": 4242
                 *     }
                 */
                "application/json": {
                    user_id: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            /** @example k7Rt2Wxy */
                            code: string;
                            link: string | null;
                        };
                    };
                };
            };
        };
    };
    setCodeOwners: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example [
                 *       {
                 *         "code": "spring",
                 *         "user_id": 4242
                 *       }
                 *     ]
                 */
                "application/json": {
                    code: string;
                    user_id: number;
                }[];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            results: {
                                code: string;
                                owner_id: number;
                                created: boolean;
                                backfilled: number;
                            }[];
                        };
                    };
                };
            };
        };
    };
    listReferralCodes: {
        parameters: {
            query: {
                user_id: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            total_referrals: number;
                            codes: {
                                /** @example k7Rt2Wxy */
                                code: string;
                                link: string | null;
                                /** @example 2026-03-01 10:00:00 */
                                date_create: string;
                            }[];
                        };
                    };
                };
            };
        };
    };
    listReferrals: {
        parameters: {
            query: {
                user_id: number;
                /** @description Default 50, at most 200, clamped */
                limit?: number;
                /** @description Default 0, clamped */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            referrals: {
                                referral_id: number;
                                /** @example 2026-03-01 10:00:00 */
                                date: string;
                            }[];
                        };
                    };
                };
            };
        };
    };
    markReferral: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "referral_user_id": 4243,
                 *       "referrer_user_id": 4242
                 *     }
                 */
                "application/json": {
                    /** @description Who is referred */
                    referral_user_id: number;
                    /** @description The code that referred the user; this or referrer_user_id */
                    code?: string | null;
                    /** @description Who referred the user; this or code */
                    referrer_user_id?: number | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            referral_id: number;
                            referrer_id: number | null;
                            code: string | null;
                            already_attributed: boolean;
                        };
                    };
                };
            };
        };
    };
    getReferralBalance: {
        parameters: {
            query: {
                user_id: number;
                /** @description The balance as it was then, that second included; absent: now */
                at?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            balance: {
                                unit_id: number | null;
                                /** @example 12.5 */
                                available: string;
                                /** @example 12.5 */
                                reserved: string;
                                /** @example 12.5 */
                                paid: string;
                                /** @example 12.5 */
                                on_hold: string;
                            }[];
                            /**
                             * Format: date-time
                             * @description With `at` only
                             */
                            data_as_of?: string;
                        };
                    };
                };
            };
        };
    };
    requestReferralPayout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "user_id": 4242,
                 *       "method": "manual"
                 *     }
                 */
                "application/json": {
                    user_id: number;
                    /** @description Absent: every unit; null: amounts without a unit */
                    unit_id?: number | null;
                    /** @description Default webhook */
                    method?: ("webhook" | "manual") | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            payout_id: number;
                            payout_ids: number[];
                        };
                        /** @enum {boolean} */
                        lagging?: true;
                    };
                };
            };
        };
    };
    listReferralPayouts: {
        parameters: {
            query: {
                user_id: number;
                /** @description Default 50, at most 200, clamped */
                limit?: number;
                /** @description Default 0, clamped */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            payouts: {
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
                                /** @example 2026-03-01 10:00:00 */
                                requested_at: string;
                                processed_at: string | null;
                            }[];
                        };
                    };
                };
            };
        };
    };
    reverseReferralAccrual: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "accrual_id": 1,
                 *       "reason": "returned"
                 *     }
                 */
                "application/json": {
                    accrual_id: number;
                    /** @description Kept with the accrual; without effect */
                    reason?: string | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: Record<string, never>;
                        /** @enum {boolean} */
                        lagging?: true;
                    };
                };
            };
        };
    };
    listReferralAccruals: {
        parameters: {
            query: {
                user_id: number;
                /** @description Default 50, at most 200, clamped */
                limit?: number;
                /** @description Default 0, clamped */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            accruals: {
                                id: number;
                                /** @example 2026-03-01 10:00:00 */
                                date: string;
                                referral_id: number;
                                /** @example 12.5 */
                                amount: string;
                                unit_id: number | null;
                                /**
                                 * @description 0 on hold, 1 confirmed, 2 paid out
                                 * @enum {integer}
                                 */
                                status: 0 | 1 | 2;
                                available_at: string | null;
                            }[];
                        };
                    };
                };
            };
        };
    };
    listReferralRates: {
        parameters: {
            query: {
                user_id: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            rates: {
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
                            }[];
                        };
                    };
                };
            };
        };
    };
    listReferralHistory: {
        parameters: {
            query: {
                user_id: number;
                /** @description Default 50, at most 200, clamped */
                limit?: number;
                /** @description Default 0, clamped */
                offset?: number;
                /** @description A unit, or `null`: amounts without a unit; absent: every unit */
                unit_id?: string;
                /** @description The state at the end of this second: all commits and ends of holds up to it */
                at?: string;
                /** @description `asc`: the oldest first; `desc`: the newest first */
                order?: "asc" | "desc";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            history: {
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
                                /** @example 2026-03-01 10:00:00 */
                                date: string;
                                /** @enum {string} */
                                event: "accrued" | "hold_passed" | "cancelled" | "compensated" | "payout_requested" | "payout_paid" | "payout_cancelled";
                                accrual_id: number | null;
                                payout_id: number | null;
                                /** @example 12.5 */
                                amount: string;
                            }[];
                        };
                    };
                };
            };
        };
    };
    listReferrers: {
        parameters: {
            query?: {
                /** @description The largest first; all but `referrals` are of the unit `unit_id`. `balance`: available and on hold */
                order?: "referrals" | "balance" | "earned" | "paid";
                /** @description A unit, or `null`: amounts without a unit; absent: every unit */
                unit_id?: string;
                /** @description Only this user; the order is then without effect */
                user_id?: number;
                /** @description Default 50, at most 200, clamped */
                limit?: number;
                /** @description Default 0, clamped */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            referrers: {
                                user_id: number;
                                /** @description Null: unknown or erased */
                                first_name: string | null;
                                /** @description Null: unknown or erased */
                                username: string | null;
                                /** @description Users that the user referred */
                                referrals: number;
                                balance: {
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
                                }[];
                            }[];
                            /**
                             * Format: date-time
                             * @description What was received up to then has been applied by all read models of the answer
                             */
                            data_as_of: string;
                        };
                    };
                };
            };
        };
    };
    listAllReferralPayouts: {
        parameters: {
            query?: {
                /** @description Absent: of every referrer */
                user_id?: number;
                /** @description Absent: of every status */
                status?: 0 | 1 | 2 | 3 | 4;
                /** @description Only this payout; absent: all */
                payout_id?: number;
                /** @description Default 50, at most 200, clamped */
                limit?: number;
                /** @description Default 0, clamped */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            payouts: {
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
                                /** @example 2026-03-01 10:00:00 */
                                requested_at: string;
                                processed_at: string | null;
                                user_id: number;
                                /** @description Null: unknown or erased */
                                first_name: string | null;
                                /** @description Null: unknown or erased */
                                username: string | null;
                                /** @description Why the last attempt, or the payout, failed */
                                error: string | null;
                                deliveries: {
                                    attempt: number;
                                    /** @example 2026-03-01 10:00:00 */
                                    at: string;
                                    /** @description HTTP status of the client's answer; null: none, or none yet */
                                    status: number | null;
                                    error: string | null;
                                }[];
                            }[];
                            /**
                             * Format: date-time
                             * @description What was received up to then has been applied by all read models of the answer
                             */
                            data_as_of: string;
                        };
                    };
                };
            };
        };
    };
    listReferralEntries: {
        parameters: {
            query: {
                user_id: number;
                /** @description Default 50, at most 200, clamped */
                limit?: number;
                /** @description Default 0, clamped */
                offset?: number;
                /** @description Only accruals that this payout has; absent: all */
                payout_id?: number;
                /** @description Only these accruals, with commas between; absent: all */
                accrual_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            entries: {
                                accrual_id: number;
                                /** @description The commit of the account that recorded it */
                                position: number;
                                /**
                                 * @description Receipt of the event that earned it
                                 * @example 2026-03-01 10:00:00
                                 */
                                date: string;
                                /** @example 2026-03-01 10:00:00 */
                                recorded_at: string;
                                /** @example 2026-03-01 10:00:00 */
                                available_at: string;
                                referral_id: number;
                                rule_id: number;
                                rule_name: string | null;
                                /** @example 12.5 */
                                amount: string;
                                unit_id: number | null;
                                /** @description The payout that has it now */
                                payout_id: number | null;
                                /** @description The accrual that it makes good */
                                compensates: number | null;
                                /** @description The accrual that makes it good */
                                compensated_by: number | null;
                                reversed_at: string | null;
                                /** @description Why it was reversed; of a compensation: why its accrual was */
                                reason: string | null;
                            }[];
                        };
                    };
                };
            };
        };
    };
    getReferralChain: {
        parameters: {
            query: {
                user_id: number;
                /** @description Of the commit before the first one to list; absent: from the beginning */
                position?: number;
                /** @description Hash of that commit */
                hash?: string;
                /** @description Default 50, at most 200, clamped */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            /** @description The last commit of the account; null: it has none */
                            head: {
                                position: number;
                                hash: string;
                            } | null;
                            commits: {
                                position: number;
                                hash: string;
                                /** @example 2026-03-01 10:00:00 */
                                date: string;
                                /** @description Hash of the commit before it; empty: it is the first */
                                prev: string;
                                events: string[];
                            }[];
                        };
                    };
                };
            };
        };
    };
    getReferralProgram: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            rules: {
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
                            }[];
                            units: {
                                unit_id: number;
                                code: string;
                                name: string | null;
                                /** @description Decimals of a normal unit */
                                scale: number;
                            }[];
                        };
                    };
                };
            };
        };
    };
    listBotSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            items: {
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
                            }[];
                        };
                    };
                };
            };
        };
    };
    createBot: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Shop",
                 *       "timezone": "Europe/Berlin"
                 *     }
                 */
                "application/json": {
                    name: string;
                    /** @description The platform's name of the bot; empty: none */
                    username?: string | null;
                    /** @description Of the Bot API; empty: none. It is never answered */
                    token?: string | null;
                    /** @description IANA name */
                    timezone?: string | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            resource_key: string;
                            webhook_secret: string | null;
                        };
                        /** @enum {boolean} */
                        lagging?: true;
                    };
                };
            };
        };
    };
    setBot: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Shop",
                 *       "auto_payout": "monthly"
                 *     }
                 */
                "application/json": {
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
                    /** @description Allows more than 30 messages a second, which the platform charges for */
                    paid_broadcasts?: boolean | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            resource_key: string;
                        };
                        /** @enum {boolean} */
                        lagging?: true;
                    };
                };
            };
        };
    };
    rotateBotWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            resource_key: string;
                            webhook_secret: string | null;
                        };
                        /** @enum {boolean} */
                        lagging?: true;
                    };
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: {
                /** @description Default 50, at most 200, clamped */
                limit?: number;
                /** @description Default 0, clamped */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            items: {
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
                                rotates: number | null;
                                /** @description Cut to the minute; null: no use is recorded */
                                last_used_at: string | null;
                                /** @description Whether it is the key of this request */
                                is_own: boolean;
                            }[];
                        };
                    };
                };
            };
        };
    };
    issueKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "bots": [
                 *         "demo"
                 *       ],
                 *       "kind": "service",
                 *       "name": "Shop server"
                 *     }
                 */
                "application/json": {
                    /** @description Resource keys of the bots, or `all`: later ones too */
                    bots: "all" | string[];
                    /**
                     * @description `owner` is refused: an operator issues owner keys
                     * @default service
                     * @enum {string}
                     */
                    kind?: "personal" | "service" | "owner";
                    name?: string | null;
                    /** @description Absent: never */
                    expires_at?: string | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            key_id: number;
                            api_key: string | null;
                        };
                        /** @enum {boolean} */
                        lagging?: true;
                    };
                };
            };
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "key_id": 1,
                 *       "overlap_seconds": 86400
                 *     }
                 */
                "application/json": {
                    key_id: number;
                    /** @description How long the old key keeps working; default a day, for owner keys at most; at least 600 for the key of the request */
                    overlap_seconds?: number | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            key_id: number;
                            api_key: string | null;
                        };
                        /** @enum {boolean} */
                        lagging?: true;
                    };
                };
            };
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "key_id": 1
                 *     }
                 */
                "application/json": {
                    key_id: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            key_id: number;
                        };
                        /** @enum {boolean} */
                        lagging?: true;
                    };
                };
            };
        };
    };
    listGoals: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            items: {
                                target_id: number;
                                event_id: number;
                                name: string;
                            }[];
                        };
                    };
                };
            };
        };
    };
    createGoal: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "target_id": 2,
                 *       "name": "Sign-up"
                 *     }
                 */
                "application/json": {
                    target_id: number;
                    name: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            target_id: number;
                            event_id: number;
                        };
                        /** @enum {boolean} */
                        lagging?: true;
                    };
                };
            };
        };
    };
    listUnits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            items: {
                                unit_id: number;
                                code: string;
                                name: string | null;
                                scale: number;
                            }[];
                        };
                    };
                };
            };
        };
    };
    createUnit: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "PTS",
                 *       "name": "Points",
                 *       "scale": 0
                 *     }
                 */
                "application/json": {
                    code: string;
                    name?: string | null;
                    /** @description Decimals, 0 to 18; default 2 */
                    scale?: number | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            unit_id: number;
                        };
                        /** @enum {boolean} */
                        lagging?: true;
                    };
                };
            };
        };
    };
    listExchangeRates: {
        parameters: {
            query?: {
                /** @description A code, in capitals or not; absent: of every one */
                from?: string;
                /** @description A code, in capitals or not; absent: of every one */
                to?: string;
                /** @description Default 50, at most 200, clamped */
                limit?: number;
                /** @description Default 0, clamped */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            items: {
                                from: string;
                                to: string;
                                date: string;
                                rate: string;
                            }[];
                        };
                    };
                };
            };
        };
    };
    listRules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            items: {
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
                            }[];
                        };
                    };
                };
            };
        };
    };
    createRule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Share of sales",
                 *       "trigger_event_id": 1,
                 *       "reward_type": "percent",
                 *       "percent": 10,
                 *       "hold_days": 14
                 *     }
                 */
                "application/json": {
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
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            rule_id: number;
                        };
                        /** @enum {boolean} */
                        lagging?: true;
                    };
                };
            };
        };
    };
    editRule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "rule_id": 1,
                 *       "active": false
                 *     }
                 */
                "application/json": {
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
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            rule_id: number;
                        };
                        /** @enum {boolean} */
                        lagging?: true;
                    };
                };
            };
        };
    };
    getPayoutWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            webhook: {
                                url: string;
                                /** @example 2026-03-01T10:00:00.000Z */
                                set_at: string;
                                /** @description 2 for a day after a rotation */
                                signatures: number;
                            } | null;
                        };
                    };
                };
            };
        };
    };
    setPayoutWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://shop.example/payouts"
                 *     }
                 */
                "application/json": {
                    url: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            secret: string | null;
                        };
                        /** @enum {boolean} */
                        lagging?: true;
                    };
                };
            };
        };
    };
    rotatePayoutWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            secret: string | null;
                        };
                        /** @enum {boolean} */
                        lagging?: true;
                    };
                };
            };
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                payout_id?: number;
                /** @description Default 50, at most 200, clamped */
                limit?: number;
                /** @description Default 0, clamped */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            items: {
                                payout_id: number;
                                webhook_id: string;
                                attempt: number;
                                /** @example 2026-03-01T10:00:00.000Z */
                                at: string;
                                /** @description HTTP status of the answer; null: there is none, or none yet */
                                status: number | null;
                                error: string | null;
                            }[];
                        };
                    };
                };
            };
        };
    };
    redeliverPayout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "payout_id": 1
                 *     }
                 */
                "application/json": {
                    payout_id: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        ok: true;
                        data: {
                            payout_id: number;
                        };
                        /** @enum {boolean} */
                        lagging?: true;
                    };
                };
            };
        };
    };
}
