import { faultOfEmail } from '@plumbline/contract/email-address';
import { isLoopbackName } from '@plumbline/contract/local-request';
import { normalizeEmail } from '@plumbline/contract/normalization';
import { UnreachableError, type OutboundFetch } from '@plumbline/contract/outbound/outbound-fetch';
import type * as OpenIdClient from 'openid-client';
import { ProviderFailure, ProviderRefusal, type AttemptSecrets, type ProvenIdentity } from './identity-provider.js';

/** A person waits for each call. */
export const callTimeoutMs = 10_000;
/** The replies are some kilobytes. */
export const maxReplyBytes = 1_000_000;

/** The library; it loads when it is first needed. */
export const openIdClient = (): Promise<typeof OpenIdClient> => import('openid-client');

/** Sends the requests of the library, with a limit of time and size. */
export function customFetchOf(outbound: OutboundFetch): OpenIdClient.CustomFetch {
  return (url, { method, headers, body, signal }) =>
    outbound(url, {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      ...(body instanceof URLSearchParams && { body: body.toString() }),
      signal: signal ?? new AbortController().signal,
      timeoutMs: callTimeoutMs,
      maxBytes: maxReplyBytes,
    });
}

/** Prepares a configuration of the library for an issuer. Plain http is allowed on this machine only. */
export function preparationsFor(
  client: typeof OpenIdClient,
  issuer: URL,
): ((configuration: OpenIdClient.Configuration) => void)[] {
  // The signature of an ID token is checked although TLS has proved who sent it: one more thing that must fit.
  const always = [client.enableNonRepudiationChecks];
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so only to make it stand out
  return isLoopbackName(issuer.hostname) ? [client.allowInsecureRequests, ...always] : always;
}

/**
 * Exchanges the code of a callback for tokens. State, issuer (RFC 9207), PKCE, and the ID token with its nonce are
 * checked by the library.
 *
 * @throws ProviderRefusal if the callback itself is invalid, or its code; ProviderFailure
 */
export async function exchangeCode(
  client: typeof OpenIdClient,
  { configuration, outbound }: { readonly configuration: OpenIdClient.Configuration; readonly outbound: OutboundFetch },
  callback: URLSearchParams,
  { state, nonce, verifier, redirectUri }: AttemptSecrets,
  idTokenExpected: boolean,
): ReturnType<typeof OpenIdClient.authorizationCodeGrant> {
  const send = customFetchOf(outbound);
  let isSent = false;
  configuration[client.customFetch] = (...call) => {
    isSent = true;
    return send(...call);
  };
  const checks = { expectedState: state, pkceCodeVerifier: verifier };
  const tokens = client.authorizationCodeGrant(
    configuration,
    new URL(`${redirectUri}?${callback.toString()}`),
    idTokenExpected ? { ...checks, expectedNonce: nonce, idTokenExpected } : checks,
    undefined,
  );
  return tokens.catch((error: unknown) => {
    if (error instanceof client.AuthorizationResponseError) {
      throw new ProviderRefusal(error.error, error.error === 'access_denied');
    }
    const code = oauthErrorOf(client, error);
    if (code !== null && invalidCodes.includes(code)) throw new ProviderRefusal(code, false);
    // Before the code is sent, only what the browser has brought can be wrong.
    if (!isSent) throw new ProviderRefusal(reasonOf(error), false);
    throw failureOf(error);
  });
}

/** What providers call a code that was used, or that the verifier does not fit. The second one is GitHub's. */
const invalidCodes: readonly string[] = ['invalid_grant', 'bad_verification_code'];

/**
 * The error code with which a server has answered a request for tokens (RFC 6749, section 5.2); null: another error. GitLab
 * also names it in the header WWW-Authenticate, which the library reads first.
 */
export function oauthErrorOf(client: typeof OpenIdClient, error: unknown): string | null {
  if (error instanceof client.ResponseBodyError) return error.error;
  if (!(error instanceof client.WWWAuthenticateChallengeError)) return null;
  const codes = error.cause.map(({ parameters }) => parameters.error);
  return codes.find((code) => code !== undefined) ?? 'unknown';
}

/** What a failed call means, without the reply. */
export function failureOf(error: unknown): ProviderFailure {
  return new ProviderFailure(reasonOf(error));
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.cause instanceof UnreachableError) return error.cause.message;
  const code: unknown = Reflect.get(error, 'error') ?? Reflect.get(error, 'code'); // that of OAuth, or of the library
  return (typeof code === 'string' ? `${error.message} (${code})` : error.message).slice(0, 500);
}

/** The address of an identity in the form in which accounts have it; null if accounts cannot have it. */
export function verifiedEmail(address: unknown, isVerified: boolean): string | null {
  if (typeof address !== 'string' || !isVerified) return null;
  const email = normalizeEmail(address);
  return email.length <= 254 && emailFormat.test(email) && faultOfEmail(email) === null ? email : null;
}

/** The format `email` of the contract, for a normalized address. */
const emailFormat =
  /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*@([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;

/** The name of an identity as accounts can have it. */
export function nameOf(name: unknown): ProvenIdentity['fullName'] {
  if (typeof name !== 'string') return null;
  const text = name.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return text === '' ? null : Array.from(text).slice(0, 100).join('').trim();
}
