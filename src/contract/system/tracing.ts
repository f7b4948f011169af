/**
 * Traces of this program. Tracing is off until `start-tracing.ts` installs a tracer; until then each function here
 * costs a comparison. Attributes never contain values of callers: no paths, queries, parameters, headers, addresses of
 * people or messages of errors.
 */
export type SpanValue = string | number | boolean;

export interface SpanOptions {
  /** `server`: serves a call; `client`: waits for another server. */
  readonly kind: 'server' | 'client' | 'internal';
  readonly attributes?: Readonly<Record<string, SpanValue>>;
}

/** The ids that identify the span in log lines and other tools. */
export interface SpanIds {
  readonly trace_id: string;
  readonly span_id: string;
}

export interface Span {
  /** Whether the span will be exported; false: the sampler left its trace out. */
  readonly isRecorded: boolean;
  readonly ids: SpanIds;
  /** Replaces the name that the span was started with. Only the first call has an effect. */
  name(name: string): void;
  set(attribute: string, value: SpanValue): void;
  /** Marks the span as failed. Only the class and the code of the error are exported: its message may contain values. */
  fail(error: unknown): void;
  end(): void;
  /** The headers that pass this span to another server: `traceparent`, and `tracestate` if there is one. */
  headers(): Record<string, string>;
}

/** Headers of a request, such as `IncomingMessage.headers`. */
export type IncomingHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Tracer {
  /** The span of this asynchronous context; null: none. */
  current(): Span | null;
  /** Starts a span below `parent`, or below that of a caller's headers; null: a new trace. */
  start(name: string, options: SpanOptions, parent: Span | IncomingHeaders | null): Span;
  /** Runs `work` with `span` as the current one. */
  within<T>(span: Span, work: () => T): T;
  /** Exports what is left. Never rejects. */
  close(): Promise<void>;
}

let installed: Tracer | null = null;

/** Installs the tracer of this process; null: turns tracing off. */
export function setTracer(tracer: Tracer | null): void {
  installed = tracer;
}

/** The tracer of this process; null: tracing is off. */
export function tracer(): Tracer | null {
  return installed;
}

/** The current span of this asynchronous context; null: none, or tracing is off. */
export function currentSpan(): Span | null {
  return installed === null ? null : installed.current();
}

/** The current span, if it will be exported. Otherwise no child spans are needed. */
export function recordedSpan(): Span | null {
  const span = currentSpan();
  return span?.isRecorded === true ? span : null;
}

/**
 * Runs `work` in a span, which ends with it and fails if it throws.
 *
 * @param parent null: a new trace, for background work that a request happened to start. Default: the current span
 */
export function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span: Span | null) => Promise<T>,
  parent: Span | IncomingHeaders | null | undefined = currentSpan(),
): Promise<T> {
  const tracing = installed;
  if (tracing === null) return work(null);
  const span = tracing.start(name, options, parent);
  return tracing.within(span, async () => {
    try {
      return await work(span);
    } catch (error) {
      span.fail(error);
      throw error;
    } finally {
      span.end();
    }
  });
}
