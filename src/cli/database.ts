import type { Log } from '../../generated/contract.js';
import { startEmbeddedPostgres } from '../database/embedded.js';
import type { PlatformSettings } from '../platform/settings.js';

/** Runs `work` with the address of the database of the settings; the embedded one is started for it if need be. */
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
