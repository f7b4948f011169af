import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningServer } from '../../src/contract/server.js';
import { abuseEveryOperation } from '../support/abuse.js';
import { exampleRequests, exampleRequestsOf, initOf, urlOf } from '../support/examples.js';
import { problemOf } from '../support/problem-of.js';
import { loadContract } from '../support/load-contract.js';
import { createRecorder } from '../support/recorder.js';
import { serveUnwrittenPlatform } from './unwritten-platform.js';

let server: RunningServer;
beforeAll(async () => {
  server = await serveUnwrittenPlatform();
});
afterAll(() => server.stop(0));

const authorization = (): string => 'Bearer token';
/** Checks replies like the recorder of the platform's tests, but this server must not count as the platform. */
const recorder = createRecorder(loadContract('platform', process.cwd()), {
  observe: () => undefined,
  reportFault: () => undefined,
});

describe('the examples of the contract', () => {
  test.each(exampleRequests('platform').map((example) => ({ name: example.operationId, example })))(
    '$name: its example is a valid request, which the generated stub answers 501',
    async ({ example }) => {
      const init = initOf(example);
      const headers = { ...init.headers, Authorization: authorization() };
      const response = await fetch(server.url + urlOf(example), { ...init, headers });
      const problem = problemOf({ status: response.status, body: await response.json(), headers: response.headers });
      expect(problem).toMatchObject({ type: '/problems/not-implemented', status: 501 });
      expect(response.status).toBe(501);
    },
  );

  test('A parameter without an example is an error that names it', () => {
    const document = { paths: { '/x': { get: { operationId: 'readX', parameters: [{ name: 'y', in: 'query' }] } } } };
    expect(() => exampleRequestsOf(document)).toThrow('The parameter y of readX has no example');
  });
});

/**
 * A teams file is not JSON: the stubs of this test let every text through. A form is not JSON either, and its other values are ignored.
 * Log-outs and events of a code host accept every JSON body.
 */
const accepted = [
  'importTeams: malformed JSON',
  'importTeams: unknown property',
  'acceptSsoLogout: malformed JSON',
  'acceptSsoLogout: unknown property',
  'logout: unknown property',
  'acceptHostEvent: unknown property',
  'acceptGitlabEvent: unknown property',
  'acceptCdevent: unknown property',
  'acceptCloudevent: unknown property',
  ...['User', 'Group'].flatMap((name) =>
    ['create', 'replace', 'update'].map((verb) => `${verb}Scim${name}: unknown property`),
  ), // ignored, as SCIM demands
];

describe('abuseEveryOperation', () => {
  test('sends every operation each applicable wrong request', async () => {
    const refused = await abuseEveryOperation({
      api: 'platform',
      baseUrl: server.url,
      fetch: recorder.fetch,
      authorization,
      exempt: accepted,
    });
    const of = (operationId: string): number[] =>
      refused.filter((each) => each.operationId === operationId).map(({ status }) => status);
    expect(of('login')).toEqual([406, 415, 413, 400, 422]);
    expect(of('changeMemberRole')).toEqual([406, 415, 413, 401, 400, 422, 422]);
    expect(of('verifyEmail')).toEqual([406, 422]);
    expect(of('getLiveness')).toEqual([406]);
    const seen = new Set(refused.map((each) => each.operationId));
    // It has no body to break, no content to negotiate, and a cookie of another form is as good as none.
    expect(
      exampleRequests('platform')
        .map(({ operationId }) => operationId)
        .filter((each) => !seen.has(each)),
    ).toEqual(['endBrowserSession']);
  });

  test('omits exactly the exempt requests', async () => {
    const options = { api: 'platform', baseUrl: server.url, fetch: recorder.fetch, authorization };
    const refused = await abuseEveryOperation({ ...options, exempt: ['getMetrics: no credential', ...accepted] });
    expect(refused.filter((each) => each.operationId === 'getMetrics').map(({ status }) => status)).toEqual([406]);
    await expect(abuseEveryOperation({ ...options, exempt: ['getMetrics: too large', ...accepted] })).rejects.toThrow(
      'getMetrics: too large is exempt, but there is no such request',
    );
  });

  test('names every wrong request that is accepted', async () => {
    const lenient = createServer((_request, response) => response.end('{}'));
    await new Promise<void>((resolve) => lenient.listen(0, '127.0.0.1', resolve));
    const { port } = lenient.address() as AddressInfo; // a TCP server's address is never a path
    const failure: unknown = await abuseEveryOperation({
      api: 'platform',
      baseUrl: `http://127.0.0.1:${port}`,
      fetch,
      authorization,
    }).catch((error: unknown) => error);
    await new Promise((resolve) => {
      lenient.close(resolve).closeAllConnections();
    });
    expect(failure).toBeInstanceOf(AggregateError);
    expect(String(failure)).toContain('login: too large: answered 200 instead of 413');
    expect(String(failure)).toContain('getJwks: not acceptable: answered 200 instead of 406');
  });
});
