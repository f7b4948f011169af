import type { DatabaseSql } from '../../../database/connection.js';
import type { Clock } from '../../clock.js';
import type { SecretBox } from '../../server/secrets/secret-box.js';
import { secretContext, type InactiveReason } from '../integrations/integrations.store.js';
import { findToken, noteActivity, storeToken } from './app-installations.store.js';
import type { HostApp, HostRefusal, InstallationToken } from './host-app.js';

/** Tokens of the installations of the app. */
export interface InstallationTokens {
  /**
   * A token of an integration that is good for some minutes at least. Servers share it through the database. When the
   * host says that the installation is suspended, removed or usable again, that is stored.
   *
   * @param isGood whether the caller can use the stored token; default: it can
   */
  fresh(key: IntegrationKey, isGood?: (token: string) => boolean): Promise<FreshToken>;
}

/** Identifies an integration; both must match. */
export interface IntegrationKey {
  readonly orgId: string;
  readonly id: string;
}

/** `isPassing`: another attempt may succeed. */
export type FreshToken = InstallationToken | { readonly failure: string; readonly isPassing: boolean };

/** A token is renewed this long before its end, so that no request arrives after it. */
export const renewBeforeMs = 5 * 60_000;

/** @param app null: the operator has removed the app's settings */
export function createInstallationTokens(
  app: HostApp | null,
  { sql, secrets, clock }: { readonly sql: DatabaseSql; readonly secrets: SecretBox; readonly clock: Clock },
): InstallationTokens {
  const opened = (sealed: Uint8Array, id: string): string | null => {
    try {
      return secrets.open(sealed, secretContext(id));
    } catch {
      return null; // SECRETS_KEY has changed: a new token replaces this one
    }
  };
  const note = (installationId: string, reason: InactiveReason | null): Promise<boolean> =>
    sql.begin((transaction) => noteActivity(transaction, installationId, reason, clock.now()));
  return {
    fresh: async (key, isGood = () => true) => {
      const stored = await findToken(sql, key.orgId, key.id);
      if (stored === null) return { failure: 'The integration was disconnected.', isPassing: false };
      const { installation_id: installationId, token_expires_at: expiresAt } = stored;
      if (expiresAt.getTime() - clock.now().getTime() > renewBeforeMs) {
        const token = opened(stored.secret_sealed, key.id);
        if (token !== null && isGood(token)) return { token, expiresAt };
      }
      if (app === null) return { failure: 'This server has no app at the code host any more.', isPassing: false };
      const answer = await app.createToken(installationId);
      if ('refusal' in answer) {
        const { refusal } = answer;
        if (refusal === 'suspended' || refusal === 'removed') await note(installationId, refusal);
        return { failure: failures[refusal], isPassing: refusal === 'unreachable' };
      }
      const { value } = answer;
      const sealed = secrets.seal(value.token, secretContext(key.id));
      await storeToken(sql, { ...key, installationId }, sealed, value.expiresAt);
      await note(installationId, null);
      return value;
    },
  };
}

const failures: Readonly<Record<HostRefusal, string>> = {
  suspended: 'The installation of the app is suspended at the code host. Resume it there.',
  removed: 'The app was removed at the code host. Install it again.',
  refused: 'The code host does not accept the key of the app. Contact the operator.',
  unreachable: 'The code host cannot be reached, or does not answer as expected. Try again later.',
};
