import type { IncomingMessage } from 'node:http';
import { cookieValues } from '@plumbline/contract/cookie-values';
import type {
  GetIdentityProvidersHandler,
  StartIdentityLinkHandler,
  StartProviderLoginHandler,
  StartProviderLoginReply,
} from '../../../../generated/platform/operations.js';
import {
  identityProviderFailed,
  identityProviderNotFound,
  type IdentityProviderFailed,
  type IdentityProviderNotFound,
} from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { newOneTimeToken } from '../tokens/token-hash.js';
import { attemptSecrets, ProviderFailure, type IdentityProvider } from './identity-provider.js';
import { attemptSeconds, storeAttempt, type LoginAttempt } from './login-attempts.store.js';
import { refusalOfOldSession } from '../mfa/fresh-proof.js';

export const getIdentityProviders: GetIdentityProvidersHandler<PlatformDependencies> = (
  _request,
  { identityProviders },
) => ({
  status: 200,
  body: { items: [...identityProviders.values()].map(({ id, name }) => ({ provider: id, name })) },
});

export const startProviderLogin: StartProviderLoginHandler<PlatformDependencies> = (
  { params, body, ctx },
  dependencies,
) => startAttempt({ ...params, link: null, returnTo: body.return_to ?? null }, ctx.req, dependencies);

/** A recent session proves the account; the provider proves the identity; the cookie says that both are one person. */
export const startIdentityLink: StartIdentityLinkHandler<PlatformDependencies> = async (
  { params, body, principal, ctx },
  dependencies,
) => {
  const { sql, clock } = dependencies;
  const refusal = await refusalOfOldSession(sql, principal, clock.now(), 'ways to log in');
  if (refusal !== null) return refusal;
  const link = { userId: principal.user_id, sessionId: principal.session_id };
  return startAttempt({ ...params, link, returnTo: body.return_to ?? null }, ctx.req, dependencies);
};

async function startAttempt(
  attempt: LoginAttempt,
  request: IncomingMessage,
  dependencies: PlatformDependencies,
): Promise<Extract<StartProviderLoginReply, { status: 200 }> | IdentityProviderNotFound | IdentityProviderFailed> {
  const provider = dependencies.identityProviders.get(attempt.provider);
  if (provider === undefined) return unknownProvider();
  return beginAttempt(
    attempt,
    { ...provider, redirectUri: redirectUriOf(provider, dependencies) },
    request,
    dependencies,
  );
}

/** A provider of the operator or of an organization, as the log and messages name it. */
export interface NamedProvider {
  readonly id: string;
  readonly name: string;
}

/** Stores an attempt, binds it to the browser, and says where it continues. */
export async function beginAttempt(
  attempt: LoginAttempt,
  provider: NamedProvider & Pick<IdentityProvider, 'authorizationUrl'> & { readonly redirectUri: string },
  request: IncomingMessage,
  dependencies: PlatformDependencies,
): Promise<Extract<StartProviderLoginReply, { status: 200 }> | IdentityProviderFailed> {
  const { sql, clock, random } = dependencies;
  // The tabs of a browser share the cookie: a second attempt must not end the first.
  const [known, ...others] = browserSecrets(request, dependencies);
  const browser = known !== undefined && others.length === 0 ? known : newOneTimeToken(random).token;
  const { token: state } = newOneTimeToken(random);
  let url: URL;
  try {
    url = await provider.authorizationUrl(attemptSecrets(browser, state, provider.redirectUri));
  } catch (error) {
    return failedProvider(error, provider, dependencies);
  }
  await storeAttempt(sql, attempt, { browser, state }, clock.now());
  return {
    status: 200,
    headers: { 'Set-Cookie': cookieOf(browser, dependencies) },
    body: { authorization_url: url.href, expires_in: attemptSeconds },
  };
}

/** The exact address that the operator has registered at the provider. */
export function redirectUriOf({ id }: Pick<IdentityProvider, 'id'>, { appBaseUrl }: PlatformDependencies): string {
  return `${appBaseUrl()}/login/callback/${id}`;
}

export function unknownProvider(): IdentityProviderNotFound {
  return identityProviderNotFound({ message: 'An identity provider with this id is not configured.' });
}

/** Logs why a provider has failed. @throws every other error */
export function failedProvider(
  error: unknown,
  { id, name }: NamedProvider,
  { log }: Pick<PlatformDependencies, 'log'>,
): IdentityProviderFailed {
  if (!(error instanceof ProviderFailure)) throw error;
  log.warn({ provider: id, reason: error.message }, 'a log-in with an identity provider has failed');
  return identityProviderFailed({ message: `${name} cannot be reached, or its answer is invalid. Try again.` });
}

/** The prefix keeps sibling domains from adding a cookie of this name. Browsers accept it only with `Secure`. */
function cookieNameOf({ appBaseUrl }: Pick<PlatformDependencies, 'appBaseUrl'>): string {
  return appBaseUrl().startsWith('http:') ? 'plumbline_login' : '__Host-plumbline_login';
}

/** The secrets of this browser, by which it proves that it has begun an attempt. */
export function browserSecrets(
  request: IncomingMessage,
  dependencies: Pick<PlatformDependencies, 'appBaseUrl'>,
): string[] {
  return cookieValues(request.headers.cookie, cookieNameOf(dependencies)).filter((each) => /^[\w-]{43}$/.test(each));
}

function cookieOf(secret: string, dependencies: Pick<PlatformDependencies, 'appBaseUrl'>): string {
  const name = cookieNameOf(dependencies);
  const secure = name.startsWith('__Host-') ? '; Secure' : '';
  return `${name}=${secret}; Path=/; Max-Age=${attemptSeconds}; HttpOnly; SameSite=Strict${secure}`;
}
