import type { Log } from '@plumbline/contract/contract-types';
import { startEmbeddedPostgres } from '../database/embedded.js';
import type { PlatformSettings } from '../platform/server/settings.js';

/** Runs `work` with the address of the configured database; starts the embedded database if necessary. */
export async function withDatabase(
  settings: PlatformSettings,
  log: Log,
  work: (uri: string) => Promise<void>,
): Promise<void> {
  if (settings.databaseUri !== null) return work(settings.databaseUri);
  const embedded = await startEmbeddedPostgres({ home: settings.home, logger: log });
  try {
    await work(embedded.uri);
  } finally {
    await embedded.stop();
  }
}
