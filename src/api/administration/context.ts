import type pg from 'pg';
import type { AdministrationContext } from '../../administration/context.ts';
import type { CatalogSource } from '../../queries/catalog/catalog-source.ts';
import type { WaitForChange } from '../wait-for-change.ts';

/** The dependencies of the routes of operators. */
export interface AdminDependencies {
  readonly context: AdministrationContext;
  /** Connections for the short queries of requests. */
  readonly lookups: pg.Pool;
  readonly catalog: () => Promise<CatalogSource>;
  /** The schema of the read model `events` that answers. */
  readonly events: () => Promise<string>;
  /** Waits until the catalog shows a change. */
  readonly waitForCatalog: WaitForChange;
}
