import { type CatalogSource, rowsOf } from './source.ts';

export interface OwnerRow {
  readonly owner_id: number;
  readonly public_key: string;
  readonly name: string;
  readonly currency: string;
  readonly plan: 'premium' | 'free';
  readonly broadcasts_per_month: number;
}

export function listOwners(source: CatalogSource): Promise<OwnerRow[]> {
  return rowsOf(
    source,
    'list_owners',
    `SELECT owner_id::float8, public_key, name, currency, plan, broadcasts_per_month::float8
     FROM ${source.schema}.owners ORDER BY owners.owner_id`,
  );
}
