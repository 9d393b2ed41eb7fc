import { z } from 'zod';
import { reportFields, SEPARATOR_NAMES } from '../../domain/reports/fields.ts';
import { WINDOW_UNITS } from '../../domain/reports/parse-funnel.ts';
import { LIST_ROWS, MAX_COLUMNS } from '../../domain/reports/parse-list.ts';
import { CHART_AGGREGATIONS, TABLE_AGGREGATIONS } from '../../domain/reports/parse-metric.ts';
import { RETENTION_GRANULARITIES } from '../../domain/reports/parse-retention.ts';
import {
  FUNNEL_ORDERS,
  GRANULARITIES,
  LIST_DIRECTIONS,
  LIST_TABLES,
  PROPERTY_FIELDS,
  RETENTION_TYPES,
} from '../../domain/reports/report.ts';
import { localTime } from '../shapes.ts';

/** The schema of a report_config (interface.md, "Report configuration"), for OpenAPI only: the domain checks it. */

const filters = z
  .array(z.unknown())
  .nullish()
  .describe('[operator, field, value] with =, !=, >, <, >=, <=, in or between, joined by [and, …] and [or, …]')
  .meta({
    id: 'Filters',
    examples: [['and', ['=', 'events.category', 'shoes'], ['>', 'events.value_amount', 10]]],
  });

const metric = z
  .looseObject({
    type: z.literal('trend'),
    event_id: z.int().nullish().describe('From reports/events; without one, events of every type count'),
    event_name: z.string().describe('For people; counts nothing'),
    label: z.string().nullish().describe('Caption of the metric; default: event_name'),
    agr: z
      .enum([...new Set([...TABLE_AGGREGATIONS.keys(), ...CHART_AGGREGATIONS.keys()])])
      .describe(
        `In a table ${[...TABLE_AGGREGATIONS.keys()].join(', ')}; in a chart ${[...CHART_AGGREGATIONS.keys()].join(', ')}`,
      ),
    agr_field: z
      .union([z.enum(PROPERTY_FIELDS), z.string().regex(/^events\.properties\.[A-Za-z0-9_.-]{1,64}$/)])
      .nullish()
      .describe('Required with property_*; of a custom property the numbers count'),
    filters,
  })
  .meta({ id: 'Metric' });

const separators = z
  .array(z.looseObject({ property: z.string() }))
  .max(3)
  .nullish()
  .meta({ id: 'Separators', description: `Breakdown by fields: ${SEPARATOR_NAMES.join(', ')}` });

const trendsRequest = z
  .looseObject({
    type: z.literal('trends'),
    type_chart: z.enum(['line', 'bar', 'area', 'pie', 'column', 'number', 'table', 'utm_trends', 'utm_table']),
    requests: z.array(metric).min(1).max(50),
    filters,
    separators,
    granularity: z.enum(GRANULARITIES).nullish().describe('Of charts; default day'),
    breakdown_limit: z.int().min(5).max(500).nullish().describe('UTM combinations of UTM charts; default 25'),
    row_limit: z.int().min(1).max(5000).nullish().describe('Rows of UTM charts; default 100'),
  })
  .meta({ id: 'TrendsRequest' });

const listRequest = z
  .looseObject({
    type: z.literal('list'),
    type_chart: z.literal('list'),
    table: z
      .enum(LIST_TABLES)
      .describe('Events of the period, or users created in it, who have only the fields user.*'),
    columns: z
      .array(z.string())
      .min(1)
      .max(MAX_COLUMNS)
      .describe(`Keys of the rows: ${reportFields.names.join(', ')}`),
    filters,
    order: z
      .record(z.string(), z.enum(LIST_DIRECTIONS))
      .nullish()
      .describe('By these columns, returned or not; a missing value comes last; default: the latest first'),
    limit: z
      .int()
      .min(LIST_ROWS.min)
      .max(LIST_ROWS.max)
      .nullish()
      .describe(`Rows of the report; default ${LIST_ROWS.byDefault}`),
    offset: z.int().min(0).nullish().describe('Records to skip; default 0'),
  })
  .meta({ id: 'ListRequest' });

const funnelRequest = z
  .looseObject({
    type: z.literal('funnels'),
    type_chart: z.literal('funnels'),
    requests: z.array(metric).min(2).max(20).describe('Steps, in order; agr may be any'),
    filters,
    separators,
    funnel_window: z.int().min(1).nullish().describe('For the whole funnel; default 14'),
    funnel_window_unit: z.enum(WINDOW_UNITS).nullish().describe('Default day; a month is 30 days'),
    funnel_order_type: z.enum(FUNNEL_ORDERS).nullish().describe('Default ordered'),
  })
  .meta({ id: 'FunnelRequest' });

const entity = z
  .looseObject({
    type: z.literal('event'),
    event_id: z.int().nullish().describe('As in a metric'),
    event_name: z.string().nullish().describe('For people; counts nothing'),
    filters,
  })
  .meta({ id: 'RetentionEntity' });
const retentionRequest = z
  .looseObject({
    type: z.literal('retention'),
    type_chart: z.literal('retention'),
    target_entity: entity.describe('The starting event'),
    returning_entity: entity.describe('The returning event'),
    filters,
    separators,
    granularity: z.enum(RETENTION_GRANULARITIES).nullish().describe('Default day'),
    retention_total_intervals: z.int().min(1).max(366).nullish().describe('Default 8'),
    retention_type: z.enum(RETENTION_TYPES).nullish().describe('Default retention_first_time'),
  })
  .meta({ id: 'RetentionRequest' });

export const reportConfig = z
  .looseObject({
    source_request: z.union([trendsRequest, listRequest, funnelRequest, retentionRequest]),
    settings: z.looseObject({
      params: z.looseObject({
        ':date_from': localTime.describe("YYYY-MM-DD HH:MM:SS in the bot's time zone"),
        ':date_to': localTime.describe('The second that it names belongs to the period'),
      }),
    }),
  })
  .meta({
    id: 'ReportConfig',
    example: {
      source_request: {
        type: 'trends',
        type_chart: 'line',
        requests: [{ type: 'trend', event_id: 101, event_name: 'order_paid', label: 'Orders', agr: 'total' }],
      },
      settings: { params: { ':date_from': '2026-01-01 00:00:00', ':date_to': '2026-01-31 23:59:59' } },
    },
  });
