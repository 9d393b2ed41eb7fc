import type { AdministrationContext } from '../../administration/administration-context.ts';
import type { Reader } from '../../projections/reader.ts';
import type { FindCaughtUp } from '../find-caught-up.ts';
import type { WaitForChange } from '../wait-for-change.ts';

/** The dependencies of the routes of operators. */
export interface AdminDependencies {
  readonly context: AdministrationContext;
  /** Connections for the short queries of requests. */
  readonly db: Reader;
  /** Waits until the catalog shows a change. */
  readonly waitForCatalog: WaitForChange;
  /** Looks up in the catalog. */
  readonly findCaughtUp: FindCaughtUp;
}
