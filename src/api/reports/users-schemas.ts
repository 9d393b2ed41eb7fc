import { z } from 'zod';
import { ATTEMPT_STATES } from '../../domain/reports/funnel.ts';
import { answer, items, timestamp } from '../shapes.ts';
import { type NamedReport, namedReport } from './schemas.ts';

/** Schemas of the users behind a number of a report (decisions.md#report-cells), and of the fields of users. */

const lineOfCell = {
  breakdown: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .meta({ id: 'Breakdown' })
    .nullish()
    .describe('Of a report with a breakdown: the values of the row or line'),
  other: z.boolean().nullish().describe('The line of all other combinations'),
};
const seriesCell = z
  .object({
    series: z.int().min(0).describe('The index of the request'),
    bucket: timestamp.nullish().describe('The date of a row; without it, the whole period'),
    ...lineOfCell,
  })
  .meta({ id: 'SeriesCell' });
const stepCell = z
  .object({ step: z.int().min(1), kind: z.enum(ATTEMPT_STATES), ...lineOfCell })
  .meta({ id: 'StepCell' });
const cohortCell = z
  .object({
    cohort: timestamp,
    interval: z.int().min(0).nullish().describe('Who returned in it; without it, all members of the cohort'),
    ...lineOfCell,
  })
  .meta({ id: 'CohortCell' });
const listCell = z.object({}).meta({ id: 'ListCell', description: 'Of a list: the users of its rows' });
const cellOfReport = z
  .union([seriesCell, stepCell, cohortCell, listCell])
  .meta({ id: 'ReportCell', description: 'A number of the report, by the type of the report' });

/** The report and the cell of a request, for OpenAPI. The domain checks them. */
export const cellOfNamedReport = { ...namedReport, cell: cellOfReport.nullish() };

export const USERS_LIMIT = { min: 1, max: 200, byDefault: 50 };

export interface UsersRequest extends NamedReport {
  readonly cell?: unknown;
  /** Default 50. */
  readonly limit?: number | null | undefined;
  /** Default 0. */
  readonly offset?: number | null | undefined;
}

/** For OpenAPI; the code relies only on these keys. */
export const usersBody: z.ZodType<UsersRequest> = z
  .object({
    ...cellOfNamedReport,
    limit: z.int().min(USERS_LIMIT.min).max(USERS_LIMIT.max).nullish().describe(`Default ${USERS_LIMIT.byDefault}`),
    offset: z.int().min(0).nullish().describe('Default 0'),
  })
  .meta({ id: 'ReportUsersRequest' });

export const userFieldsAnswer = items(
  z
    .object({
      name: z.string(),
      type: z.enum(['number', 'string', 'date', 'boolean', 'dynamic']).describe('dynamic: each value has its own type'),
      operators: z.array(z.string()),
      separator: z.boolean().describe('Whether a report may be broken down by it'),
      label: z.string().optional().describe('Of a saved segment: its name'),
    })
    .meta({ id: 'UserField' }),
);

export const reportUser = z
  .object({
    user_id: z.int(),
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    username: z.string().nullable(),
    language_code: z.string().nullable(),
    user_status: z.enum(['active', 'blocked', 'deactivated']).nullable().describe('Null: not known, or erased'),
    date_create: timestamp.nullable(),
    date_last_active: timestamp.nullable(),
  })
  .meta({ id: 'ReportUser' });
export const usersAnswer = answer(
  z
    .object({
      count: z.int().describe('Users of the cell; without limit and offset'),
      users: z.array(reportUser),
      data_as_of: timestamp.describe('What was received up to then has been counted'),
    })
    .meta({ id: 'ReportUsers' }),
);

export type UserField = z.infer<typeof userFieldsAnswer>['data']['items'][number];
export type UsersOfCell = z.infer<typeof usersAnswer>['data'];
