/** The span of a request: named by its operation, a child of the caller's span if there is one. */
import { METHODS, type IncomingMessage } from 'node:http';
import { currentSpan, inSpan, tracer } from './system/tracing.js';
import type { Served } from './served.js';

/** Serves a request in a span, if tracing is on. */
export function inRequestSpan(request: IncomingMessage, serve: () => Promise<void>): Promise<void> {
  if (tracer() === null) return serve();
  const { method = '' } = request;
  const name = METHODS.includes(method) ? method : '_OTHER';
  return inSpan(name, { kind: 'server', attributes: { 'http.request.method': name } }, serve, request.headers);
}

/** Adds the outcome to the span of the request, and its name: the operation, otherwise the template of the path. */
export function describeServed({ operationId, method, path, status, requestId }: Served): void {
  const span = currentSpan();
  if (span === null) return;
  span.name(operationId ?? `${method} ${path}`);
  span.set('http.route', path);
  span.set('http.response.status_code', status);
  span.set('plumbline.request_id', requestId);
  if (status >= 500) span.fail(String(status));
}
