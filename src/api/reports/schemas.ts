import { z } from 'zod';
import { PROPERTY_TYPES } from '../../domain/intake/properties.ts';
import { LOCAL_TIME_FORMAT } from '../../domain/local-time.ts';
import type { JsonObject } from '../../domain/storable-json.ts';
import { RAW } from '../csv-form.ts';
import { answer, uuid as anyUuid, items, localTime, timestamp, warning } from '../shapes.ts';
import { reportConfig } from './report-config-schema.ts';

/**
 * Schemas of the report builder (interface.md, "Report configuration"; decisions.md#report-answers). Schemas of requests
 * are for OpenAPI only: the domain checks a report_config and reports each problem with its path. Numbers of answers are
 * exact decimals with any number of digits.
 */

export const FORMATS = ['json', 'csv'] as const;

/** For OpenAPI; the code relies only on `report_config` being there. */
export const previewBody: z.ZodType<{ report_config: unknown }> = z
  .object({ resource_key: z.string().optional(), report_config: reportConfig })
  .meta({ id: 'PreviewRequest' });

const uuid = anyUuid.meta({ description: 'Of a saved report', example: '0b9e5f0c-6f4e-4d5b-9a37-2f7c1f3f9d10' });

/** For OpenAPI; the code relies only on these keys. */
export const saveBody: z.ZodType<{ name: unknown; report_config: unknown; uuid?: unknown }> = z
  .object({
    resource_key: z.string().optional(),
    name: z.string().describe('1 to 250 characters'),
    report_config: reportConfig,
    uuid: anyUuid.nullish().describe('The saved report to replace; without one, a new report is saved'),
  })
  .meta({ id: 'SaveRequest' });

/** The report of a request, for OpenAPI. */
export const namedReport = {
  resource_key: z.string().optional().describe('Not needed with a uuid'),
  uuid: anyUuid.nullish().describe('A saved report; or a report_config, not both'),
  report_config: reportConfig.nullish(),
  params: z
    .looseObject({ ':date_from': localTime.nullish(), ':date_to': localTime.nullish() })
    .meta({ id: 'ReportParams' })
    .nullish()
    .describe('Another period than the one that was saved'),
};

/** For OpenAPI; the code relies only on these keys. */
export const runBody: z.ZodType<RunRequest> = z
  .object({
    ...namedReport,
    format: z.enum(FORMATS).nullish().describe('Default json; csv is text/csv with the labels as its header'),
    raw: z.boolean().nullish().describe(RAW),
  })
  .meta({ id: 'RunRequest' });

/** The report of a request. */
export interface NamedReport {
  /** A request has either `uuid` or `report_config`. */
  readonly uuid?: unknown;
  readonly report_config?: unknown;
  /** Only with a uuid. */
  readonly params?: JsonObject | null | undefined;
}

export interface RunRequest extends NamedReport {
  /** Default json. */
  readonly format?: (typeof FORMATS)[number] | null | undefined;
  /** Default false. */
  readonly raw?: boolean | null | undefined;
}

export const deleteBody: z.ZodType<{ uuid: unknown }> = z.object({ uuid }).meta({ id: 'DeleteReportRequest' });

/** For OpenAPI; the code checks the body itself. */
export const pinBody: z.ZodType<{ uuid: unknown; pinned: boolean }> = z
  .object({ uuid, pinned: z.boolean().describe('Whether it is on the dashboard of its bot') })
  .meta({ id: 'PinReportRequest' });

export const savedAnswer = answer(z.object({ uuid }).meta({ id: 'SavedReportId' }));

/** Not `reportConfig`: a saved config keeps keys that its report type ignores, with any value. */
const savedConfig = z
  .looseObject({ source_request: z.looseObject({ type: z.string() }), settings: z.looseObject({}) })
  .meta({ id: 'SavedReportConfig', description: 'As it was saved' });
const savedReport = z
  .object({
    uuid,
    name: z.string(),
    resource_key: z.string().describe('Of its bot'),
    report_config: savedConfig,
    date_create: timestamp,
    pinned: z.boolean().describe('Whether it is on the dashboard of its bot'),
  })
  .meta({ id: 'SavedReport' });
export const savedReportAnswer = answer(savedReport);
export const savedReportsAnswer = items(savedReport);

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const cells = z.record(z.string(), cell).meta({ id: 'Cells' });
const column = z
  .object({
    key: z.string(),
    label: z.string(),
    type: z.enum(['date', 'number', 'string', 'boolean']),
    metric: z.int().optional().describe("Of a chart's line: index of its request"),
    total: z.number().nullish().describe("Of a chart's line: the measure over the whole period"),
    breakdown: cells.optional().describe("Of a chart's line: its combination, if broken down"),
    other: z.boolean().optional().describe('The line of all combinations without a line'),
  })
  .meta({ id: 'Column' });
const meta = z
  .object({
    timezone: z.string(),
    date_from: timestamp,
    date_to: timestamp,
    rows_total: z.int().describe('Rows of the whole report'),
    rows_matching: z.int().optional().describe('Of a list: rows that there would be without limit and offset'),
    truncated: z.boolean().describe('This answer has fewer'),
    data_as_of: timestamp.describe('What was received up to then has been counted'),
    lag_ms: z.int(),
    warnings: z.array(warning),
  })
  .meta({ id: 'ReportMeta' });

export const reportAnswer = answer(
  z.object({ columns: z.array(column), rows: z.array(cells), meta }).meta({
    id: 'Report',
    example: {
      columns: [
        { key: 'date', label: 'Date', type: 'date' },
        { key: 's0', label: 'Orders', type: 'number', metric: 0, total: 3 },
      ],
      rows: [
        { date: '2026-01-01T00:00:00+00:00', s0: 2 },
        { date: '2026-01-02T00:00:00+00:00', s0: 1 },
      ],
      meta: {
        timezone: 'UTC',
        date_from: '2026-01-01T00:00:00+00:00',
        date_to: '2026-01-02T23:59:59+00:00',
        rows_total: 2,
        truncated: false,
        data_as_of: '2026-01-02T12:00:00+00:00',
        lag_ms: 0,
        warnings: [],
      },
    },
  }),
);

export const resourcesAnswer = items(
  z
    .object({
      resource_key: z.string().describe('What Resource-Key or resource_key name'),
      name: z.string(),
      username: z.string().nullable(),
      timezone: z.string().describe('IANA name'),
    })
    .meta({ id: 'Resource' }),
);

export const eventsAnswer = items(
  z
    .object({
      event_id: z.int(),
      name: z.string(),
      kind: z.enum(['system', 'target', 'custom']),
      target_id: z.int().optional(),
      first_seen: timestamp.nullable(),
      last_seen: timestamp.nullable(),
      count: z.int(),
      title: z.string().nullable().describe('The words for people in place of the name; null: the name'),
      description: z.string().nullable(),
      hidden: z.boolean().describe('Pickers leave it out'),
    })
    .meta({ id: 'ReportEvent' }),
);

export const eventFieldsAnswer = items(
  z
    .object({
      name: z.string(),
      type: z.enum(['number', 'string', 'date']),
      operators: z.array(z.string()),
      separator: z.boolean().describe('Whether a report may be broken down by it'),
    })
    .meta({ id: 'EventField' }),
);

export const eventPropertiesAnswer = items(
  z
    .object({
      name: z.string().describe('events.properties.<name>'),
      type: z.literal('dynamic').describe('Each value has its own type'),
      types: z.array(z.enum(PROPERTY_TYPES)).describe('The types that values came with'),
      operators: z.array(z.string()),
      separator: z.literal(true).describe('A report may be broken down by it'),
    })
    .meta({ id: 'EventProperty' }),
);

const localDate = z
  .string({ error: 'is required' })
  .meta({ type: 'string', example: '2026-01-01 00:00:00', description: `${LOCAL_TIME_FORMAT} in the bot's time zone` });
export const newUsersQuery = z.object({ date_from: localDate, date_to: localDate });
const day = z
  .object({ date: timestamp.describe('The start of the day'), users: z.int() })
  .meta({ id: 'NewUsersOfDay' });
export const newUsersAnswer = answer(
  z
    .object({
      days: z.array(day),
      total: z.int(),
      data_as_of: timestamp.describe('What was received up to then has been counted'),
    })
    .meta({ id: 'NewUsers' }),
);

const labels = z.array(z.string()).describe('The most used first');
export const utmLabelsAnswer = answer(
  z
    .object({ sources: labels, mediums: labels, campaigns: labels, terms: labels, contents: labels })
    .meta({ id: 'UtmLabels' }),
);

/** Shapes of answers for a client in TypeScript, such as the console: a change of an answer then breaks its type check. */
export type ReportEvent = z.infer<typeof eventsAnswer>['data']['items'][number];
export type EventProperty = z.infer<typeof eventPropertiesAnswer>['data']['items'][number];
export type EventField = z.infer<typeof eventFieldsAnswer>['data']['items'][number];
