import type { IncomingMessage } from 'node:http';
import {
  invalidLoginAttempt,
  providerLoginRefused,
  type IdentityProviderFailed,
  type InvalidLoginAttempt,
  type ProviderLoginRefused,
} from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { attemptSecrets, ProviderRefusal, type AttemptSecrets } from './identity-provider.js';
import { takeAttempt, type LoginAttempt } from './login-attempts.store.js';
import { browserSecrets, failedProvider } from './start-provider-login.js';

/** A provider as an attempt is redeemed with it. */
export interface AttemptProvider<Proof> {
  /** What the attempt is stored under. */
  readonly id: string;
  /** How messages call it at their beginning, and within a sentence. */
  readonly name: string;
  readonly nameInside: string;
  readonly redirectUri: string;
  /**
   * Exchanges the answer for what it proves.
   *
   * @throws ProviderRefusal, ProviderFailure
   */
  prove(callback: URLSearchParams, secrets: AttemptSecrets): Promise<Proof>;
}

/**
 * Redeems the answer that a browser brings from a provider, once.
 *
 * @param answer the query of the redirect address
 */
export async function redeemAttempt<Proof>(
  provider: AttemptProvider<Proof>,
  answer: string,
  request: IncomingMessage,
  dependencies: PlatformDependencies,
): Promise<
  | { readonly attempt: LoginAttempt; readonly proof: Proof }
  | { readonly refusal: InvalidLoginAttempt | ProviderLoginRefused | IdentityProviderFailed }
> {
  const { sql, clock, log } = dependencies;
  const { id, name, nameInside, redirectUri } = provider;
  const callback = new URLSearchParams(answer);
  const state = callback.get('state') ?? '';
  const browsers = browserSecrets(request, dependencies);
  const attempt = await takeAttempt(sql, { provider: id, state, browsers }, clock.now());
  if (attempt === null) return { refusal: invalidAttempt() };
  try {
    return { attempt, proof: await provider.prove(callback, attemptSecrets(attempt.browser, state, redirectUri)) };
  } catch (error) {
    if (!(error instanceof ProviderRefusal)) return { refusal: failedProvider(error, provider, dependencies) };
    log.info({ provider: id, reason: error.message }, 'a log-in with an identity provider was refused');
    const message = error.isCancelled
      ? `The log-in was cancelled at ${nameInside}.`
      : `${name} has refused the log-in. Start again.`;
    return { refusal: providerLoginRefused({ message }) };
  }
}

export function invalidAttempt(): InvalidLoginAttempt {
  return invalidLoginAttempt({ message: 'The log-in has expired, or was begun in another browser. Start again.' });
}
