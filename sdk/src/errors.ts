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

  /** @param operation method and path template; never the URL, whose query may contain a secret */
  constructor(operation: string, cause: unknown) {
    super(`${operation}: the connection failed before the reply was complete`, { cause });
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
