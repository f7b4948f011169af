/** The members of all problems (RFC 9457). The generated types of an API add the members of each case. */
export interface ProblemDocument {
  /** `/problems/<slug>`: the code for programs. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** What happened, for people to read. */
  readonly message: string;
  readonly request_id: string;
}

/** A documented reply that is not a problem. */
export interface Success<Status extends number = number, Data = unknown> {
  readonly ok: true;
  readonly status: Status;
  readonly data: Data;
  readonly problem?: never;
  readonly headers: Headers;
  /** `X-Request-Id` of the reply. Quote it when you report a failure. */
  readonly requestId: string | null;
  /** The reply itself. Its body has been read; that of a stream is read by iterating over `data`. */
  readonly response: Response;
}

/** A documented error. */
export interface Failure<Status extends number = number, Problem extends ProblemDocument = ProblemDocument> {
  readonly ok: false;
  readonly status: Status;
  readonly problem: Problem;
  readonly data?: never;
  readonly headers: Headers;
  /** `X-Request-Id` of the reply. Quote it when you report a failure. */
  readonly requestId: string | null;
  /** The reply itself. Its body has been read. */
  readonly response: Response;
}

export type AnyResult = Success | Failure;

/** The data of a successful result. */
export type DataOf<Result extends AnyResult> = Extract<Result, { ok: true }>['data'];
