import { createHmac } from 'node:crypto';
import type { IdentityProviderSettings } from '../../server/settings/identity-provider-settings.js';

/** An account of an identity provider, as the provider has just proved it. */
export interface ProvenIdentity {
  readonly issuer: string;
  /** Identifies the account at the issuer, for ever. */
  readonly subject: string;
  /** Normalized; null: the provider does not say that the account has a verified address. */
  readonly email: string | null;
  readonly fullName: string | null;
}

/** What only the browser that began an attempt, and this server, know. */
export interface AttemptSecrets {
  readonly state: string;
  readonly nonce: string;
  /** The PKCE code verifier (RFC 7636). */
  readonly verifier: string;
  /** The exact address to which the provider sends the browser. */
  readonly redirectUri: string;
}

export interface IdentityProvider extends Pick<IdentityProviderSettings, 'id' | 'name'> {
  /**
   * The address at the provider at which a log-in begins.
   *
   * @throws ProviderFailure
   */
  authorizationUrl(secrets: AttemptSecrets): Promise<URL>;
  /**
   * Exchanges the answer of the provider for the identity that it proves.
   *
   * @param callback the query of the redirect address
   * @throws ProviderRefusal, ProviderFailure
   */
  identify(callback: URLSearchParams, secrets: AttemptSecrets): Promise<ProvenIdentity>;
}

/** The answer that the browser has brought proves nothing. `isCancelled`: the user did not agree. */
export class ProviderRefusal extends Error {
  override readonly name = 'ProviderRefusal';
  readonly isCancelled: boolean;
  constructor(message: string, isCancelled: boolean) {
    super(message);
    this.isCancelled = isCancelled;
  }
}

/**
 * The provider cannot be reached, or its reply is invalid. The message is for the log. It has no cause: the errors of the
 * library contain replies, and so tokens.
 */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
}

/**
 * Derives what protects an attempt from the secret in the cookie and the state, so that the database need not store it.
 *
 * @param browser the secret in the cookie
 */
export function attemptSecrets(browser: string, state: string, redirectUri: string): AttemptSecrets {
  const derived = (purpose: string): string =>
    createHmac('sha256', browser).update(`${purpose} ${state}`).digest('base64url');
  return { state, nonce: derived('nonce'), verifier: derived('verifier'), redirectUri };
}
