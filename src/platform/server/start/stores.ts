import { openDatabase, type Database } from '../../../database/connection.js';
import { startEmbeddedPostgres } from '../../../database/embedded.js';
import { migrate } from '../../../database/migrate.js';
import type { SecretBox } from '../secrets/secret-box.js';
import { assertSameSecretsKey, loadSecretBox } from '../secrets/secrets-key.js';
import { waitForDatabase } from './database-wait.js';
import type { Startup } from './startup.js';

/** The database of the Platform, and the box that encrypts secrets in it. */
export interface Stores {
  /** The address of the database. */
  readonly uri: string;
  readonly database: Database;
  readonly secrets: SecretBox;
}

/**
 * Opens the database (embedded unless the settings name one) and migrates it.
 *
 * @throws SettingError when the key of the secrets does not match the database
 */
export async function openStores(startup: Startup): Promise<Stores> {
  const { settings, log, stops } = startup;
  const uri = settings.databaseUri ?? (await startEmbeddedDatabase(startup));
  await waitForDatabase(() => migrate(uri, { logger: log }), {
    ...{ seconds: settings.databaseWaitSeconds, signal: startup.ending, log },
  });
  const database = openDatabase(uri, { logger: log, maxConnections: settings.databaseConnections });
  stops.push(() => database.close());
  const secrets = await loadSecretBox(settings);
  await assertSameSecretsKey(database.sql, secrets);
  return { uri, database, secrets };
}

async function startEmbeddedDatabase({ settings, log, stops }: Startup): Promise<string> {
  const embedded = await startEmbeddedPostgres({ home: settings.home, logger: log });
  stops.push(() => embedded.stop());
  return embedded.uri;
}
