/** Answers the challenge of a registry, with the credentials of `docker login` if there are some. */
import type { OutboundFetch, OutboundRequest } from '@plumbline/contract/outbound/outbound-fetch';
import { objectOf, parseJson, textOf } from '../runtime/json.js';
import type { RegistryAuth } from '../runtime/bridge/registry-auth.js';
import type { Challenge } from './challenge.js';
import { RegistryError } from './errors.js';
import { isLoopback } from './hosts.js';
import { tooLong } from './refusal.js';

interface Question {
  readonly registry: string;
  readonly challenge: Challenge;
  readonly credentials: RegistryAuth | undefined;
  /** What the token is for, if the challenge does not say: `repository:shop:pull,push`. */
  readonly scope: string;
  readonly fetch: OutboundFetch;
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 30_000;
const LARGEST_REPLY = 1024 * 1024;

/**
 * @returns the value of the header `Authorization`; undefined if the registry wants credentials and there are none
 * @throws RegistryError.unauthorized, rateLimited, invalidReply; UnreachableError
 */
export async function authorizationFor(question: Question): Promise<string | undefined> {
  const { challenge, credentials } = question;
  if (challenge.scheme === 'basic') return basic(credentials);
  const realm = tokenServer(question.registry, challenge.realm);
  const { service } = challenge;
  const scope = challenge.scope || question.scope;
  const response =
    credentials?.identitytoken === undefined
      ? await askWithPassword(question, realm, { service, scope })
      : await askWithToken(question, realm, { service, scope, refresh_token: credentials.identitytoken });
  if (response.status === 401 || response.status === 403) {
    throw new RegistryError('unauthorized', `${realm.host} refuses the credentials for ${question.registry}.`);
  }
  if (response.status === 429) {
    throw new RegistryError('rateLimited', `${realm.host} limits the number of requests. Try again later.`);
  }
  const reply = objectOf(parseJson(await response.text()));
  const token = textOf(reply.token) || textOf(reply.access_token);
  if (response.status !== 200 || token === '') {
    throw new RegistryError('invalidReply', `${realm.host} gave no token (status ${response.status}).`);
  }
  return `Bearer ${token}`;
}

function basic(credentials: RegistryAuth | undefined): string | undefined {
  if (credentials?.username === undefined || credentials.username === '') return undefined;
  const { username, password = '' } = credentials;
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** Credentials are sent there, so that it must be encrypted, unless all of it is on this machine. */
function tokenServer(registry: string, realm: string): URL {
  const url = URL.canParse(realm) ? new URL(realm) : undefined;
  if (url !== undefined && (url.username !== '' || url.password !== '')) {
    throw new RegistryError('invalidReply', `${registry} names a token server with a user in its address.`);
  }
  const isPlainHere = url?.protocol === 'http:' && isLoopback(url.host) && isLoopback(registry);
  if (url !== undefined && (url.protocol === 'https:' || isPlainHere)) return url;
  throw new RegistryError('invalidReply', `${registry} names a token server without https.`);
}

/** The token authentication of the Distribution project. Without credentials the token is for everybody. */
function askWithPassword(question: Question, realm: URL, wanted: Readonly<Record<string, string>>): Promise<Response> {
  const { credentials } = question;
  const url = new URL(realm);
  for (const [name, value] of Object.entries(wanted)) url.searchParams.set(name, value);
  if (credentials?.username) url.searchParams.set('account', credentials.username);
  const authorization = basic(credentials);
  return ask(question, url, { headers: authorization === undefined ? {} : { authorization } });
}

/** The OAuth 2 form of the same, for a token that stands in place of a password. */
function askWithToken(question: Question, realm: URL, wanted: Readonly<Record<string, string>>): Promise<Response> {
  const form = new URLSearchParams({ grant_type: 'refresh_token', client_id: 'plumbline', ...wanted });
  return ask(question, realm, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  });
}

async function ask(
  { fetch, signal }: Question,
  url: URL,
  request: Pick<OutboundRequest, 'method' | 'headers' | 'body'>,
): Promise<Response> {
  try {
    return await fetch(url.href, { ...request, signal, timeoutMs: TIMEOUT_MS, maxBytes: LARGEST_REPLY });
  } catch (error) {
    throw tooLong(url.host, LARGEST_REPLY, error) ?? error;
  }
}
