import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
  let running: RunningService;
  beforeAll(async () => {
    certificates = await createCertificates();
    authority = certificates.authority('Ours');
    const own = certificates.issue(authority, 'server');
    robin = certificates.issue(authority, 'robin');
    stranger = certificates.issue(authority, 'stranger');
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
    '%s is refused to a client that the auth store does not have: 403',
    async (_id, example) => {
      const { status, body } = await send(example, stranger);
      expect([status, JSON.parse(body)]).toMatchObject([403, { type: '/problems/client-not-allowed' }]);
    },
  );

  test('A client of the auth store is served', async () => {
    const ping = exampleRequests('compose').find(({ operationId }) => operationId === 'ping');
    expect(ping).toBeDefined();
    if (ping !== undefined) expect(await send(ping, robin)).toMatchObject({ status: 200 });
  });
});
