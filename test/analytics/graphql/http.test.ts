import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { persistedVersion } from '../../../generated/graphql/schema.js';
import { recordingGraphqlFetch } from '../../support/graphql-recorder.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../support/platform.js';
import { post, responseType, type GraphqlRequest } from './served.js';

let platform: TestPlatform;
let user: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform({ environment: { CORS_ORIGINS: 'https://app.example.com' } });
  user = await platform.signUp();
});
afterAll(() => platform.stop());

const send = recordingGraphqlFetch();
const modern = { Accept: responseType };
const limitsQuery = 'query ($orgId: String!) { catalog(orgId: $orgId) { limits { maxDays } } }';
const good = (): GraphqlRequest => ({ body: { query: limitsQuery, variables: { orgId: user.orgId } } });
const batchQuery = `query ($orgId: String!, $batch: AnalyticsRequestInput!) {
  analytics(orgId: $orgId, batch: $batch) { breakdowns { items { key } } }
}`;
const batch = (content: object): GraphqlRequest => ({
  body: { query: batchQuery, variables: { orgId: user.orgId, batch: content } },
});
const breakdown = {
  dimension: 'TEAM',
  measure: 'COUNT',
  dateRange: { startDate: '2026-01-01', endDate: '2026-01-31' },
};
const answerTo = async (request: GraphqlRequest): Promise<readonly unknown[]> => {
  const { status, headers, errors } = await post(platform, user, request);
  return [status, headers.get('Content-Type')?.split(';')[0], errors?.[0].extensions.code];
};

describe('The media type of a reply', () => {
  test.each([
    ['application/json', 'application/json'],
    [responseType, responseType],
    ['*/*', 'application/json'],
    [`${responseType}, application/json;q=0.9`, responseType],
    [`application/json, ${responseType};q=0.5`, 'application/json'],
  ])('for Accept: %s is %s', async (accept, expected) => {
    expect(await answerTo({ ...good(), headers: { Accept: accept } })).toEqual([200, expected, undefined]);
  });

  test('is an event stream where the caller prefers one, also for a query that fails', async () => {
    const events = async (query: string): Promise<unknown> => {
      const reply = await fetch(`${platform.url}/graphql?org_id=${user.orgId}`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'text/event-stream, application/json;q=0.1',
          Authorization: `Bearer ${user.accessToken}`,
        },
        body: JSON.stringify({ query, variables: { orgId: user.orgId } }),
      });
      expect([reply.status, reply.headers.get('Content-Type')]).toEqual([200, 'text/event-stream']);
      const [, data] = /^event: next\ndata: (.*)\n\nevent: complete\ndata:\n\n$/.exec(await reply.text()) ?? [];
      return JSON.parse(data ?? 'null');
    };
    expect(await events(limitsQuery)).toEqual({ data: { catalog: { limits: { maxDays: 365 } } } });
    expect(await events('{ nothing }')).toMatchObject({ errors: [{ extensions: { code: 'VALIDATION_ERROR' } }] });
  });

  test('is one that the caller accepts, or the request is refused', async () => {
    expect(await answerTo({ ...good(), headers: { Accept: 'text/html' } })).toEqual([
      406,
      responseType,
      'NOT_ACCEPTABLE',
    ]);
  });
});

describe('The status is, as application/graphql-response+json and as application/json,', () => {
  const cases: [string, () => GraphqlRequest, [number, number], string, string?][] = [
    [
      '400 and 200 for a text that does not parse',
      () => ({ body: { query: '{' } }),
      [400, 200],
      'VALIDATION_ERROR',
      'query',
    ],
    [
      '400 and 200 for one that does not fit the schema',
      () => ({ body: { query: '{ nothing }' } }),
      [400, 200],
      'VALIDATION_ERROR',
      'nothing',
    ],
    [
      '400 and 200 for an unknown dimension',
      () => batch({ breakdowns: [{ ...breakdown, dimension: 'PLANET' }] }),
      [400, 200],
      'VALIDATION_ERROR',
      'batch.breakdowns[0].dimension',
    ],
    [
      '400 and 200 for an operation that is not there',
      () => ({ body: { query: limitsQuery, operationName: 'Other', variables: { orgId: user.orgId } } }),
      [400, 200],
      'VALIDATION_ERROR',
      'operationName',
    ],
    [
      '400 and 200 for a mutation',
      () => ({ body: { query: 'mutation { delete }' } }),
      [400, 200],
      'VALIDATION_ERROR',
      'query',
    ],
    [
      '200 for dates that make no sense',
      () => batch({ breakdowns: [{ ...breakdown, dateRange: { startDate: '2026-01-02', endDate: '2026-01-01' } }] }),
      [200, 200],
      'VALIDATION_ERROR',
      'batch.breakdowns[0].dateRange.endDate',
    ],
    [
      '200 beyond a limit',
      () => batch({ breakdowns: [{ ...breakdown, topN: 51 }] }),
      [200, 200],
      'COST_LIMIT_EXCEEDED',
    ],
    [
      '200 for an unknown persisted query',
      () => ({ body: { variables: { orgId: user.orgId } }, headers: { 'X-Persisted-Query-Id': 'constructor' } }),
      [200, 200],
      'PERSISTED_QUERY_ERROR',
    ],
    ['401 without a token', () => ({ ...good(), token: null }), [401, 401], 'AUTHORIZATION_ERROR'],
    ['403 without an organization', () => ({ ...good(), orgId: null }), [403, 403], 'AUTHORIZATION_ERROR'],
    ['400 for what is not JSON', () => ({ body: '{"query":' }), [400, 400], 'VALIDATION_ERROR', 'body'],
    ['400 for what is not an object', () => ({ body: '[]' }), [400, 400], 'VALIDATION_ERROR', 'body'],
    ['400 for no body', () => ({}), [400, 400], 'VALIDATION_ERROR'],
    ['400 without a query', () => ({ body: {} }), [400, 400], 'VALIDATION_ERROR', 'query'],
    [
      '400 for a lone surrogate in a variable',
      () => ({ body: { query: limitsQuery, variables: { orgId: user.orgId, team: ['\ud800'] } } }),
      [400, 400],
      'VALIDATION_ERROR',
      'variables',
    ],
    ['400 for a query that is not a text', () => ({ body: { query: 7 } }), [400, 400], 'VALIDATION_ERROR', 'query'],
    [
      '400 for variables that are not an object',
      () => ({ body: { query: limitsQuery, variables: 'orgId' } }),
      [400, 400],
      'VALIDATION_ERROR',
      'variables',
    ],
    [
      '400 for a name that is not a text',
      () => ({ body: { query: limitsQuery, operationName: 1 } }),
      [400, 400],
      'VALIDATION_ERROR',
      'operationName',
    ],
    [
      '400 for extensions that are not an object',
      () => ({ body: { query: limitsQuery, extensions: [] } }),
      [400, 400],
      'VALIDATION_ERROR',
      'extensions',
    ],
    [
      '413 for a body that is too long',
      () => ({ body: JSON.stringify({ query: limitsQuery }).padEnd(65_537) }),
      [413, 413],
      'PAYLOAD_TOO_LARGE',
    ],
    [
      '415 for another media type',
      () => ({ ...good(), headers: { 'Content-Type': 'text/plain' } }),
      [415, 415],
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      '415 for another character set',
      () => ({ ...good(), headers: { 'Content-Type': 'application/json; charset=latin1' } }),
      [415, 415],
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      '415 for a coding',
      () => ({ ...good(), headers: { 'Content-Encoding': 'gzip' } }),
      [415, 415],
      'UNSUPPORTED_MEDIA_TYPE',
    ],
  ];
  test.each(cases)('%s', async (_name, request, [modernStatus, plainStatus], code, field) => {
    for (const [type, status] of [
      [responseType, modernStatus],
      ['application/json', plainStatus],
    ] as const) {
      const given = request();
      const reply = await post(platform, user, { ...given, headers: { ...given.headers, Accept: type } });
      expect([reply.status, reply.headers.get('Content-Type')]).toEqual([status, `${type}; charset=utf-8`]);
      expect(reply.errors[0].extensions.code).toBe(code);
      if (field !== undefined) expect(reply.errors[0].extensions.field).toBe(field);
    }
  });

  test('405 with Allow for other methods', async () => {
    for (const accept of [responseType, 'application/json']) {
      const headers = { Accept: accept };
      const put = await send(`${platform.url}/graphql`, { method: 'PUT', body: '{}', headers });
      expect([put.status, put.headers.get('Allow')]).toEqual([405, 'GET, HEAD, POST']);
      const posted = await send(`${platform.url}/graphql/schema`, { method: 'POST', headers });
      expect([posted.status, posted.headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
    }
  });
});

describe('A body', () => {
  test('may have exactly 64 KiB', async () => {
    const body = JSON.stringify({ query: limitsQuery, variables: { orgId: user.orgId } }).padEnd(65_536);
    expect(Buffer.byteLength(body)).toBe(65_536);
    expect(await answerTo({ body })).toEqual([200, 'application/json', undefined]);
  });

  test('may declare its character set', async () => {
    const headers = { 'Content-Type': 'application/json; charset=UTF-8' };
    expect(await answerTo({ ...good(), headers })).toEqual([200, 'application/json', undefined]);
  });
});

describe('The first failing check determines the reply:', () => {
  const foreign = '00000000-0000-4000-8000-000000000000';
  test.each<[string, () => GraphqlRequest, string]>([
    [
      'Accept before Content-Type',
      () => ({ headers: { Accept: 'text/html', 'Content-Type': 'text/plain' }, body: 'x' }),
      'NOT_ACCEPTABLE',
    ],
    [
      'Content-Type before length',
      () => ({ headers: { 'Content-Type': 'text/plain' }, body: ' '.repeat(70_000) }),
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['length before the token', () => ({ token: null, body: ' '.repeat(70_000) }), 'PAYLOAD_TOO_LARGE'],
    ['the token before JSON', () => ({ token: 'none', body: '{' }), 'AUTHORIZATION_ERROR'],
    ['JSON before the organization', () => ({ orgId: foreign, body: '{' }), 'VALIDATION_ERROR'],
    [
      'the organization before the persisted query',
      () => ({ orgId: foreign, headers: { 'X-Persisted-Query-Id': 'none' }, body: {} }),
      'AUTHORIZATION_ERROR',
    ],
    [
      'the text before its orgId',
      () => ({ body: { query: '{ catalog(orgId: "other") { nothing } }' } }),
      'VALIDATION_ERROR',
    ],
    [
      'orgId before the batch',
      () => ({
        body: {
          query: `{ analytics(orgId: "other", batch: { breakdowns: [{ dimension: TEAM, measure: COUNT, topN: 51, dateRange: { startDate: "2026-01-01", endDate: "2026-01-01" } }] }) { breakdowns { measure } } }`,
        },
      }),
      'AUTHORIZATION_ERROR',
    ],
  ])('%s', async (_name, request, code) => {
    const { errors } = await post(platform, user, request());
    expect(errors[0].extensions.code).toBe(code);
  });
});

describe('Persisted queries', () => {
  const persisted = (headers: Record<string, string>): GraphqlRequest => ({
    body: { variables: { orgId: user.orgId } },
    headers: { 'X-Persisted-Query-Id': 'team-values', ...headers },
  });

  test('are executed without a text, and with the version of the server', async () => {
    expect(await answerTo(persisted({}))).toEqual([200, 'application/json', undefined]);
    expect(await answerTo(persisted({ 'X-Persisted-Query-Version': persistedVersion }))).toEqual([
      200,
      'application/json',
      undefined,
    ]);
  });

  test('are refused with another version, and the error names the right one', async () => {
    const { errors } = await post(platform, user, persisted({ 'X-Persisted-Query-Version': '1.0' }));
    expect(errors[0].extensions).toMatchObject({
      code: 'PERSISTED_QUERY_ERROR',
      query_id: 'team-values',
      version: persistedVersion,
    });
  });

  test('cannot come with a text as well', async () => {
    const { errors } = await post(platform, user, { ...good(), headers: { 'X-Persisted-Query-Id': 'team-values' } });
    expect(errors[0].extensions).toMatchObject({ code: 'VALIDATION_ERROR', field: 'query' });
  });

  test('can be the only allowed queries', async () => {
    const strict = await startTestPlatform({
      databaseUri: platform.databaseUri,
      environment: { PERSISTED_QUERIES_ONLY: 'true' },
    });
    try {
      const text = await post(strict, user, good());
      expect([text.status, text.errors[0].extensions]).toEqual([
        200,
        {
          code: 'PERSISTED_QUERY_ERROR',
          query_id: null,
          version: persistedVersion,
          request_id: text.headers.get('X-Request-Id'),
        },
      ]);
      expect((await post(strict, user, persisted({}))).errors).toBeUndefined();
    } finally {
      await strict.stop();
    }
  });
});

describe('Cost limits', () => {
  test('the limit of days is a setting', async () => {
    const { databaseUri } = platform;
    const generous = await startTestPlatform({ databaseUri, environment: { ANALYTICS_MAX_DAYS: '731' } });
    try {
      const ofDays = (endDate: string): object =>
        batch({ breakdowns: [{ ...breakdown, dateRange: { startDate: '2024-01-01', endDate } }] });
      const { data } = await post(generous, user, { body: { query: limitsQuery, variables: { orgId: user.orgId } } });
      expect(data.catalog.limits.maxDays).toBe(731);
      expect((await post(generous, user, ofDays('2025-12-31'))).errors).toBeUndefined();
      const { errors } = await post(generous, user, ofDays('2026-01-01'));
      expect(errors[0].extensions).toMatchObject({ limit_name: 'max_days', limit_value: 731, requested_value: 732 });
    } finally {
      await generous.stop();
    }
  });

  const year = { startDate: '2025-01-01', endDate: '2026-01-01' };
  const series = { dimension: 'TEAM', measure: 'COUNT', interval: 'DAY', dateRange: breakdown.dateRange };
  const flow = { path: ['TEAM', 'REPO'], measure: 'COUNT', dateRange: breakdown.dateRange };
  test.each<[string, number, number, object]>([
    ['max_days', 365, 366, { breakdowns: [{ ...breakdown, dateRange: year }] }],
    [
      'max_buckets',
      100,
      101,
      { timeseries: [{ ...series, dateRange: { startDate: '2026-01-01', endDate: '2026-04-11' } }] },
    ],
    ['max_top_n', 50, 51, { breakdowns: [{ ...breakdown, topN: 51 }] }],
    ['max_sankey_nodes', 100, 101, { sankey: { ...flow, maxNodes: 101 } }],
    ['max_sankey_edges', 500, 501, { sankey: { ...flow, maxEdges: 501 } }],
    ['max_sub_requests', 10, 11, { breakdowns: Array.from({ length: 11 }, () => breakdown) }],
  ])(
    '%s is reported with the allowed and the requested number',
    async (limit_name, limit_value, requested_value, content) => {
      const { errors, data, headers } = await post(platform, user, batch(content));
      expect(data).toBeNull();
      expect(errors).toHaveLength(1);
      const request_id = headers.get('X-Request-Id');
      expect(errors[0].extensions).toEqual({
        code: 'COST_LIMIT_EXCEEDED',
        limit_name,
        limit_value,
        requested_value,
        request_id,
      });
      expect(errors[0].message).toContain(String(limit_value));
      expect(errors[0].message).toContain(String(requested_value));
    },
  );
});

describe('Errors', () => {
  test('contain no suggestions', async () => {
    const wrong = [
      '{ catalo { limits { maxDays } } }',
      '{ catalog(orgId: "x", dimension: TEAN) { values { value } } }',
      '{ catalog(orgld: "x") { value } }',
    ];
    for (const query of wrong) {
      const { errors } = await post(platform, user, { body: { query } });
      expect(JSON.stringify(errors)).not.toMatch(/did you mean/i);
    }
  });

  test('are short, even for long input', async () => {
    const ids = Array.from({ length: 40 }, () => ({ level: 'x'.repeat(1000) }));
    const { errors } = await post(platform, user, batch({ filters: { scope: ids } }));
    expect(JSON.stringify(errors).length).toBeLessThan(10_000);
    const many = Array.from({ length: 10 }, () => ({ ...breakdown, dimension: 'y'.repeat(5_000) }));
    const reply = await post(platform, user, batch({ breakdowns: many }));
    expect(JSON.stringify(reply.errors).length).toBeLessThan(10_000);
  });

  test('carry the request id of the caller', async () => {
    const { errors, headers } = await post(platform, user, {
      body: { query: '{' },
      headers: { ...modern, 'X-Request-Id': 'my-request-7' },
    });
    expect([headers.get('X-Request-Id'), errors[0].extensions.request_id]).toEqual(['my-request-7', 'my-request-7']);
  });

  test('about properties of Object.prototype are like any other', async () => {
    const body = `{"query": ${JSON.stringify(limitsQuery)}, "variables": {"__proto__": {"orgId": "x"}}}`;
    expect((await post(platform, user, { body })).errors[0].extensions.code).toBe('VALIDATION_ERROR');
  });
});

describe('Apart from queries', () => {
  test.each(['/graphql/schema', '/graphql/schema.graphql'])('%s is the schema of the repository', async (path) => {
    const reply = await send(platform.url + path);
    expect([reply.status, reply.headers.get('Content-Type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(await reply.text()).toBe(await readFile('graphql/schema.graphql', 'utf8'));
  });

  test('replies have the headers of all others', async () => {
    for (const { headers } of [await post(platform, user, good()), await send(`${platform.url}/graphql/schema`)]) {
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
      expect(headers.get('Referrer-Policy')).toBe('no-referrer');
    }
    expect((await post(platform, user, good())).headers.get('Cache-Control')).toBe('no-store');
  });

  test('browsers of the allowed origins may send queries', async () => {
    const origin = 'https://app.example.com';
    const preflight = await fetch(`${platform.url}/graphql`, {
      method: 'OPTIONS',
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'x-persisted-query-id',
      },
    });
    expect([preflight.status, preflight.headers.get('Access-Control-Allow-Origin')]).toEqual([204, origin]);
    expect(preflight.headers.get('Access-Control-Allow-Headers')).toContain('x-persisted-query-id');
    const { headers } = await post(platform, user, { ...good(), headers: { Origin: origin } });
    expect(headers.get('Access-Control-Allow-Origin')).toBe(origin);
  });

  test('metrics count queries by outcome, and log lines name the operation', async () => {
    await post(platform, user, good());
    const metrics = await (await fetch(`${platform.url}/metrics`)).text();
    expect(metrics).toMatch(/graphql_query_duration_seconds_count\{outcome="OK",persisted_id="none"\} \d/);
    expect(metrics).toMatch(/graphql_query_duration_seconds_count\{outcome="OK",persisted_id="team-values"\} \d/);
    expect(metrics).toMatch(
      /graphql_query_duration_seconds_count\{outcome="PERSISTED_QUERY_ERROR",persisted_id="none"\} \d/,
    );
    expect(metrics).toContain('operation="graphql",method="POST",status="200"');
    expect(platform.logLines.some((line) => line.includes('"operation":"graphql"'))).toBe(true);
  });
});
