import { afterAll, beforeAll, expect, test } from 'vitest';
import { abuseEveryOperation } from '../../support/abuse.js';
import { exampleRequests, initOf, urlOf } from '../../support/examples.js';
import { recordingFetch } from '../../support/recorder.js';
import { runService, type RunningService } from './running-service.js';

let running: RunningService;
beforeAll(async () => {
  running = await runService();
});
afterAll(() => running.stop());

test('Every operation refuses what it cannot read or write, too much, and what it does not know', async () => {
  const refused = await abuseEveryOperation({
    api: 'compose',
    baseUrl: running.url,
    fetch: recordingFetch('compose'),
    authorization: () => '',
    exempt: [
      // A compose file is no JSON: what is wrong with one is told by the problems of compose files.
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

const withPath = exampleRequests('compose').filter(({ path }) => path.includes('{'));
test.each(withPath.map((example) => [example.operationId, example] as const))(
  '%s: a name that cannot be one is 422',
  async (_id, example) => {
    const parameters = example.parameters.map((each) =>
      each.in === 'path' ? { ...each, value: '-'.repeat(300) } : each,
    );
    const response = await recordingFetch('compose')(running.url + urlOf({ ...example, parameters }), initOf(example));
    expect([response.status, await response.json()]).toMatchObject([422, { type: '/problems/validation-failed' }]);
  },
);

test.each(['/containers/..%2f..%2fetc/start', '/containers/%00/start', '/containers/a%0ab/start'])(
  '%s names no container',
  async (path) => {
    await running.expect(422, 'POST', path);
  },
);

test('A compose file that is no text is 400, and an empty one is 422', async () => {
  const headers = { 'Content-Type': 'application/yaml' };
  const notText = await running.call('POST', '/projects/p', undefined, { headers, body: new Uint8Array([0xff, 0xfe]) });
  expect([notText.status, await notText.json()]).toMatchObject([400, { type: '/problems/malformed-request' }]);
  await running.expect(422, 'POST', '/projects/p', '');
  await running.expect(422, 'POST', '/projects/p', 'name: "\0"');
});
