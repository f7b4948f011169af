import { join } from 'node:path';
import { usableBinaries } from '../../../database/embedded/binaries.js';
import { serverAccount } from '../../../database/embedded/account.js';
import type { PlatformSettings } from '../settings.js';
import { checkAnalytics } from './analytics-checks.js';
import { checkDatabase } from './database-checks.js';
import { checkExposure } from './exposure-checks.js';
import { findingsOf, reasonOf, type Finding } from './finding.js';
import { checkIdentityProviders } from './identity-provider-checks.js';
import { checkHome, checkKeyFile, checkMail, checkPort } from './machine-checks.js';

/**
 * Checks the requirements of a server with these settings. Changes nothing, except that a missing PLUMBLINE_HOME is
 * created.
 */
export async function examine(settings: PlatformSettings): Promise<Finding[]> {
  const home = await checkHome(settings);
  const { finding: keyFile, key } = await checkKeyFile(settings);
  const { databaseUri } = settings;
  const database =
    databaseUri === null ? [await checkEmbedded(settings)] : await checkDatabase({ ...settings, databaseUri }, key);
  const [port, analytics, mail, providers] = await Promise.all([
    checkPort(settings),
    checkAnalytics(settings),
    checkMail(settings),
    checkIdentityProviders(settings),
  ]);
  return [...home, keyFile, ...database, ...analytics, port, ...checkExposure(settings), mail, ...providers];
}

async function checkEmbedded({ home }: PlatformSettings): Promise<Finding> {
  const { ok, failed } = findingsOf('database');
  try {
    await usableBinaries(serverAccount(join(home, 'postgres', 'data')));
    return ok('DATABASE_URI is not set: the embedded PostgreSQL is used, and it runs on this machine.');
  } catch (error) {
    return failed(reasonOf(error), 'Set DATABASE_URI to a PostgreSQL server.');
  }
}
