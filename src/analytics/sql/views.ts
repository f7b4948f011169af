/**
 * The views over records and work units that readers with SQL see. Names, types and meanings are a contract: SQL.md
 * documents them, and a test compares it with this list. A release adds columns and views; it renames none.
 *
 * Persons are the authors of work units, as the Analytics API shows them, and never the names and addresses of commits.
 */
import { RECORD_VIEWS } from './record-views.js';
import { UNIT_VIEWS } from './unit-views.js';
import type { View } from './view-columns.js';

/** The schema, or database, of the views. */
export const SQL_SCHEMA = 'plumbline_sql';

export const VIEWS: readonly View[] = [...UNIT_VIEWS, ...RECORD_VIEWS];
