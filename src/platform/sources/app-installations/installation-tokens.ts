import type { Log } from '@plumbline/contract/contract-types';
import type { DatabaseSql, Sql } from '../../../database/connection.js';
import type { Clock } from '../../clock.js';
import { openOrLog, type SecretBox } from '../../server/secrets/secret-box.js';
import { secretContext } from '../integrations/integrations.store.js';
import {
  findAccess,
  noteActivity,
  refreshContext,
  storeAccess,
  type SealedAccess,
  type StoredAccess,
} from './app-installations.store.js';
import type { HostAccess, HostApp } from './host-app.js';
import type { HostApps } from './host-apps.js';

/** Tokens of the integrations by the operator's apps. */
export interface InstallationTokens {
  /**
   * A token of an integration that is good for some minutes at least, or until its end while the host cannot be reached.
   * Servers share it through the database. When the
   * host says that the installation is suspended, removed or usable again, that is stored.
   *
   * @param isGood whether the caller can use the stored token; default: it can
   */
  fresh(key: IntegrationKey, isGood?: (token: string) => boolean): Promise<FreshToken>;
  /** Ends the tokens of an integration at the host, after it is disconnected. A failure is logged. */
  revoke(key: IntegrationKey, stored: StoredAccess): Promise<void>;
}

/** Identifies an integration; both must match. */
export interface IntegrationKey {
  readonly orgId: string;
  readonly id: string;
}

/** `isPassing`: another attempt may succeed. */
export type FreshToken =
  Pick<HostAccess, 'token' | 'expiresAt'> | { readonly failure: string; readonly isPassing: boolean };

/** A token is renewed this long before its end, so that no request arrives after it. */
export const renewBeforeMs = 5 * 60_000;

type Transact = <Result>(run: (sql: Sql) => Promise<Result>) => Promise<Result>;

/** @param apps null at a host: the operator has removed the app's settings */
export function createInstallationTokens(
  apps: HostApps,
  {
    sql,
    secrets,
    clock,
    log,
  }: {
    readonly sql: DatabaseSql;
    readonly secrets: SecretBox;
    readonly clock: Clock;
    readonly log: Log;
  },
): InstallationTokens {
  /** @returns null also if SECRETS_KEY has changed: a new token replaces this one, or the integration is connected again */
  const opened = (sealed: Uint8Array | null, context: string): string | null =>
    sealed === null ? null : openOrLog({ secrets, log }, sealed, context);

  /** The stored token if it can be used. @param remainingMs it must be valid for longer than this */
  const usable = (
    stored: StoredAccess,
    id: string,
    isGood: (token: string) => boolean,
    remainingMs = renewBeforeMs,
  ): FreshToken | null => {
    const { secret_sealed: sealed, token_expires_at: expiresAt } = stored;
    if (expiresAt.getTime() - clock.now().getTime() <= remainingMs) return null;
    const token = opened(sealed, secretContext(id));
    return token !== null && isGood(token) ? { token, expiresAt } : null;
  };

  const renewed = async (
    app: HostApp,
    key: IntegrationKey,
    stored: StoredAccess,
    isGood: (token: string) => boolean,
    transact: Transact,
  ): Promise<FreshToken> => {
    const { installation_id: installationId, refresh_sealed: refreshSealed } = stored;
    const connected = installationId === null ? { integrationId: key.id } : { installationId };
    const refreshToken = opened(refreshSealed, refreshContext(key.id));
    const answer = await app.renew({ installationId, refreshToken });
    if ('refusal' in answer) {
      const { refusal } = answer;
      if (refusal === 'suspended' || refusal === 'removed') {
        await transact((transaction) => noteActivity(transaction, connected, refusal, clock.now()));
      }
      if (refusal !== 'unreachable') return { failure: app.failures[refusal], isPassing: false };
      // The stored token still works, and the host may answer again before it ends.
      return usable(stored, key.id, isGood, 0) ?? { failure: app.failures[refusal], isPassing: true };
    }
    const sealed = sealAccess(secrets, key.id, answer.value);
    await transact(async (transaction) => {
      await storeAccess(transaction, { ...key, installationId }, sealed);
      await noteActivity(transaction, connected, null, clock.now());
    });
    const { token, expiresAt } = answer.value;
    return { token, expiresAt };
  };

  /** The renewals at work, by integration. */
  const renewals = new Map<string, Promise<FreshToken>>();

  return {
    fresh: async (key, isGood = () => true) => {
      const gone = { failure: 'The integration was disconnected.', isPassing: false };
      const stored = await findAccess(sql, key.orgId, key.id);
      if (stored === null) return gone;
      const good = usable(stored, key.id, isGood);
      if (good !== null) return good;
      const app = apps[stored.provider];
      if (app === null) return { failure: 'This server has no app at the code host any more.', isPassing: false };
      if (!app.isRenewedOnce) return renewed(app, key, stored, isGood, (run) => sql.begin(run));
      // Callers at this server wait here, because each that waits for the lock has a connection of the database.
      for (let other = renewals.get(key.id); other !== undefined; other = renewals.get(key.id)) {
        const answer = await other;
        if ('failure' in answer || isGood(answer.token)) return answer;
      }
      const renewal = sql.begin(async (transaction) => {
        // Another server may have renewed it while this one waited for the lock.
        const latest = await findAccess(transaction, key.orgId, key.id, true);
        if (latest === null) return gone;
        const current = usable(latest, key.id, isGood);
        return current ?? renewed(app, key, latest, isGood, (run) => run(transaction));
      });
      renewals.set(key.id, renewal);
      return renewal.finally(() => renewals.delete(key.id));
    },
    revoke: async ({ orgId, id }, { provider, refresh_sealed: refreshSealed }) => {
      const refreshToken = opened(refreshSealed, refreshContext(id));
      if (refreshToken === null || (await apps[provider]?.revoke({ refreshToken })) === true) return;
      log.warn({ integration_id: id, org_id: orgId }, 'the tokens of an integration could not be revoked at the host');
    },
  };
}

/** Encrypts the tokens of an integration. */
export function sealAccess(
  secrets: Pick<SecretBox, 'seal'>,
  integrationId: string,
  { token, refreshToken, expiresAt }: HostAccess,
): SealedAccess {
  return {
    sealedToken: secrets.seal(token, secretContext(integrationId)),
    sealedRefreshToken: refreshToken === null ? null : secrets.seal(refreshToken, refreshContext(integrationId)),
    tokenExpiresAt: expiresAt,
  };
}
