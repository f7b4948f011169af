import { openDatabase, type Database } from '../database/connection.js';
import { migrate } from '../database/migrate.js';
import type { PlatformSettings } from '../platform/server/settings.js';
import { withDatabase } from './database.js';
import { createLog } from './log.js';

/** Runs `work` with the configured database, migrated to this version, and its address. */
export async function withOpenDatabase(
  settings: PlatformSettings,
  work: (database: Database, uri: string) => Promise<void>,
): Promise<void> {
  const log = createLog('warn', 2);
  await withDatabase(settings, log, async (uri) => {
    await migrate(uri, { logger: log });
    const database = openDatabase(uri, { logger: log });
    try {
      await work(database, uri);
    } finally {
      await database.close();
    }
  });
}
