/** The answer of each command of the CLI, for docs/cli.md: help texts name options, not answers. */
export const COMMAND_ANSWERS: Readonly<Record<string, string>> = {
  'owner create': '`owner_id`.',
  'owner set': '`owner_id`.',
  'owner list': 'the owners.',
  'bot create': '`public_key`, and `webhook_secret`, shown once.',
  'bot set': '`public_key`.',
  'bot rotate-webhook-secret': 'the new `webhook_secret`, shown once.',
  'bot list': 'the bots.',
  'key issue': '`key_id`, and `api_key`, shown once.',
  'key revoke': '`key_id`.',
  'key rotate': 'the new `key_id` and `api_key`. The default of `--overlap` is 24 hours.',
  'key list': "the owner's keys, without secrets; `last_used_at` is cut to the minute, and null if no use is recorded.",
  'goal create': '`target_id`, `event_id`.',
  'goal list': 'the goals.',
  'unit create': "`unit_id`. The code must not be a currency's.",
  'unit list': 'the units.',
  'rule create':
    "`rule_id`. Without `--unit` a fixed reward is in the owner's currency, a percentage in the unit of the event.",
  'rule edit': '`rule_id`. The change applies to events that are recorded later.',
  'rule list': 'the rules.',
  'rate set': 'nothing. The individual rate applies from now on.',
  'payout list': 'the payouts.',
  'payout create': 'the payout, and `payout_ids` if there is one for each unit.',
  'payout confirm': 'the payout: a manual one, or one that the client accepted with 202, was paid.',
  'payout fail': 'the payout: one that the client accepted was not paid.',
  'payout retry': 'the payout, failed or waiting for its next attempt: it is announced to the client at once.',
  'payout cancel':
    'the payout: its amount is available again. `--force` is needed if the client may know of the payout, and may have paid it.',
  'audit balance':
    "the history, from the log. Exit 1 if the service's rows differ; without `--at` the balance is also compared.",
  'audit make-key': '`{file, verifier_key}`. The file must not exist. See [proofs](proofs.md).',
  'audit prove':
    '`{file, bytes, commits}`. The file must not exist. `bin/verify.mjs` checks it. See [proofs](proofs.md).',
  'audit statement':
    '`{rows, sha256, hash_of}`; `hash_of` is `proof` or, with `PROOF=off`, `statement`. The PDF is in the file, or on stdout. See [statements](proofs.md#a-statement-for-a-person).',
  'audit receipt':
    '`{state, position, commit, request, at, due_at[, tree, index, checkpoint]}`; `state` is `kept`, `open` or `broken` (exit 1). See [receipts](proofs.md#receipts-of-intake).',
  'audit verify':
    "findings, and exit 1 if there is one. Checks every hash chain to its end, every account's invariants and balance, and (without `--bot`) every read model against a replay and, with `PROOF=on`, the log against every signed checkpoint and what each witness saw last. Without `--bot` the log records that the ledger was audited, and the result, for metrics and alerts; `--no-record` leaves that out. Progress, and at the end the counts of the checked things, are on stderr.",
  witness:
    '`{verifier_key}`, when it is stopped by SIGTERM or SIGINT. Until then it answers `POST /add-checkpoint`, and writes to stderr what it cosigned and refused. See [proofs](proofs.md#witnesses).',
  'webhook set':
    '`secret`. It signs the calls. Setting the webhook again keeps the secret, and announces at once the payouts that wait. See [payout webhook](referral.md#payout-webhook).',
  'webhook rotate-secret': 'the new `secret`. The old one also signs for 24 hours.',
  'webhook deliveries':
    'every attempt to announce a payout to the client: `payout_id`, `webhook_id`, `attempt`, `at`, `status`, `error`.',
  'fx set': 'nothing. The rate counts from that day on.',
  'fx import': 'nothing. The file is CSV with the columns from, to, rate, date; all rows or none are imported.',
  'fx list': 'the rates.',
  'user import': '`users`, how many. The file is NDJSON or CSV; columns are `user_id` and names of fields.',
  'user set-field': '`users`. A user that the bot never had needs `--force`.',
  'user erase':
    '`users`. A user that the bot never had needs `--force`. See [erase a user](operations.md#erase-a-user).',
  'import events':
    '`imported`, `imported_before` (by earlier calls with the same file), `repeated` (lines whose `event_key` came before) and `refused`, how many lines. With `--dry-run`: `dry_run`, `taken` and `refused`. See [import](operations.md#import-events).',
  'import referrals':
    '`imported`, `imported_before`, `refused`, and `balances`, how many opening balances became events; with `--dry-run`: `dry_run`, `taken` and `refused`. The rewards follow within seconds while the service runs.',
  'operator issue': '`operator_id`, and `operator_key`, shown once. See [operators](operations.md#operators).',
  'operator list': 'the operators, without secrets.',
  'operator revoke': '`operator_id`.',
  'export events': '`rows`, `data_as_of`; on stderr if the data are on the standard output. See [Export](export.md).',
  'export users': 'as `export events`.',
  'export accruals': 'as `export events`.',
  'export recipients': 'as `export events`.',
  'export follow': '`rows`, once it ends: with `--once`. See [Export](export.md#follow-into-clickhouse-or-s3).',
  'projection list':
    'every version of every read model, and every process: its position, its lag, its error, and which command to run next.',
  'projection rebuild':
    'nothing. Builds the next version next to the live one, in the foreground until it has caught up. `--all` instead of a name rebuilds all read models. Progress is on stderr. With `--bot` or `--partition`: the row of the live version, in which the rows were [replaced](decisions.md#rebuild-part). With `--until`: `schema`, and the `positions` that it [has](decisions.md#rebuild-until).',
  'projection pause':
    'the row of the version, with `build.paused` true. A running `projection rebuild` of it ends with exit 1. See [rules](decisions.md#build-control).',
  'projection resume':
    'the row of the version. The service continues the build; without a service run `projection rebuild`.',
  'projection limit': 'the row of the version, with `build.max_rate`. The builder follows within a second.',
  'projection verify':
    'nothing. Compares the newest version with a replay of the log, table by table. Exit 1 if they differ, or while the version is being built.',
  'projection diff':
    '`name`, `from`, `to`, `positions`, `equal`, `layout` (columns that only one has), `tables` (`rows_from`, `rows_to`, `only_from`, `only_to`, `changed`, `columns` with the rows that differ in each, `samples`), `uncompared`, `answers` (`kind`, `compared`, `differing`, `samples` with `question`, `before`, `after`, and `slower`), `answers_left_out`. Exit 1 if they differ, or if they are not at the same position in time. It changes nothing. See [rules](decisions.md#projection-diff).',
  'projection switch':
    'nothing. The newest version (or another, to switch back) answers from now on. Refuses a version that was not verified.',
  'projection drop':
    'the row of the version as it was, with the `state` `dropped`. With `--until`: `dropped`, the schema.',
  doctor:
    'one finding for each part (configuration, versions, disk, log, database, clock, service, read models, processes, webhooks, audit): `check`, `state` (`ok`, `warning`, `wrong`), `finding`, `remedy`. Exit 1 if one is `wrong`. It opens no connection that can write, and works with and without a running service.',
  'upgrade plan':
    '`release`, `migrations` (by schema), `read_models` (`is_built`, `from_shape`, `to_shape`, `changes` of tables, `commits`, `seconds`, `disk_bytes`, `serves_former`), `events` (each `type` and `v` in the log, how many, how many were tried, the first `unreadable`), `steps`. Exit 1 if an event cannot be read. It changes nothing. See [upgrades](upgrades.md#before).',
  'upgrade apply':
    'each read model that this release has changed: its new `version`, the `former_version`, whether the new one `is_live`, and `tables` with other numbers of rows than before. Switches none before all are built and equal a replay. Exit 1 if one differs. See [upgrades](upgrades.md).',
  'log copy':
    'nothing. Copies the whole log to another engine, keys of personal data included, and compares the two by hash. See [engines](engines.md#move-the-log-to-another-engine).',
  backup:
    '`commits`, `events`, `keys`, `hash`: the whole log and its keys are in one file. The file must not exist before. The service may run. See [backup](operations.md#backup).',
  restore:
    'the same. The log must be empty and the service stopped. Payouts and broadcasts wait until `recovery end`. See [restore](restore.md).',
  'recovery begin':
    'whether payouts and broadcasts wait (`open`), and above which numbers new ids are. See [restore](restore.md).',
  'recovery status': 'the same.',
  'recovery payouts':
    'the payouts that the client may know of: `webhook_id`, `payout_id`, `bot`, `user_id`, `amount`, `unit_id`, `status`, `requested_at`, `in_log`, `client_knows`. With `--client` first the ids that the log does not have.',
  'recovery end': 'the state, as `recovery status`.',
  'dead-letter list': 'commits at which a read model stopped, or which it skipped.',
  'dead-letter retry': 'nothing. Applies the commit once more; the log records it.',
  'dead-letter skip':
    'nothing. The read model continues without the commit, now and in every replay; the log records it.',
};
