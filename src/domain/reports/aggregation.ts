/** What a metric measures, whatever its aggregation is called. */
export type Measure =
  | { readonly type: 'count' }
  /** Distinct users, sessions or sessions in a mini-application. */
  | { readonly type: 'uniques'; readonly of: UniqueOf }
  /** A statistic over the numbers of events of each user who has at least one. */
  | { readonly type: 'per_user'; readonly statistic: Statistic }
  /** A statistic over the values of the events that have one. */
  | { readonly type: 'property'; readonly statistic: Statistic | 'sum'; readonly field: PropertyField };

export type UniqueOf = 'user' | 'session' | 'app_session';
export type Statistic = 'avg' | 'min' | 'max' | 'median';
export const PROPERTY_FIELDS = ['events.value_int', 'events.value_amount'] as const;
export type PropertyField = (typeof PROPERTY_FIELDS)[number];

/** A measure whose field, for those that need one, stands beside it as `agr_field`. */
export type Aggregation =
  | Exclude<Measure, { type: 'property' }>
  | Omit<Extract<Measure, { type: 'property' }>, 'field'>;

/** Two sets of names, never mixed (interface.md, "Trends"): one for tables, one for every kind of chart. */
export const TABLE_AGGREGATIONS: ReadonlyMap<string, Aggregation> = new Map<string, Aggregation>([
  ['total', { type: 'count' }],
  ['total_uniq', { type: 'uniques', of: 'user' }],
  ['avg', { type: 'per_user', statistic: 'avg' }],
  ['min', { type: 'per_user', statistic: 'min' }],
  ['max', { type: 'per_user', statistic: 'max' }],
  ['median', { type: 'per_user', statistic: 'median' }],
]);

export const CHART_AGGREGATIONS: ReadonlyMap<string, Aggregation> = new Map<string, Aggregation>([
  ['total', { type: 'count' }],
  ['total_uniq_user_id', { type: 'uniques', of: 'user' }],
  ['total_uniq_session_id', { type: 'uniques', of: 'session' }],
  ['total_uniq_app_session_id', { type: 'uniques', of: 'app_session' }],
  ['avg_user_id', { type: 'per_user', statistic: 'avg' }],
  ['min_user_id', { type: 'per_user', statistic: 'min' }],
  ['max_user_id', { type: 'per_user', statistic: 'max' }],
  ['median_user_id', { type: 'per_user', statistic: 'median' }],
  ['property_sum', { type: 'property', statistic: 'sum' }],
  ['property_avg', { type: 'property', statistic: 'avg' }],
  ['property_min', { type: 'property', statistic: 'min' }],
  ['property_max', { type: 'property', statistic: 'max' }],
  ['property_median', { type: 'property', statistic: 'median' }],
]);
