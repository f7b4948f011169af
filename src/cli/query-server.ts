/** Queries a server, with a service token. */
import { isObject, type Json, type JsonObject } from './query-rows.js';
import type { Ask } from './query-session.js';
import { UsageError } from './work-units.js';
import { fetchFailure } from '../system/fetch-failure.js';

/** Slightly longer than the server's limit for one query. */
const timeoutMs = 60_000;

/**
 * Runs `work` with queries of a server, for the organization of the token.
 *
 * @throws UsageError when the address or the token is missing or refused, or a query is invalid
 */
export async function withServer(server: string, token: string, work: (ask: Ask) => Promise<void>): Promise<void> {
  const address = URL.canParse(server) ? new URL(server) : null;
  const isPlain = address !== null && /^https?:$/.test(address.protocol) && !/[@?#]/.test(server);
  if (!isPlain) {
    throw new UsageError(
      '--server must be the address of a server, such as https://plumbline.example.com, and nothing else',
    );
  }
  // A token that is invalid in a header must not appear in an error message.
  if (!/^[\w.~+/-]+$/.test(token)) throw new UsageError('set PLUMBLINE_TOKEN to a service token with analytics:read');
  const base = server.replace(/\/+$/, '');
  const send = (path: string, body?: object): Promise<JsonObject> => exchange(`${base}${path}`, token, body);
  const { org_id: orgId } = await send('/api/v1/service-tokens/current');
  if (typeof orgId !== 'string') throw new Error(`${address.origin} does not say whose token this is.`);
  await work(async (query, variables) => {
    const path = `/graphql?org_id=${encodeURIComponent(orgId)}`;
    const { data = null } = await send(path, { query, variables: { ...variables, orgId } });
    if (!isObject(data)) throw new Error('The server answered without data.');
    return data;
  });
}

async function exchange(url: string, token: string, body: object | undefined): Promise<JsonObject> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      Accept: 'application/json',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    redirect: 'error', // a redirect would send the token to another server
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: unknown) => {
    throw new Error(`${new URL(url).origin} cannot be reached: ${fetchFailure(error)}`, { cause: error });
  });
  const reply = (await response.json().catch(() => null)) as Json; // JSON.parse returns JSON values only
  if (!isObject(reply)) throw new Error(`${new URL(url).origin} answered ${response.status}, and no JSON object.`);
  const faults = messagesOf(reply);
  if (response.ok && faults.length === 0) return reply;
  const message = faults.join('\n') || `The server answered ${response.status}.`;
  throw response.status < 500 ? new UsageError(message) : new Error(message);
}

/** The messages of a problem, or of GraphQL errors. */
function messagesOf({ errors, message }: JsonObject): string[] {
  if (typeof message === 'string') return [message];
  if (!Array.isArray(errors)) return [];
  return errors.map((each: Json) =>
    isObject(each) && typeof each['message'] === 'string' ? each['message'] : 'An error.',
  );
}
