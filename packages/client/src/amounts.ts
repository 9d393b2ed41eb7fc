/** Fields of answers below `/v1/referral/` and `/v1/settings/` that are exact decimals of any length. */
export const AMOUNTS: readonly string[] = [
  'amount',
  'available',
  'earned',
  'on_hold',
  'paid',
  'percent',
  'rate',
  'reserved',
  'reward_amount',
  'reward_percent',
];

/** Whether the answers of a path have amounts. */
export function hasAmounts(path: string): boolean {
  return /^\/v1\/(referral|settings)\//.test(path);
}

/** Numbers of requests that may be text, so that no digit is lost: by path, the schema of openapi.json and its field. */
export const AMOUNTS_IN_REQUESTS: Readonly<Record<string, readonly [schema: string, field: string]>> = {
  '/v1/send-event': ['CustomEvent', 'value_num'],
  '/v1/send-target': ['TargetEvent', 'value'],
};

/** The field of the body that may be text. */
export const amountOf = (path: string): string | undefined => AMOUNTS_IN_REQUESTS[path]?.[1];
