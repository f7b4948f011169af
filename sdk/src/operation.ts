/** What the generated functions hand to the client: one operation of a contract, as data. */
export interface Operation {
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'patch' | 'head' | 'options';
  /** As in the contract: `/things/{thing_id}`. */
  readonly path: string;
  /** The documented statuses whose body is no problem document. */
  readonly statuses: readonly number[];
  /** How the body of such a reply is read; absent where none has a body. */
  readonly format?: ReplyFormat;
  /** It changes nothing, although its method does not say so: it may be repeated. */
  readonly readsOnly?: boolean;
  /** The media type of the request body, which is text; absent for JSON. */
  readonly sends?: string;
  /** The security scheme whose bearer token the operation takes. */
  readonly scheme?: string;
  /** Where a reply may carry a token pair: it is one, or holds one as its property `tokens`. */
  readonly issues?: 'reply' | 'tokens';
}

export interface ReplyFormat {
  readonly mediaType: string;
  /** What openapi-fetch makes of the body before `decode` sees it. */
  readonly parseAs: 'json' | 'text' | 'stream';
  readonly decode?: (stream: ReadableStream<Uint8Array>, context: StreamContext) => AsyncIterable<unknown>;
}

/** What a stream that breaks off is reported with. */
export interface StreamContext {
  readonly operation: string;
  readonly response: Response;
  readonly signal: AbortSignal | undefined;
}

/** What a caller may add to any call. */
export interface CallOptions {
  /** Further headers; they take precedence over those of the client. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** Ends the call; it then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that one attempt may take, instead of the client's. */
  readonly timeoutMs?: number | undefined;
  /** Attempts after the first one, instead of the client's. */
  readonly retries?: number | undefined;
}

/** What a caller may add to a call whose reply carries tokens. */
export interface TokenCallOptions extends CallOptions {
  /** Whether the client goes on with the tokens of the reply (default true). */
  readonly adoptTokens?: boolean | undefined;
}

/** A request as the client sees it; the generated interfaces type each one exactly. */
export interface AnyRequest extends TokenCallOptions {
  readonly params?: object | undefined;
  readonly query?: object | undefined;
  readonly body?: unknown;
}

/** Names an operation in messages. */
export function nameOf(operation: Operation): string {
  return `${operation.method.toUpperCase()} ${operation.path}`;
}
