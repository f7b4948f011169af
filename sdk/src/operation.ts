import type { ProblemDocument } from './result.js';

/** An operation of a contract as data, as the generated functions pass it to the client. */
export interface Operation {
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'patch' | 'head' | 'options';
  /** The path as the contract writes it: `/things/{thing_id}`. */
  readonly path: string;
  /** The documented statuses whose body is not a problem. */
  readonly statuses: readonly number[];
  /** How the body of such a reply is parsed; absent if there is no body. */
  readonly format?: ReplyFormat;
  /** The operation is safe although its method is not, so it may be retried. */
  readonly readsOnly?: boolean;
  /** The client sends an idempotency key, so the operation may be retried. */
  readonly keyed?: boolean;
  /** Reads an error that has the form of another standard than problems; null: it is none. Absent: errors are problems. */
  readonly problemOf?: (content: unknown, requestId: string) => ProblemDocument | null;
  /** The media type of the request body; absent for `application/json`. */
  readonly sends?: string;
  /** The security scheme whose bearer token the operation requires. */
  readonly scheme?: string;
  /** Where a reply may contain a token pair: it is one, or has one as its property `tokens`. */
  readonly issues?: 'reply' | 'tokens';
}

export interface ReplyFormat {
  readonly mediaType: string;
  /** How openapi-fetch parses the body before `decode`. */
  readonly parseAs: 'json' | 'text' | 'stream';
  readonly decode?: (stream: ReadableStream<Uint8Array>, context: StreamContext) => AsyncIterable<unknown>;
}

/** The context of errors in a stream. */
export interface StreamContext {
  readonly operation: string;
  /** The request's. */
  readonly url: string;
  readonly response: Response;
  readonly signal: AbortSignal | undefined;
  /**
   * Sends the request again after a pause, to resume a stream of events.
   *
   * @param lastEventId the id of the latest event that was received; null: none was
   * @param pauseMs the longest pause; up to half of it is left out at random
   * @returns null when there are no further events
   */
  readonly resume: (lastEventId: string | null, pauseMs: number) => Promise<ReadableStream<Uint8Array> | null>;
}

/** Options of any call. */
export interface CallOptions {
  /** Additional headers; they take precedence over those of the client. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** Aborts the call, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Time limit of one attempt in milliseconds, instead of the client's. */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of retries, instead of the client's. */
  readonly retries?: number | undefined;
}

/** Options of a call that is sent with an idempotency key, so that it takes effect once however often it is sent. */
export interface KeyedCallOptions extends CallOptions {
  /**
   * The key, of 1 to 255 printable ASCII characters (default: a random one for each call). Give one to repeat a call
   * later, for example after a restart of your program. The server keeps it for 24 hours.
   */
  readonly idempotencyKey?: string | undefined;
}

/** Options of a call whose reply contains tokens. */
export interface TokenCallOptions extends CallOptions {
  /** Whether the client adopts the tokens of the reply (default true). */
  readonly adoptTokens?: boolean | undefined;
}

/** A request of any operation; the generated interfaces have the exact types. */
export interface AnyRequest extends TokenCallOptions, KeyedCallOptions {
  readonly params?: object | undefined;
  readonly query?: object | undefined;
  readonly body?: unknown;
}

/** The parameters of a query or of headers, where an absent one may also be given as undefined. */
export type Parameters<All> = {
  readonly [Name in keyof All]: Partial<Pick<All, Name>> extends Pick<All, Name> ? All[Name] | undefined : All[Name];
};

/** The name of an operation in messages. */
export function nameOf(operation: Operation): string {
  return `${operation.method.toUpperCase()} ${operation.path}`;
}
