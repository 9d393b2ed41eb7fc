import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { administer } from '../../support/administer.ts';
import { dashboardExpressions, readAlerts, selectorsOf } from '../../support/alerts.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/embedded-postgres.ts';
import { parseMetrics, type ShownMetric } from '../../support/metrics.ts';
import { type ServiceProcess, serviceProcess } from '../../support/service-process.ts';
import { ROOT } from '../../support/source-files.ts';

/** `/metrics` of the built service, with separate threads for read models, processes and reports. */

let database: TestDatabase;
let service: ServiceProcess;
let metrics: ReadonlyMap<string, ShownMetric>;

async function scrape(): Promise<ReadonlyMap<string, ShownMetric>> {
  return parseMetrics(await (await fetch(`${service.address}/metrics`)).text());
}

function sampleOf(sample: string): number | undefined {
  return metrics.get(sample.replace(/\{.*/, '').replace(/_(count|sum|bucket)$/, ''))?.samples.get(sample);
}

beforeAll(async () => {
  database = await createTestDatabase();
  const cli = administer({ DATABASE_URL: database.url });
  const { owner_id } = await cli('owner', 'create', '--name', 'Ann');
  const { public_key } = await cli('bot', 'create', '--owner', String(owner_id), '--name', 'Shop');
  const { api_key } = await cli('key', 'issue', '--owner', String(owner_id), '--bot', public_key);
  service = await serviceProcess({ DATABASE_URL: database.url, DATA_DIR: ROOT });
  await service.start();
  await service.ready();
  const post = async (path: string, body: object): Promise<void> => {
    const headers = { 'content-type': 'application/json', 'api-key': api_key };
    const response = await fetch(service.address + path, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(await response.text()).toContain('"ok":true');
  };
  await post('/v1/send-event', [1, 2, 3].map((user_id) => ({ event: 'order_paid', user_id })) as object);
  const trend = { type: 'trend', event_id: null, event_name: 'all', agr: 'total' };
  const source_request = { type: 'trends', type_chart: 'line', granularity: 'day', requests: [trend] };
  const params = { ':date_from': '2026-01-01 00:00:00', ':date_to': '2026-01-31 23:59:59' };
  // Read models are built after the start.
  await eventually(() => post('/v1/reports/run', { report_config: { settings: { params }, source_request } }));
  metrics = await eventually(async () => {
    metrics = await scrape();
    if ((sampleOf('botledger_projection_events_total{projection="events"}') ?? 0) < 3)
      throw new Error('not applied yet');
    return metrics;
  });
});
afterAll(async () => {
  await service?.kill('SIGKILL');
  await database.drop();
});

describe('/metrics', () => {
  it('adds up what the threads have counted', () => {
    expect(sampleOf('botledger_appended_events_total{type="custom_events_received"}')).toBe(3);
    expect(sampleOf('botledger_append_seconds_count{streams="any",outcome="appended"}')).toBe(1);
    expect(sampleOf('botledger_append_group_commits_count')).toBeGreaterThan(0);
    expect(sampleOf('botledger_report_seconds_count{type="trends",result="answered"}')).toBe(1);
    for (const thread of ['main', 'projectors', 'processes', 'reports'])
      expect(sampleOf(`botledger_thread_memory_bytes{thread="${thread}",kind="heap"}`)).toBeGreaterThan(1e6);
    expect(sampleOf('botledger_database_bytes{schema="log"}')).toBeGreaterThan(0);
    expect(sampleOf('botledger_data_dir_free_bytes')).toBeGreaterThan(0);
    expect(sampleOf('botledger_dead_letters{projection="events",version="1"}')).toBe(0);
    expect(metrics.get('botledger_audit_clean')!.samples.size).toBe(0);
  });

  it('has the metrics of docs/metrics.md, with their types and labels, and no others', () => {
    const rows = [
      ...readFileSync(join(ROOT, 'docs/metrics.md'), 'utf8').matchAll(/^\| `(\w+)` \| (\w+) \|([^|]*)\|/gm),
    ].map(([, name, type, labels]) => ({
      name,
      type,
      labels: [...labels!.matchAll(/`(\w+)`/g)].map(([, each]) => each),
    }));
    const shown = [...metrics.values()].filter(({ name }) => name.startsWith('botledger_'));
    expect(rows.map(({ name, type }) => `${name} ${type}`).sort()).toEqual(
      shown.map(({ name, type }) => `${name} ${type}`).sort(),
    );
    const wrong = shown.filter(({ name, labels }) => {
      const listed = rows.find((row) => row.name === name)!.labels;
      return labels.size > 0 && (listed.length !== labels.size || listed.some((label) => !labels.has(label!)));
    });
    expect(wrong.map(({ name, labels }) => `${name}: ${[...labels]}`)).toEqual([]);
  });

  it('has so few series that a hundred instances are no burden', () => {
    const series = [...metrics.values()].reduce((sum, { samples }) => sum + samples.size, 0);
    expect(series).toBeLessThan(1500);
  });

  it.each([
    ['alerts', readAlerts().map(({ expr }) => expr)],
    ['dashboard', dashboardExpressions()],
  ])('has every metric and label that the %s of ops/ name', (_, expressions) => {
    const named = expressions.flatMap(selectorsOf);
    expect(named.length).toBeGreaterThan(10);
    const missing = named.filter(({ metric, labels }) => {
      const shown = metrics.get(metric) ?? metrics.get(metric.replace(/_(count|sum|bucket)$/, ''));
      return (
        shown === undefined ||
        // Prometheus adds `job` and `instance`. Without a sample, docs/metrics.md has the labels.
        labels.some((label) => shown.samples.size > 0 && !shown.labels.has(label) && label !== 'job')
      );
    });
    expect(missing).toEqual([]);
  });
});
