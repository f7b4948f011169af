import type { Schemas } from '../../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { openOrLog } from '../../server/secrets/secret-box.js';
import type { CodeHostAccess } from './code-host.js';
import { findCredential, secretContext } from './integrations.store.js';
import { unreadableToken } from './unreadable-token.js';

/** How to ask the code host of an integration now, or a reason for users why it cannot be asked. */
export type OpenedAccess = { readonly provider: Schemas['CodeHost'] } & (
  { readonly access: CodeHostAccess } | { readonly failure: string }
);

/**
 * Opens the access token of an integration. An installation of the app gets a new token if the stored one ends soon.
 *
 * @param isKept false: an installation gets a new token in any case, which shows whether it can be used
 * @returns null when the organization has no such integration
 */
export async function openAccess(
  {
    sql,
    secrets,
    log,
    installationTokens,
  }: Pick<PlatformDependencies, 'sql' | 'secrets' | 'log' | 'installationTokens'>,
  orgId: string,
  id: string,
  isKept = true,
): Promise<OpenedAccess | null> {
  const credential = await findCredential(sql, orgId, id);
  if (credential === null) return null;
  const { provider, kind, base_url: baseUrl } = credential;
  const accessBy = (token: string): OpenedAccess => ({ provider, access: { provider, kind, baseUrl, token } });
  if (kind === 'token') {
    const token = openOrLog({ secrets, log }, credential.secret_sealed, secretContext(credential.id));
    return token === null ? { provider, failure: unreadableToken } : accessBy(token);
  }
  const fresh = await installationTokens.fresh({ orgId, id: credential.id }, () => isKept);
  return 'failure' in fresh ? { provider, failure: fresh.failure } : accessBy(fresh.token);
}
