import type { Endpoint, Exchange } from './exchange.js';

/** The outcome of one request, for the access log and metrics. */
export interface Served {
  readonly requestId: string;
  /** The operation or the page; null: the request matched none. */
  readonly operationId: string | null;
  readonly method: string;
  /** The template of the path, or {@link unmatchedPath}; never the URL's path, which may contain secrets. */
  readonly path: string;
  readonly status: number;
  readonly durationSeconds: number;
  readonly clientIp: string;
  /**
   * The caller, also of a request that was refused before authentication; null without a valid credential, and where
   * the operation or page takes none.
   */
  readonly principal: unknown;
}

/** Replaces the path of requests that match no route. */
export const unmatchedPath = '(unmatched)';

export interface ServedOptions {
  readonly served: (served: Served) => void;
}

/** Reports a request whose reply has been written. */
export function reportServed(exchange: Exchange<Endpoint>, status: number, { served }: ServedOptions): void {
  const { route, request, requestId, started, clientIp, principal } = exchange;
  served({
    requestId,
    operationId: route.operationId,
    method: request.method ?? 'GET',
    path: route.path,
    status,
    durationSeconds: (performance.now() - started) / 1000,
    clientIp,
    principal,
  });
}
