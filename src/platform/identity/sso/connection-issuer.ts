import type { PlatformDependencies } from '../../dependencies.js';
import { openOrLog } from '../../server/secrets/secret-box.js';
import { ProviderFailure } from '../providers/identity-provider.js';
import { openIdIssuer, type OpenIdIssuer } from '../providers/open-id-issuer.js';
import { secretContext, type SsoConnection } from './sso-connections.store.js';

/** How messages and the log call the provider of an organization. */
export const providerName = 'The identity provider';

/**
 * The provider of a connection. Its issuer is as far from trust as every address that an organization names.
 *
 * @throws ProviderFailure if the client secret cannot be opened
 */
export function issuerOf(
  connection: Pick<SsoConnection, 'id' | 'issuer' | 'client_id' | 'client_secret_sealed'>,
  { outbound, secrets, log }: Pick<PlatformDependencies, 'outbound' | 'secrets' | 'log'>,
): OpenIdIssuer {
  const clientSecret = openOrLog({ secrets, log }, connection.client_secret_sealed, secretContext(connection.id));
  if (clientSecret === null) throw new ProviderFailure('the client secret cannot be opened');
  const { issuer: url, client_id: clientId } = connection;
  return openIdIssuer({ url, clientId, clientSecret, vouchesForAddresses: false }, outbound);
}

/** What the attempts of a connection are stored under, so that an answer cannot be brought to another one. */
export function attemptKey({ id }: Pick<SsoConnection, 'id'>): string {
  return `sso:${id}`;
}

/** The page at which log-ins of an organization begin. */
export function loginPage(orgId: string, { appBaseUrl }: Pick<PlatformDependencies, 'appBaseUrl'>): string {
  return `${appBaseUrl()}/login/sso/${orgId}`;
}

/** The address to which the provider of an organization sends browsers back. Each organization has another one. */
export function callbackPage(orgId: string, dependencies: Pick<PlatformDependencies, 'appBaseUrl'>): string {
  return `${loginPage(orgId, dependencies)}/callback`;
}
