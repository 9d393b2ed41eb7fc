/** Report configurations, by name. */
export function sampleReports(): Readonly<Record<string, object>> {
  const metric = { type: 'trend', event_id: null, event_name: 'any' };
  const config = (type_chart: string, agr: object, more: object = {}): object => ({
    source_request: { type: 'trends', type_chart, requests: [{ ...metric, ...agr }], ...more },
    settings: { params: { ':date_from': '2026-02-01 00:00:00', ':date_to': '2026-03-05 00:00:00' } },
  });
  const amounts = { agr: 'property_sum', agr_field: 'events.value_amount' };
  const event = { ...metric, type: 'event' };
  const step = { ...metric, agr: 'total' };
  const funnel = { type: 'funnels', type_chart: 'funnels', requests: [step, step] };
  const retention = {
    type: 'retention',
    type_chart: 'retention',
    target_entity: event,
    returning_entity: event,
    retention_total_intervals: 3,
  };
  const list = {
    type: 'list',
    type_chart: 'list',
    table: 'events',
    columns: ['events.date', 'events.event_type_id', 'events.value_int', 'events.category'],
  };
  return {
    totals: config('table', { agr: 'total' }),
    shares: config('table', { agr: 'median' }, { filters: ['!=', 'events.category', 'hats'] }),
    users: config('line', { agr: 'total_uniq_user_id' }, { granularity: 'week' }),
    sessions: config('line', { agr: 'total_uniq_session_id' }, { granularity: 'month' }),
    amounts: config('line', amounts, { granularity: 'month' }),
    breakdown: config('table', { agr: 'total' }, { separators: [{ property: 'events.category' }] }),
    funnel: { ...config('funnels', {}), source_request: funnel },
    retention: { ...config('retention', {}), source_request: retention },
    list: { ...config('list', {}), source_request: list },
  };
}

/** Not among the reports above, since old releases also get those. */
export const PROPERTIES_REPORT = {
  source_request: {
    type: 'trends',
    type_chart: 'line',
    granularity: 'month',
    requests: [
      {
        ...{ type: 'trend', event_id: null, event_name: 'any' },
        ...{ agr: 'property_sum', agr_field: 'events.properties.items' },
        filters: ['!=', 'events.properties.gift', false],
      },
    ],
    separators: [{ property: 'events.properties.plan' }],
  },
  settings: { params: { ':date_from': '2026-02-01 00:00:00', ':date_to': '2026-03-05 00:00:00' } },
};
