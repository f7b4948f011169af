import { afterAll, beforeAll, expect, test } from 'vitest';
import { abuseEveryOperation } from '../../support/abuse.js';
import { exampleRequests, initOf, urlOf } from '../../support/examples.js';
import { rawExchange, sendRaw } from '../../support/recorder-raw.js';
import { recordExchange, recordingFetch } from '../../support/recorder.js';
import { runService, type RunningService } from './running-service.js';

let running: RunningService;
beforeAll(async () => {
  running = await runService();
});
afterAll(() => running.stop());

test('Every operation refuses wrong media types, large bodies and unknown fields', async () => {
  const refused = await abuseEveryOperation({
    api: 'compose',
    baseUrl: running.url,
    fetch: recordingFetch('compose'),
    authorization: () => '',
    exempt: [
      // A compose file is not JSON; its errors are problems of compose files.
      'ingestProject: malformed JSON',
      'ingestProject: unknown property',
      // Over plain TCP there are no credentials.
      ...exampleRequests('compose').map(({ operationId }) => `${operationId}: no credential`),
    ],
  });
  expect(refused.filter(({ operationId }) => operationId === 'killContainer').map(({ status }) => status)).toEqual([
    415, 413, 400, 422,
  ]);
});

test('A request with several Host headers is refused before its operation', async () => {
  for (const path of ['/containers', '/nowhere']) {
    const reply = await sendRaw(running.url, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n`);
    if (path === '/nowhere') recordExchange('compose', rawExchange('GET', path, reply));
    expect([reply.status, reply.closed]).toEqual([400, true]);
    expect(JSON.parse(reply.body.toString())).toMatchObject({ type: '/problems/repeated-host' });
  }
});

const withPath = exampleRequests('compose').filter(({ path }) => path.includes('{'));
test.each(withPath.map((example) => [example.operationId, example] as const))(
  '%s: an invalid name is 422',
  async (_id, example) => {
    const parameters = example.parameters.map((each) =>
      each.in === 'path' ? { ...each, value: '-'.repeat(300) } : each,
    );
    const response = await recordingFetch('compose')(running.url + urlOf({ ...example, parameters }), initOf(example));
    expect([response.status, await response.json()]).toMatchObject([422, { type: '/problems/validation-failed' }]);
  },
);

test.each(['/containers/..%2f..%2fetc/start', '/containers/%00/start', '/containers/a%0ab/start'])(
  '404 for an unknown container: %s',
  async (path) => {
    await running.expect(422, 'POST', path);
  },
);

test.each(['GET', 'HEAD', 'DELETE', 'PUT'])('%s /containers/create is 405: only POST is allowed', async (method) => {
  const response = await running.call(method, '/containers/create');
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
});

test.each([
  ['kill', { signal: 64 }],
  ['kill', { signal: 'SIGNONE' }],
  ['kill', { signal: '32' }],
  ['exec', { command: ['a\0b'] }],
  ['exec', { command: ['a'], environment: { A: '\0' } }],
])('A value that the schema of %s excludes is 422: %j', async (operation, body) => {
  await running.expect(422, 'POST', `/containers/none/${operation}`, body);
});

test.each([1, 31, 'TERM', 'SIGKILL', '9'])('The documented signal %s is accepted', async (signal) => {
  await running.expect(404, 'POST', '/containers/none/kill', { signal });
});

test('Request headers of more than 16 KiB are 431', async () => {
  const response = await fetch(`${running.url}/_ping`, { headers: { 'X-Long': 'x'.repeat(17_000) } });
  expect(response.status).toBe(431);
});

test('A compose file that is not UTF-8 is 400, and an empty one 422', async () => {
  const headers = { 'Content-Type': 'application/yaml' };
  const notText = await running.call('POST', '/projects/p', undefined, { headers, body: new Uint8Array([0xff, 0xfe]) });
  expect([notText.status, await notText.json()]).toMatchObject([400, { type: '/problems/malformed-request' }]);
  await running.expect(422, 'POST', '/projects/p', '');
  await running.expect(422, 'POST', '/projects/p', 'name: "\0"');
});
