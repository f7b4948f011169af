import { TLSSocket } from 'node:tls';
import type { ProblemReply, SecurityHandler, Verdict } from '../../generated/contract.js';
import { unauthenticated } from '../../generated/problems.js';
import { bearerToken } from './bearer-token.js';
import type { Endpoint, Exchange } from './exchange.js';

/** A security handler as the pipeline sees it; the generated `...Security` interface types each one exactly. */
export type AnySecurityHandler = SecurityHandler<unknown, unknown, Record<string, unknown>>;

/**
 * Authenticates the caller (401). An operation that also serves anonymous callers treats an invalid credential as none,
 * as alternatives in OpenAPI's `security` require.
 */
export async function authenticate(
  exchange: Exchange<Endpoint>,
  handlers: Readonly<Record<string, AnySecurityHandler>>,
): Promise<Verdict<unknown>> {
  const { anonymous, scheme } = exchange.route.security;
  if (scheme === null) return { principal: null };
  const credential =
    scheme.kind === 'bearer' ? bearerToken(exchange.request.headers.authorization) : tlsSocket(exchange);
  const handler = handlers[scheme.name];
  if (handler === undefined) throw new Error(`No handler for the security scheme ${scheme.name}`);
  const verdict =
    credential === null
      ? (handler.withoutCredential?.(exchange) ?? missing(scheme.kind))
      : await handler.authenticate(credential, exchange);
  return anonymous && 'refusal' in verdict ? { principal: null } : verdict;
}

/** Authorizes the caller (403), and narrows the principal to the type that the scope guarantees. */
export async function authorize(
  exchange: Exchange<Endpoint>,
  principal: unknown,
  params: Readonly<Record<string, unknown>>,
  handlers: Readonly<Record<string, AnySecurityHandler>>,
): Promise<Verdict<unknown>> {
  const { scheme } = exchange.route.security;
  if (scheme === null || scheme.scope === null || principal === null) return { principal };
  const texts = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]));
  const handler = handlers[scheme.name];
  if (handler === undefined) throw new Error(`No handler for the security scheme ${scheme.name}`);
  return handler.authorize(principal, scheme.scope, texts);
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
