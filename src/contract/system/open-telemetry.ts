/**
 * The tracer of OpenTelemetry's SDK. Loaded only when tracing is on; the build bundles it with the SDK, so that the
 * packages are not installed with the server.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  defaultTextMapGetter,
  defaultTextMapSetter,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span as OpenTelemetrySpan,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { releaseVersion } from './release-version.js';
import type { IncomingHeaders, Span, SpanValue, Tracer } from './tracing.js';
import { errorCode } from './error-code.js';

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

/**
 * Creates the tracer. Sampler, limits, batches, endpoint, headers, resource attributes and the rest come from the
 * standard `OTEL_*` variables, which the SDK reads.
 *
 * @param report called with each problem of the export
 */
export function openTelemetryTracer(
  protocol: 'http/protobuf' | 'http/json',
  report: (problem: string) => void,
): Tracer {
  const log = { error: report, warn: report, info: noLog, debug: noLog, verbose: noLog };
  diag.setLogger(log, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const exporter = protocol === 'http/json' ? new JsonExporter() : new ProtobufExporter();
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'plumbline', 'service.version': releaseVersion() }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const spans = provider.getTracer('plumbline', releaseVersion());
  const propagator = new W3CTraceContextPropagator();
  const contexts = new AsyncLocalStorage<TracedSpan>();
  return {
    current: () => contexts.getStore() ?? null,
    start(name, { kind, attributes = {} }, parent) {
      const context = contextOf(parent, propagator);
      const span = spans.startSpan(name, { kind: kinds[kind], attributes }, context);
      return new TracedSpan(span, context, propagator);
    },
    within: (span, work) => (span instanceof TracedSpan ? contexts.run(span, work) : work()),
    close: () =>
      provider.shutdown().catch((error: unknown) => {
        report(String(error));
      }),
  };
}

function contextOf(parent: Span | IncomingHeaders | null, propagator: W3CTraceContextPropagator): Context {
  if (parent === null) return ROOT_CONTEXT;
  if (parent instanceof TracedSpan) return parent.context;
  // Most callers send none, and the propagator takes longer to find that out.
  if (!('traceparent' in parent)) return ROOT_CONTEXT;
  return propagator.extract(ROOT_CONTEXT, parent, defaultTextMapGetter);
}

class TracedSpan implements Span {
  readonly #span: OpenTelemetrySpan;
  readonly #propagator: W3CTraceContextPropagator;
  readonly #parent: Context;
  #context: Context | null = null;
  readonly isRecorded: boolean;
  #isNamed = false;

  constructor(span: OpenTelemetrySpan, parent: Context, propagator: W3CTraceContextPropagator) {
    this.#span = span;
    this.#parent = parent;
    this.#propagator = propagator;
    this.isRecorded = span.isRecording();
  }

  /** Made when a span below this one, or another server, needs it: few spans of a server do. */
  get context(): Context {
    return (this.#context ??= trace.setSpan(this.#parent, this.#span));
  }

  get ids(): Span['ids'] {
    const { traceId, spanId } = this.#span.spanContext();
    return { trace_id: traceId, span_id: spanId };
  }

  name(name: string): void {
    if (this.#isNamed) return;
    this.#isNamed = true;
    this.#span.updateName(name);
  }

  set(attribute: string, value: SpanValue): void {
    this.#span.setAttribute(attribute, value);
  }

  fail(error: unknown): void {
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
    this.#span.setAttribute('error.type', typeOf(error));
  }

  end(): void {
    this.#span.end();
  }

  headers(): Record<string, string> {
    const headers: Record<string, string> = {};
    this.#propagator.inject(this.context, headers, defaultTextMapSetter);
    return headers;
  }
}

/** The code of an error, such as a SQLSTATE, or the name of its class. */
function typeOf(error: unknown): string {
  if (typeof error === 'string') return error;
  if (!(error instanceof Error)) return 'unknown';
  return errorCode(error) ?? error.name;
}

function noLog(): void {
  // These levels are below the log level of `diag`.
}
