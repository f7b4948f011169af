/** Starts tracing as configured by OpenTelemetry's standard variables. */
import { setTracer, tracer } from './tracing.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The protocol for sending spans: OTLP over HTTP. */
export type TracingProtocol = 'http/protobuf' | 'http/json';

/** Maximum time that the program waits for the last export before it ends. */
const CLOSE_MILLISECONDS = 2000;

/**
 * The protocol by which spans are exported; null: tracing is off. Tracing is on when an endpoint is set
 * (`OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`) and neither `OTEL_SDK_DISABLED=true` nor
 * `OTEL_TRACES_EXPORTER=none` is.
 *
 * @throws Error for a protocol or exporter that is not supported
 */
function tracingProtocol(environment: Environment): TracingProtocol | null {
  const value = (name: string): string => (environment[name] ?? '').trim();
  const signal = (name: string): string =>
    value(`OTEL_EXPORTER_OTLP_TRACES_${name}`) || value(`OTEL_EXPORTER_OTLP_${name}`);
  const exporter = value('OTEL_TRACES_EXPORTER');
  if (signal('ENDPOINT') === '' || value('OTEL_SDK_DISABLED').toLowerCase() === 'true' || exporter === 'none')
    return null;
  if (exporter !== '' && exporter !== 'otlp') {
    throw new Error(`OTEL_TRACES_EXPORTER is ${exporter}, which is not supported. Use otlp or none.`);
  }
  const protocol = signal('PROTOCOL') || 'http/protobuf';
  if (protocol !== 'http/protobuf' && protocol !== 'http/json') {
    throw new Error(`OTEL_EXPORTER_OTLP_PROTOCOL is ${protocol}. Use http/protobuf or http/json.`);
  }
  return protocol;
}

/**
 * Starts tracing if the environment asks for it; otherwise nothing is loaded.
 *
 * @param report called with each problem of the export, without secrets
 * @throws Error as `tracingProtocol`
 */
export async function startTracing(environment: Environment, report: (problem: string) => void): Promise<void> {
  const protocol = tracingProtocol(environment);
  if (protocol === null) return;
  const { openTelemetryTracer } = await import('./open-telemetry.js');
  setTracer(openTelemetryTracer(protocol, report));
}

/** Exports the last spans, for at most two seconds. */
export async function stopTracing(): Promise<void> {
  const closing = tracer();
  if (closing === null) return;
  setTracer(null);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, CLOSE_MILLISECONDS)));
  await Promise.race([closing.close(), late]);
  clearTimeout(timer);
}

/** The variables of tracing, for a process that this program starts. */
export function tracingVariables(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => name.startsWith('OTEL_')));
}
