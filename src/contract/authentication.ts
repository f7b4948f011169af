import { TLSSocket } from 'node:tls';
import type { ProblemReply, SchemeUse, SecurityHandler, Verdict } from './contract-types.js';
import { unauthenticated } from '../../generated/contract/problems.js';
import { bearerToken } from './bearer-token.js';
import type { Endpoint, Exchange } from './exchange.js';

/** A security handler as the pipeline sees it; the generated `...Security` interface types each one exactly. */
export type AnySecurityHandler = SecurityHandler<unknown, unknown, Record<string, unknown>>;

/**
 * Authenticates the caller (401). An operation that also serves anonymous callers treats an invalid credential as a
 * missing one, as alternatives in OpenAPI's `security` require.
 */
export async function authenticate(
  exchange: Exchange<Endpoint>,
  handlers: Readonly<Record<string, AnySecurityHandler>>,
): Promise<Verdict<unknown>> {
  const { anonymous, schemes } = exchange.route.security;
  const token = bearerToken(exchange.request.headers.authorization);
  const scheme = schemeOf(schemes, token);
  if (scheme === undefined) return { principal: null };
  const credential = scheme.kind === 'bearer' ? token : tlsSocket(exchange);
  const handler = handlerOf(scheme, handlers);
  const verdict =
    credential === null
      ? (handler.withoutCredential?.(exchange) ?? missing(scheme.kind))
      : await handler.authenticate(credential, exchange);
  if (anonymous && 'refusal' in verdict) return { principal: null };
  exchange.scheme = scheme;
  return verdict;
}

/** The scheme whose prefix the token has, otherwise the scheme without a prefix. */
function schemeOf(schemes: readonly SchemeUse[], token: string | null): SchemeUse | undefined {
  const hasPrefix = ({ prefix }: SchemeUse): boolean => prefix !== null && token?.startsWith(prefix) === true;
  if (schemes.length < 2) return schemes[0];
  return schemes.find(hasPrefix) ?? schemes.find(({ prefix }) => prefix === null) ?? schemes[0];
}

/** Authorizes the caller (403), and narrows the principal to the type that the scope guarantees. */
export async function authorize(
  exchange: Exchange<Endpoint>,
  principal: unknown,
  params: Readonly<Record<string, unknown>>,
  handlers: Readonly<Record<string, AnySecurityHandler>>,
): Promise<Verdict<unknown>> {
  const { scheme } = exchange;
  if (scheme === null || scheme.scope === null || principal === null) return { principal };
  const texts = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]));
  return handlerOf(scheme, handlers).authorize(principal, scheme.scope, texts);
}

/** Whether a request would be authenticated and authorized again now. */
export async function isStillAuthorized(
  exchange: Exchange<Endpoint>,
  params: Readonly<Record<string, unknown>>,
  handlers: Readonly<Record<string, AnySecurityHandler>>,
): Promise<boolean> {
  const verdict = await authenticate(exchange, handlers);
  return 'principal' in verdict && 'principal' in (await authorize(exchange, verdict.principal, params, handlers));
}

function handlerOf({ name }: SchemeUse, handlers: Readonly<Record<string, AnySecurityHandler>>): AnySecurityHandler {
  const handler = handlers[name];
  if (handler === undefined) throw new Error(`No handler for the security scheme ${name}`);
  return handler;
}

function tlsSocket({ request }: Exchange<Endpoint>): TLSSocket | null {
  return request.socket instanceof TLSSocket ? request.socket : null;
}

function missing(kind: 'bearer' | 'mutualTLS'): { refusal: ProblemReply } {
  const message =
    kind === 'bearer'
      ? 'Send an access token in the Authorization header: Bearer <token>.'
      : 'Connect over TLS with a client certificate.';
  return { refusal: unauthenticated({ message }) };
}
