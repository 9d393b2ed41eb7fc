import { placed } from '../read-model.ts';

/**
 * Tables of the read model `accounts`. Times are milliseconds since 1970 UTC, amounts in normal units; `unit` 0 means
 * "without a unit". The key of an account is its bot's public key and its user. `place` is the place of an event in the
 * account's stream (`placeOf`): the same on every engine.
 *
 * Nothing that changes only by the clock (holds that end) is stored: a query passes the time.
 */
export const ACCOUNTS_DDL = `
CREATE TABLE accounts (
  public_key text NOT NULL,
  user_id bigint NOT NULL,
  /* commits of the account's stream so far */
  revision bigint NOT NULL,
  /* the time of the last of them: a clock that is behind it does not count */
  clock bigint NOT NULL,
  PRIMARY KEY (public_key, user_id)
);
CREATE TABLE balances (
  public_key text NOT NULL,
  user_id bigint NOT NULL,
  unit bigint NOT NULL,
  /* all accruals that are not cancelled */
  accrued numeric NOT NULL,
  /* payouts that are neither paid nor cancelled */
  reserved numeric NOT NULL,
  paid numeric NOT NULL,
  PRIMARY KEY (public_key, user_id, unit)
);
/* lists of a bot's referrers, the largest amount first; what is available and on hold together does not change by the clock */
CREATE INDEX balances_owed ON balances (public_key, unit, (accrued - reserved - paid) DESC, user_id);
CREATE INDEX balances_earned ON balances (public_key, unit, accrued DESC, user_id);
CREATE INDEX balances_paid ON balances (public_key, unit, paid DESC, user_id);
/* accruals that were on hold when they were recorded and are not cancelled, by when they cease to be (spans.ts) */
CREATE TABLE holds (
  public_key text NOT NULL,
  user_id bigint NOT NULL,
  unit bigint NOT NULL,
  bits smallint NOT NULL,
  bucket bigint NOT NULL,
  amount numeric NOT NULL,
  PRIMARY KEY (public_key, user_id, unit, bits, bucket)
);
CREATE TABLE accruals (
  accrual_id bigint NOT NULL,
  user_id bigint NOT NULL,
  place bigint NOT NULL,
  /* receipt of the event that earned it */
  date bigint NOT NULL,
  /* when it was recorded */
  at bigint NOT NULL,
  available_at bigint NOT NULL,
  unit bigint NOT NULL,
  rule_id bigint NOT NULL,
  referral_id bigint NOT NULL,
  /* the event that earned it; null: a compensation */
  event_commit text,
  event_idx int,
  /* the accrual that this one makes good */
  compensates bigint,
  /* when it was cancelled, or made good by another one, and the place of that event */
  reversed_at bigint,
  reversed_place bigint,
  /* whether it counts for nothing */
  cancelled boolean NOT NULL,
  amount numeric NOT NULL,
  public_key text NOT NULL,
  reason text,
  PRIMARY KEY (accrual_id, public_key)
);
/* accrual_id: what a page passes over in its first hour is counted in the index alone */
CREATE INDEX accruals_feed ON accruals (public_key, user_id, date DESC, place DESC) INCLUDE (accrual_id)
  WHERE reversed_at IS NULL;
CREATE INDEX accruals_holds ON accruals (public_key, user_id, available_at, place) WHERE available_at > at;
CREATE INDEX accruals_places ON accruals (public_key, user_id, place);
CREATE INDEX accruals_cancelled ON accruals (public_key, user_id, reversed_place) WHERE cancelled;
/* how many accruals that were not reversed have their date in an hour since 1970 (spans.ts) */
CREATE TABLE accrual_hours (
  public_key text NOT NULL,
  user_id bigint NOT NULL,
  hour int NOT NULL,
  accruals bigint NOT NULL,
  PRIMARY KEY (public_key, user_id, hour)
);
CREATE TABLE payouts (
  payout_id bigint NOT NULL,
  user_id bigint NOT NULL,
  place bigint NOT NULL,
  requested_at bigint NOT NULL,
  unit bigint NOT NULL,
  /* The first payout that claims an accrual is the unit's first one after which it was recorded and not on hold. The accruals
     that this payout was the first to claim stay together. The payout that has them now; null: no payout has them. */
  claimed_by bigint,
  /* when the next attempt is due; null: the first one (0), after the one under way (1), or never */
  next_at bigint,
  processed_at bigint,
  processed_place bigint,
  attempts int NOT NULL,
  /* which of the bot's addresses the last attempt called, from 1; null: it was not noted */
  address int,
  status smallint NOT NULL,
  amount numeric NOT NULL,
  public_key text NOT NULL,
  method text NOT NULL,
  initiated_by text NOT NULL,
  /* of the last attempt, while the status is 1: open, failed, accepted */
  attempt text,
  /* why the last attempt, or the payout, failed */
  error text,
  /* why an administrator last confirmed, retried or cancelled it; null: none was given */
  reason text,
  /* of the commit of the request, if it is traced */
  trace text,
  /* random text of the webhook-id; null: the request was made without it */
  nonce text,
  PRIMARY KEY (payout_id, public_key)
);
CREATE INDEX payouts_feed ON payouts (public_key, user_id, place DESC, payout_id DESC);
CREATE INDEX payouts_claims ON payouts (public_key, user_id, unit, requested_at, place);
CREATE INDEX payouts_by_status ON payouts (public_key, status, requested_at, payout_id);
CREATE INDEX payouts_latest ON payouts (public_key, requested_at, payout_id);
CREATE INDEX payouts_to_deliver ON payouts (payout_id) WHERE method = 'webhook' AND status IN (0, 1);
/* how often a bot has set its webhook, and when last: a payout whose attempt failed before does not wait for its next one */
CREATE TABLE webhooks (
  public_key text PRIMARY KEY,
  address int NOT NULL,
  set_at bigint NOT NULL
);
CREATE TABLE attempts (
  public_key text NOT NULL,
  payout_id bigint NOT NULL,
  attempt int NOT NULL,
  at bigint NOT NULL,
  /* of the answer; null: there was none, or not yet */
  status int,
  error text,
  PRIMARY KEY (payout_id, attempt, public_key)
);
CREATE INDEX attempts_of_bot ON attempts (public_key, at DESC, payout_id DESC, attempt DESC);
CREATE TABLE locks (
  public_key text NOT NULL,
  user_id bigint NOT NULL,
  rule_id bigint NOT NULL,
  reward_type text NOT NULL,
  amount numeric,
  percent numeric,
  unit bigint NOT NULL,
  source text NOT NULL,
  locked_at bigint NOT NULL,
  PRIMARY KEY (public_key, user_id, rule_id)
);
`;

export const ACCOUNTS_PLACEMENT = placed('public_key', [
  'accounts',
  'balances',
  'holds',
  'accruals',
  'accrual_hours',
  'payouts',
  'attempts',
  'locks',
  'webhooks',
]);
