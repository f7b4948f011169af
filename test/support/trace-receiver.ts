import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { vi } from 'vitest';
import { freePort } from './free-port.js';

/** A span in the JSON form of OTLP. */
export interface ReceivedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: the root of its trace. */
  readonly parentSpanId: string;
  /** 1 internal, 2 server, 3 client */
  readonly kind: number;
  readonly isFailed: boolean;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface TraceReceiver {
  /** The address for OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly endpoint: string;
  readonly spans: readonly ReceivedSpan[];
  /** All that was received, as it came. */
  received(): string;
  stop(): Promise<void>;
}

const program = process.env['TEST_COLLECTOR'] ?? '';

/** Stands behind the names of tests that need an OpenTelemetry Collector. */
export const withoutCollector = existsSync(program)
  ? ''
  : ' (skipped: TEST_COLLECTOR names no OpenTelemetry Collector; .ci/collector builds one)';

/** Starts a receiver of OTLP/HTTP in its JSON form. */
export async function startTraceReceiver(): Promise<TraceReceiver> {
  const spans: ReceivedSpan[] = [];
  let all = '';
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      all += body;
      if (request.url === '/v1/traces') spans.push(...spansIn(JSON.parse(body)));
      response.setHeader('Content-Type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the receiver has no port');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    spans,
    received: () => all,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Starts a receiver behind a real collector, which takes OTLP/HTTP as Protobuf and JSON. */
export async function startCollector(): Promise<TraceReceiver> {
  const receiver = await startTraceReceiver();
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-collector-'));
  const port = await freePort();
  const configuration = {
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: { otlphttp: { endpoint: receiver.endpoint, encoding: 'json', compression: 'none' } },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: { traces: { receivers: ['otlp'], exporters: ['otlphttp'] } },
    },
  };
  const file = join(folder, 'collector.yaml');
  await writeFile(file, JSON.stringify(configuration));
  const collector = spawn(program, ['--config', file], { stdio: 'ignore' });
  await vi.waitFor(() => accepts(port), { timeout: 20_000 });
  return {
    ...receiver,
    endpoint: `http://127.0.0.1:${port}`,
    stop: async () => {
      await ended(collector);
      await receiver.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGTERM');
  await closed;
}

function accepts(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface TracesData {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly name: string;
        readonly traceId: string;
        readonly spanId: string;
        readonly parentSpanId?: string;
        readonly kind: number;
        readonly status?: { readonly code?: number };
        readonly attributes?: readonly Attribute[];
      }[];
    }[];
  }[];
}

/** https://github.com/open-telemetry/opentelemetry-proto: `TracesData` in its JSON form */
function spansIn(data: TracesData): ReceivedSpan[] {
  return data.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, traceId, spanId, parentSpanId = '', kind, status, attributes = [] }) => ({
        service: textsOf(resource.attributes)['service.name'] ?? '',
        name,
        traceId,
        spanId,
        parentSpanId,
        kind,
        isFailed: status?.code === 2,
        attributes: textsOf(attributes),
      })),
    ),
  );
}

function textsOf(attributes: readonly Attribute[]): Record<string, string> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]));
}
