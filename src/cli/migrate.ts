import { migrate } from '../database/migrate.js';
import { readSettings } from '../platform/server/settings.js';
import type { Environment } from '../platform/server/settings/settings-environment.js';
import { withDatabase } from './database.js';
import { createLog } from './log.js';

/** Applies pending migrations. */
export async function migrateDatabase(environment: Environment): Promise<void> {
  const settings = readSettings(environment);
  const log = createLog('warn', 2);
  await withDatabase(settings, log, async (uri) => {
    const { applied } = await migrate(uri, { logger: log });
    console.log(applied.length === 0 ? 'The database is up to date.' : `Applied migrations ${applied.join(', ')}.`);
  });
}
