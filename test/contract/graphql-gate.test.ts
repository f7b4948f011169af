import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { graphqlSurface, graphqlUnits, loadGraphqlContract } from '../support/graphql-contract.js';
import { recordingGraphqlFetch } from '../support/graphql-recorder.js';
import { openObservations, type Observations } from '../../src/contract-tools/gate/observations.js';
import { observationsFolder } from '../support/recorder.js';
import { judge, type Verdict } from '../../src/contract-tools/gate/judge.js';
import { readSurfaces } from './gate/surfaces.js';
import { printTree } from '../../src/contract-tools/gate/tree.js';

/** A repository that has the GraphQL contract and nothing else. */
let root: string;
let observations: Observations;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'plumbline-graphql-'));
  await mkdir(join(root, 'openapi'));
  await writeFile(join(root, 'openapi/problems.yaml'), '{}\n');
  await cp('graphql', join(root, 'graphql'), { recursive: true });
  observations = openObservations(join(root, observationsFolder));
});
afterEach(() => rm(root, { recursive: true }));

const verdict = async (): Promise<Verdict> => judge(await readSurfaces(root), []);
const failures = async (): Promise<string> => printTree(await verdict()).split('What fails:')[1] ?? '';

/** Notes all that is documented as seen, as a complete run of the tests would. */
function seeEverything(): void {
  for (const unit of graphqlUnits(loadGraphqlContract(root))) observations.observe(graphqlSurface, unit);
}

interface Reply {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const query =
  'query ($orgId: String!) { catalog(orgId: $orgId, dimension: TEAM) { limits { maxDays } values { value count } } }';
const right: Reply = {
  status: 200,
  headers: { 'Content-Type': 'application/json; charset=utf-8', 'X-Request-Id': 'r1' },
  body: '{"data":{"catalog":{"limits":{"maxDays":365},"values":[{"value":"core","count":2}]}}}',
};
const rightError: Reply = {
  ...right,
  body: '{"errors":[{"message":"Too much.","path":["analytics"],"extensions":{"code":"COST_LIMIT_EXCEEDED","limit_name":"max_days","limit_value":365,"requested_value":366,"request_id":"r1"}}],"data":null}',
};

/** Records one exchange with this reply; what is wrong with it is swallowed, as a careless test would. */
async function exchange(reply: Reply, body: object = { query, variables: { orgId: 'o' } }): Promise<void> {
  const transport = (): Promise<Response> =>
    Promise.resolve(new Response(reply.body, { status: reply.status, headers: reply.headers }));
  const send = recordingGraphqlFetch(loadGraphqlContract(root), observations, transport);
  await send('http://localhost/graphql?org_id=o', { method: 'POST', body: JSON.stringify(body) }).catch(() => null);
}

describe('The gate', () => {
  test('passes if all of GraphQL was seen', async () => {
    seeEverything();
    await exchange(right);
    await exchange(rightError);
    expect(await failures()).toBe('');
    expect((await verdict()).passed).toBe(true);
  });

  test('knows every field, enum value, input field, error code, limit name and persisted id', async () => {
    const text = await failures();
    for (const unit of [
      'CatalogResult > fields > values',
      'DimensionInput > in requests > SUBCATEGORY',
      'DimensionInput > in replies > SUBCATEGORY',
      'BucketIntervalInput > in requests > MONTH',
      'SankeyRequestInput > fields > maxEdges',
      'BreakdownRequestInput > defaults > topN',
      'Query > arguments > catalog(dimension:)',
      'COST_LIMIT_EXCEEDED > limit_name > max_top_n',
      'COST_LIMIT_EXCEEDED > 200 > application/json',
      'AUTHORIZATION_ERROR > 401 > header WWW-Authenticate',
      'QUERY_TIMEOUT > 200 > application/graphql-response+json',
      'INTERNAL_ERROR > 500 > application/json',
      'persisted queries > answered > team-values',
      'GET /graphql > 200 > text/html',
    ]) {
      expect(text).toContain(`missing: graphql > ${unit}\n`);
    }
  });

  test('fails if one of them is new and was not seen', async () => {
    seeEverything();
    const path = join(root, 'graphql/schema.graphql');
    await writeFile(
      path,
      (await readFile(path, 'utf8')).replace('type CatalogLimits {', 'type CatalogLimits { maxJokes: Int!'),
    );
    expect(await failures()).toContain('missing: graphql > CatalogLimits > fields > maxJokes');
  });

  test('fails if something undocumented was seen', async () => {
    seeEverything();
    observations.observe(graphqlSurface, ['DimensionInput', 'in replies', 'PLANET']);
    expect(await failures()).toContain('undocumented: graphql > DimensionInput > in replies > PLANET');
  });

  test('notes what a valid reply shows, including defaults', async () => {
    const batch = {
      breakdowns: [
        { dimension: 'TEAM', measure: 'COUNT', dateRange: { startDate: '2026-01-01', endDate: '2026-01-02' } },
      ],
    };
    const text =
      'query ($o: String!, $b: AnalyticsRequestInput!) { analytics(orgId: $o, batch: $b) { breakdowns { dimension items { key value } } } }';
    const body = '{"data":{"analytics":{"breakdowns":[{"dimension":"TEAM","items":[{"key":"core","value":1.5}]}]}}}';
    await exchange({ ...right, body }, { query: text, variables: { o: 'o', b: batch } });
    const { units, faults } = (await readSurfaces(root)).find(({ name }) => name === graphqlSurface)?.seen ?? {
      units: [],
      faults: [],
    };
    expect(faults).toEqual([]);
    const names = units.map((unit) => unit.join(' '));
    expect(names).toEqual(
      expect.arrayContaining([
        'POST /graphql 200 application/json',
        'BreakdownItem fields value',
        'DimensionInput in replies TEAM',
        'DimensionInput in requests TEAM',
        'BreakdownRequestInput defaults topN',
        'AnalyticsRequestInput defaults useInvestment',
        'DateRangeInput fields endDate',
        'Query arguments analytics(batch:)',
      ]),
    );
    expect(names).not.toContain('BreakdownRequestInput fields topN');
  });
});

describe('One wrong reply fails a complete run, even if no test notices it:', () => {
  const planted: [string, Reply][] = [
    ['an extra field', { ...right, body: right.body.replace('"maxDays"', '"extra":1,"maxDays"') }],
    ['a missing field', { ...right, body: right.body.replace(',"count":2', '') }],
    ['a wrong type', { ...right, body: right.body.replace('365', '"365"') }],
    ['a fraction where there must be none', { ...right, body: right.body.replace('"count":2', '"count":2.5') }],
    ['null where there must be none', { ...right, body: right.body.replace('{"maxDays":365}', 'null') }],
    ['an extra member', { ...right, body: right.body.replace('{"data"', '{"extensions":{},"data"') }],
    ['a wrong status', { ...right, status: 202 }],
    ['a wrong media type', { ...right, headers: { ...right.headers, 'Content-Type': 'application/graphql+json' } }],
    ['no request id', { ...right, headers: { 'Content-Type': 'application/json' } }],
    ['no JSON', { ...right, body: 'oops' }],
    ['an unknown code', { ...rightError, body: rightError.body.replace('COST_LIMIT_EXCEEDED', 'OUT_OF_LUCK') }],
    ['an unknown limit', { ...rightError, body: rightError.body.replace('max_days', 'max_jokes') }],
    ['a limit without its value', { ...rightError, body: rightError.body.replace('"limit_value":365,', '') }],
    ['an extra member of an error', { ...rightError, body: rightError.body.replace('"path"', '"stack":"x","path"') }],
    [
      'an extra extension',
      { ...rightError, body: rightError.body.replace('"request_id"', '"trace":"x","request_id"') },
    ],
    ['another request id', { ...rightError, body: rightError.body.replace('"r1"', '"r2"') }],
    ['a code with a status of another', { ...rightError, status: 403 }],
    ['data beside errors', { ...rightError, body: rightError.body.replace('"data":null', '"data":{}') }],
    ['no errors in the list of errors', { ...right, body: '{"errors":[]}' }],
  ];
  test.each(planted)('%s', async (_name, reply) => {
    seeEverything();
    await exchange(right);
    await exchange(rightError);
    expect((await verdict()).passed).toBe(true);
    await exchange(reply);
    expect((await verdict()).passed).toBe(false);
    expect(await failures()).toContain('not as documented: graphql: POST /graphql');
  });
});
