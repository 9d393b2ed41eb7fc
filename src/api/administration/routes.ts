import type { AnyRoute } from '../route.ts';
import type { AdminDependencies } from './administration-options.ts';
import { deadLetterRoutes } from './dead-letter-routes.ts';
import { inspectionRoutes } from './inspection-routes.ts';
import { jobRoutes } from './job-routes.ts';
import { overviewRoutes } from './overview-routes.ts';
import { projectionRoutes } from './projections.ts';

/**
 * The routes of operators. Never among them: copies of the log, restore, backup, erasure, and keys of others
 * (decisions.md#admin-api).
 */
export function adminRoutes(dependencies: AdminDependencies): AnyRoute[] {
  return [
    ...projectionRoutes(dependencies),
    ...deadLetterRoutes(dependencies),
    ...overviewRoutes(dependencies),
    ...jobRoutes(dependencies),
    ...inspectionRoutes(dependencies),
  ];
}
