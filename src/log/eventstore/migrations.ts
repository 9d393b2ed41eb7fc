import type { Migrations } from '../../database/migrate.ts';
import { indexTables } from '../validated/index-schema.ts';

/** The schema of the index of an EventStoreDB log (validated/index-schema.ts). */
export const SCHEMA = 'eventstore_index';

export const migrations: Migrations = { '0001_index': indexTables(SCHEMA) };
