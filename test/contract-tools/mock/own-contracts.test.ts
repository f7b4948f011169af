import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as compose from '../../../sdk/src/compose.js';
import * as platform from '../../../sdk/src/platform.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readDocument, type Contract, type DocumentedOperation } from '../../../src/contract-tools/gate/contract.js';
import { openObservations, readObservations } from '../../../src/contract-tools/gate/observations.js';
import { createRecorder, type Recorder } from '../../../src/contract-tools/gate/recorder.js';
import { unitsOf } from '../../../src/contract-tools/gate/surface.js';
import { closeServer, listen } from '../../../src/contract-tools/listen.js';
import { loadDocument } from '../../../src/contract-tools/load-document.js';
import { createMock } from '../../../src/contract-tools/mock/create-mock.js';
import { serveMock } from '../../../src/contract-tools/mock/serve-mock.js';
import { readRequest, type DocumentedRequest } from '../../../src/contract-tools/requests/read-requests.js';
import { openSchemas } from '../../../src/contract-tools/schemas.js';
import { sample } from '../../../src/contract-tools/values/sample.js';

type Call = (client: unknown, request: object) => Promise<{ ok: boolean; status: number; data?: unknown }>;

const contracts = [
  ['openapi/platform.yaml', 'generated/platform/openapi.json', platform],
  ['openapi/compose.yaml', 'generated/compose/openapi.json', compose],
] as const;

describe.each(contracts)('%s, answered from its examples', (source, served, sdk) => {
  const folder = mkdtempSync(join(tmpdir(), 'mock-'));
  const document = loadDocument(served);
  const schemas = openSchemas(document, 'requests');
  const contract = readDocument('api', document);
  const servers = [createMock(loadDocument(source)), createMock(document)].map((mock) =>
    serveMock(mock, () => undefined),
  );
  let urls: string[];
  let recorder: Recorder;

  beforeAll(async () => {
    urls = await Promise.all(
      servers.map(async (server) => (await listen(server, { host: '127.0.0.1', port: 0 })).origin),
    );
    recorder = createRecorder(contract, openObservations(folder));
  });

  afterAll(async () => {
    await Promise.all(servers.map(closeServer));
    rmSync(folder, { recursive: true });
  });

  test('every function of the SDK gets a reply that the gate accepts, from the source and as served', async () => {
    for (const baseUrl of urls) {
      const client = clientOf(sdk, baseUrl, recorder.fetch);
      for (const operation of contract.operations) {
        const call = Reflect.get(sdk, operation.id) as Call; // named after the operation
        const result = await call(client, requestOf(readRequest(schemas, operation)));
        // Some operations of the compose API are documented as not supported, and never succeed.
        const succeeds = [...operation.replies.keys()].some((status) => status.startsWith('2'));
        expect([operation.id, result.ok]).toEqual([operation.id, succeeds]);
        // A stream is checked while it is read.
        if (isStream(result.data)) for await (const line of result.data) expect(line).toBeDefined();
      }
    }
  });

  test('every documented reply can be chosen, and is as the gate demands', async () => {
    for (const operation of contract.operations) {
      for (const status of operation.replies.keys()) await askFor(operation, `code=${status}`);
    }
    const seen = new Set(readObservations(folder, 'api').units.map(([label, status]) => `${label} ${status}`));
    const expected = documentedReplies(contract);
    expect([...expected].filter((each) => !seen.has(each))).toEqual([]);
    expect(readObservations(folder, 'api').faults).toEqual([]);
  });

  async function askFor(operation: DocumentedOperation, prefer: string): Promise<void> {
    const path = operation.path.replaceAll(/\{[^}]*\}/g, 'x');
    const reply = await recorder.fetch(`${urls[1]}${path}`, { method: operation.method, headers: { prefer } });
    expect([operation.id, reply.headers.get('Preference-Applied')]).toEqual([operation.id, prefer]);
    await reply.arrayBuffer();
  }

  /** A request that the contract allows. */
  function requestOf({ parameters, body }: DocumentedRequest): object {
    const making = {
      document: schemas.document,
      texts: 'words',
      omitted: 'readOnly',
      optional: 'some',
      made: new WeakMap(),
    } as const;
    const valueOf = (examples: readonly unknown[], schema: unknown): unknown =>
      examples[0] ?? sample(making, schema, () => [])[0];
    const ofLocation = (location: string): Record<string, unknown> =>
      Object.fromEntries(
        parameters
          .filter((each) => each.in === location && each.required)
          .map(({ name, examples, schema }) => [name, valueOf(examples, schema)]),
      );
    const [content] = [...(body?.contents.values() ?? [])];
    const cookies = Object.entries(ofLocation('cookie')).map(([name, value]) => `${name}=${String(value)}`);
    return {
      params: ofLocation('path'),
      query: ofLocation('query'),
      headers: { ...ofLocation('header'), ...(cookies.length > 0 ? { cookie: cookies.join('; ') } : {}) },
      ...(content === undefined ? {} : { body: valueOf(content.examples, content.schema) }),
    };
  }
});

function clientOf(sdk: object, baseUrl: string, send: typeof fetch): unknown {
  const headers = { authorization: 'Bearer token', cookie: 'session=x' };
  const options = { baseUrl, fetch: send, retries: 0, headers };
  if ('createPlatformClient' in sdk) return platform.createPlatformClient(options);
  return compose.createComposeClient({ ...options, address: baseUrl.replace('http:', 'tcp:') });
}

function isStream(data: unknown): data is AsyncIterable<unknown> {
  return typeof data === 'object' && data !== null && Symbol.asyncIterator in data;
}

/** Operations with their statuses. */
function documentedReplies(contract: Contract): Set<string> {
  const ids = new Set(contract.operations.map(({ id }) => id));
  return new Set(
    unitsOf(contract).flatMap(([label = '', status = '']) => (ids.has(label) ? [`${label} ${status}`] : [])),
  );
}
