import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { systemClock } from '../../../src/compose/runtime/clock.js';
import { addClient } from '../../../src/compose/service/auth-store-edits.js';
import { createCertificates, missingOpenssl, type Certificate, type Certificates } from '../../support/certificates.js';
import { exampleRequests, initOf, urlOf, type ExampleRequest } from '../../support/examples.js';
import { recordExchange } from '../../support/recorder.js';
import { runService, type RunningService } from './running-service.js';

const missing = missingOpenssl();
describe.skipIf(missing !== null)(`over mutual TLS${missing === null ? '' : ` (${missing})`}`, () => {
  let certificates: Certificates;
  let authority: Certificate;
  let robin: Certificate;
  let stranger: Certificate;
  let foreign: Certificate;
  let running: RunningService;
  beforeAll(async () => {
    certificates = await createCertificates();
    authority = certificates.authority('Ours');
    const own = certificates.issue(authority, 'server');
    robin = certificates.issue(authority, 'robin');
    stranger = certificates.issue(authority, 'stranger');
    foreign = certificates.issue(certificates.authority('Theirs'), 'robin');
    const authStore = join(certificates.folder, 'clients.json');
    await addClient(authStore, { name: 'Robin', certificate: Buffer.from(robin.cert) }, systemClock);
    const address = { scheme: 'tls', host: '127.0.0.1', port: 0 } as const;
    const { certFile: cert, keyFile: key } = own;
    running = await runService({ listen: { address, cert, key, clientCa: authority.certFile, authStore } });
  });
  afterAll(async () => {
    await running.stop();
    await certificates.remove();
  });

  async function send(example: ExampleRequest, { cert, key }: Certificate): Promise<{ status: number; body: string }> {
    const { method, headers, body } = initOf(example);
    const url = running.url + urlOf(example);
    const sent = request(url, { method, headers, ca: authority.cert, cert, key, agent: false }).end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const [status, received] = [response.statusCode ?? 0, await text(response)];
    const found = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)]);
    recordExchange('compose', { method, url, status, headers: Object.fromEntries(found), body: received });
    return { status, body: received };
  }

  test.each(exampleRequests('compose').map((example) => [example.operationId, example] as const))(
    '%s is 403 for a client that is not in the auth store',
    async (_id, example) => {
      const { status, body } = await send(example, stranger);
      expect([status, JSON.parse(body)]).toMatchObject([403, { type: '/problems/client-not-allowed' }]);
    },
  );

  const pages = async (): Promise<[method: string, path: string][]> => {
    const { compose } = parse(await readFile('openapi/pages.yaml', 'utf8')) as { compose: { route: string }[] };
    return compose.map(({ route }) => {
      const [method = '', path = ''] = route.split(' ');
      return [
        method,
        path.replace('{/*path}', '/').replace('{slug}', 'client-not-allowed').replace('{file}', 'app.js'),
      ];
    });
  };

  /** The status of a reply, or how the connection ended without one. */
  async function outcome(method: string, path: string, client: RequestOptions): Promise<string> {
    const sent = request(running.url + path, { method, ca: authority.cert, agent: false, ...client }).end();
    try {
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.resume();
      return `${response.statusCode ?? 0} ${response.headers.location ?? ''}`.trim();
    } catch (error) {
      // The server's alert, or the connection that it has closed before the client has read the alert.
      return /alert|socket hang up|ECONNRESET|EPIPE/.test(String(error)) ? 'no reply' : String(error);
    }
  }

  test.each([
    ['no certificate', (): RequestOptions => ({})],
    ['a certificate of another authority', (): RequestOptions => ({ cert: foreign.cert, key: foreign.key })],
  ])('A client with %s gets no reply to any request', async (_what, clientOf) => {
    const operations = exampleRequests('compose').map((example) => [example.method, urlOf(example)] as const);
    for (const [method, path] of [...(await pages()), ...operations, ['GET', '/nowhere'] as const]) {
      expect([method, path, await outcome(method, path, clientOf())]).toEqual([method, path, 'no reply']);
    }
  });

  test('A client that is not in the auth store only reads what is the same on every server', async () => {
    const { cert, key } = stranger;
    const seen = await Promise.all(
      (await pages()).map(async ([method, path]) => [path, await outcome(method, path, { cert, key })]),
    );
    expect(Object.fromEntries(seen)).toEqual({
      '/': '302 /docs',
      '/docs': '200',
      '/docs/start.js': '200',
      '/docs/redoc.js': '200',
      '/docs/colors.js': '200',
      '/openapi.json': '200',
      '/problems': '200',
      '/problems/client-not-allowed': '200',
      '/ui/': '404',
      '/console/assets/app.js': '404',
    });
    const sent = request(`${running.url}/openapi.json`, { ca: authority.cert, cert, key, agent: false }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(await text(response)).toBe(await readFile('generated/compose/openapi.json', 'utf8'));
  });

  test('A client of the auth store is served', async () => {
    const ping = exampleRequests('compose').find(({ operationId }) => operationId === 'ping');
    expect(ping).toBeDefined();
    if (ping !== undefined) expect(await send(ping, robin)).toMatchObject({ status: 200 });
  });
});
