import type { Failure, ProblemDocument } from './result.js';

/** The server returned a problem. Thrown by `unwrap` and `paginate`; calls return it as a value. */
export class PlumblineError extends Error {
  override readonly name = 'PlumblineError';
  readonly status: number;
  readonly problem: ProblemDocument;
  readonly requestId: string | null;
  readonly headers: Headers;

  constructor(failure: Failure) {
    const { status, problem, requestId, headers } = failure;
    super(`${status} ${problem.title}: ${problem.message}${requestId === null ? '' : ` (request ${requestId})`}`);
    this.status = status;
    this.problem = problem;
    this.requestId = requestId;
    this.headers = headers;
  }
}

/** There was no reply: the server is unreachable, or the connection broke. `cause` is the error of fetch. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';

  /** The server: host name and port. */
  readonly host: string;

  /**
   * @param operation method and path template
   * @param url the request's URL. Only its host is used, because its query may contain a secret.
   */
  constructor(operation: string, url: string, cause: unknown) {
    const { host } = new URL(url);
    super(`${operation}: the connection to ${host} failed before the reply was complete`, { cause });
    this.host = host;
  }
}

/** There was no complete reply within the time limit of one attempt. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
  readonly timeoutMs: number;

  constructor(operation: string, timeoutMs: number) {
    super(`${operation}: no complete reply within ${timeoutMs} ms`);
    this.timeoutMs = timeoutMs;
  }
}

/** The server has another major version of the API than this client. */
export class ApiVersionError extends Error {
  override readonly name = 'ApiVersionError';
  /** The server's version of the API. */
  readonly served: string;
  /** The version that this client was generated from. */
  readonly expected: string;

  constructor(operation: string, served: string, expected: string) {
    super(
      `${operation}: the server has version ${served} of the API, and this client is for ${expected}. Install the version of @plumbline/sdk that fits the server`,
    );
    this.served = served;
    this.expected = expected;
  }
}

/** A reply that the contract does not document, such as a proxy's error page. */
export class UnexpectedReplyError extends Error {
  override readonly name = 'UnexpectedReplyError';
  readonly status: number;
  readonly contentType: string | null;
  readonly requestId: string | null;

  constructor(operation: string, response: Response, cause?: unknown) {
    const contentType = response.headers.get('content-type');
    super(`${operation}: the reply (${response.status}, ${contentType ?? 'no content type'}) is not in the contract`, {
      cause,
    });
    this.status = response.status;
    this.contentType = contentType;
    this.requestId = response.headers.get('x-request-id');
  }
}
