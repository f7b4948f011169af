import { beforeAll, describe, expect, test } from 'vitest';
import { bundleDocument } from '../../src/codegen/read/bundle.js';
import { deriveReplies } from '../../src/codegen/derive/derive-replies.js';
import {
  resolve,
  type DerivedReplies,
  type OpenApiDocument,
  type OperationObject,
  type ResponseObject,
  type SchemaObject,
} from '../../src/codegen/read/openapi-document.js';

const requestId = { required: true, 'x-set-by': 'pipeline', schema: { type: 'string' } } as const;
const headers = { 'X-Request-Id': requestId };
const problem = (name: string, raisedBy = 'pipeline'): SchemaObject => ({
  title: name,
  'x-problem': { 'raised-by': raisedBy },
});
const response = (...problems: string[]): ResponseObject => {
  const references = problems.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const [first = {}] = references;
  const schema = references.length === 1 ? first : { oneOf: references };
  return { description: 'An error.', headers, content: { 'application/problem+json': { schema } } };
};
const reference = (name: string): { $ref: string } => ({ $ref: `#/components/responses/${name}` });

/** By the name of the response: the problem, its status, and when it is derived. */
const derived: readonly (readonly [name: string, status: string, when: readonly string[]])[] = [
  ['InternalError', '500', []],
  ['Unauthenticated', '401', ['secured']],
  ['Role', '403', ['scope admin']],
  ['RoleInOrganization', '403', ['scope admin', 'path org_id']],
  ['NotAcceptable', '406', ['reply']],
  ['MalformedRequest', '400', ['body']],
  ['PayloadTooLarge', '413', ['body']],
  ['UnsupportedMediaType', '415', ['body']],
  ['ValidationFailed', '422', ['input']],
  ['RateLimited', '429', ['limited']],
  ['LimitedInternal', '500', ['limited before authentication']],
];

/** The responses of one operation after the derivation, by status. */
function responsesOf(operation: Partial<OperationObject>, path = '/things'): Record<string, unknown> {
  const document = deriveReplies(documentOf(operation, path));
  return { ...document.paths?.[path]?.post?.responses };
}

function documentOf(operation: Partial<OperationObject>, path = '/things'): OpenApiDocument {
  const schemas = Object.fromEntries(derived.map(([name]) => [`${name}Problem`, problem(name)]));
  const components = {
    schemas: { ...schemas, OtherProblem: problem('Other', 'service') },
    responses: {
      ...Object.fromEntries(derived.map(([name]) => [name, response(`${name}Problem`)])),
      LimitedInternal: response('InternalErrorProblem'),
    },
  };
  return {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    'x-derived-responses': derived.map(([name, status, when]) => ({ when, responses: { [status]: reference(name) } })),
    paths: { [path]: { post: { operationId: 'addThing', summary: 'Add', responses: { '204': none }, ...operation } } },
    components,
  };
}

const none = { description: 'Nothing.', headers };
const data = { description: 'Data.', headers, content: { 'application/json': { schema: { type: 'string' } } } };
const body = { content: { 'application/json': { schema: { type: 'string' } } } };
const anything = { content: { 'application/json': { schema: { 'x-any': true } } } };
const limit = (key: string): NonNullable<OperationObject['x-rate-limit']> => [{ name: 'a', setting: 'A', key: [key] }];

describe('Replies are derived', () => {
  test.each<[string, Partial<OperationObject>, Record<string, unknown>]>([
    ['for every operation', {}, {}],
    ['from security', { security: [{ bearer: [] }] }, { '401': reference('Unauthenticated') }],
    ['but not where callers may be anonymous', { security: [{}, { bearer: [] }] }, {}],
    [
      'from the scope',
      { security: [{ bearer: ['admin'] }] },
      { '401': reference('Unauthenticated'), '403': reference('Role') },
    ],
    ['from a reply with a body', { responses: { '200': data } }, { '200': data, '406': reference('NotAcceptable') }],
    [
      'from a body',
      { requestBody: body },
      {
        '400': reference('MalformedRequest'),
        '413': reference('PayloadTooLarge'),
        '415': reference('UnsupportedMediaType'),
        '422': reference('ValidationFailed'),
      },
    ],
    [
      'but not from an optional body that cannot be invalid',
      { requestBody: anything },
      {
        '400': reference('MalformedRequest'),
        '413': reference('PayloadTooLarge'),
        '415': reference('UnsupportedMediaType'),
      },
    ],
    [
      'but from a required one',
      { requestBody: { ...anything, required: true } },
      {
        '400': reference('MalformedRequest'),
        '413': reference('PayloadTooLarge'),
        '415': reference('UnsupportedMediaType'),
        '422': reference('ValidationFailed'),
      },
    ],
    [
      'from parameters',
      { parameters: [{ name: 'a', in: 'query', schema: { type: 'string' } }] },
      { '422': reference('ValidationFailed') },
    ],
    ['from a rate limit of callers', { 'x-rate-limit': limit('principal.id') }, { '429': reference('RateLimited') }],
    [
      'from a rate limit before authentication',
      { 'x-rate-limit': limit('ip') },
      { '429': reference('RateLimited'), '500': reference('LimitedInternal') },
    ],
  ])('%s', (_what, operation, expected) => {
    const own = operation.responses === undefined ? { '204': none } : {};
    expect(responsesOf(operation)).toEqual({ ...own, '500': reference('InternalError'), ...expected });
  });

  test('from the path, by the last rule of a status', () => {
    const responses = responsesOf({ security: [{ bearer: ['admin'] }] }, '/organizations/{org_id}');
    expect(responses['403']).toEqual(reference('RoleInOrganization'));
  });

  test('unless the operation has a response with the same problems and more', () => {
    const own = response('InternalErrorProblem', 'OtherProblem');
    expect(responsesOf({ responses: { '204': none, '500': own } })['500']).toEqual(own);
  });

  test('unless the operation never gives them', () => {
    const never = { 'x-never': { '500': 'It looks at nothing.' } };
    expect(responsesOf(never)).toEqual({ '204': none });
    const own = response('OtherProblem');
    expect(responsesOf({ ...never, responses: { '500': own } })).toEqual({ '500': own });
  });

  test('from extensions that are not served', () => {
    const served = JSON.stringify(deriveReplies(documentOf({ 'x-never': { '500': 'It looks at nothing.' } })));
    expect(served).not.toMatch(/x-derived-responses|x-never/);
  });
});

describe('A rule that adds problems', () => {
  const adds = { '403': response('ScopeProblem') };
  const responsesWith = (operation: Partial<OperationObject>): Record<string, unknown> => {
    const document = documentOf({ security: [{ bearer: ['admin'] }, { machine: ['write'] }], ...operation });
    const rules = [...(document['x-derived-responses'] ?? []), { when: ['scheme machine', 'scoped machine'], adds }];
    const { paths = {} } = deriveReplies({ ...document, 'x-derived-responses': rules });
    return { ...Object.values(paths)[0]?.post?.responses };
  };
  const oneOf = (...names: readonly string[]): object => {
    const references = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
    return { content: { 'application/problem+json': { schema: { oneOf: references } } } };
  };

  test('extends the derived response of the status', () => {
    expect(responsesWith({})['403']).toMatchObject(oneOf('RoleProblem', 'ScopeProblem'));
  });

  test("extends the operation's own response", () => {
    const own = response('RoleProblem', 'OtherProblem');
    const extended = responsesWith({ responses: { '204': none, '403': own } })['403'];
    expect(extended).toMatchObject(oneOf('RoleProblem', 'OtherProblem', 'ScopeProblem'));
  });

  test('is the response where the operation has none', () => {
    expect(responsesWith({ security: [{ machine: ['write'] }] })['403']).toEqual(adds['403']);
  });

  test('concerns only operations for which its conditions are true', () => {
    expect(responsesWith({ security: [{ machine: [] }] })['403']).toBeUndefined();
  });
});

describe('A rule for operations with the header Idempotency-Key', () => {
  const key = { name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } } as const;
  const wait = { 'Retry-After': { required: true, schema: { type: 'integer' } } };
  const rule = {
    when: ['idempotent'],
    headers: { Replayed: { schema: { const: 'true' } } },
    adds: { '409': { ...response('IdempotencyKeyInUseProblem'), headers: { ...headers, ...wait } } },
  };
  const responsesWith = (operation: Partial<OperationObject>): OperationObject['responses'] => {
    const document = documentOf({ parameters: [key], ...operation });
    const rules = [...(document['x-derived-responses'] ?? []), rule];
    const { paths = {} } = deriveReplies({ ...document, 'x-derived-responses': rules });
    return Object.values(paths)[0]?.post?.responses ?? {};
  };

  test('adds its headers to the successes alone', () => {
    const responses = responsesWith({ responses: { '204': none, '404': response('OtherProblem') } });
    expect(responses['204']).toEqual({ ...none, headers: { ...headers, ...rule.headers } });
    expect(responses['404']).toEqual(response('OtherProblem'));
    expect(responsesWith({ parameters: [] })).toEqual({ '204': none, '500': reference('InternalError') });
  });

  describe('and other input adds the problem of a reused key', () => {
    const reused = { '422': response('IdempotencyKeyReusedProblem') };
    const header = { ...key, name: 'X-Client' };
    test.each<[string, Partial<OperationObject>, string, boolean]>([
      ['where it has a body', { requestBody: body }, '/things', true],
      [
        'where it has a path parameter',
        { parameters: [key, { ...key, name: 'id', in: 'path' }] },
        '/things/{id}',
        true,
      ],
      ['where it has a query parameter', { parameters: [key, { ...key, name: 'q', in: 'query' }] }, '/things', true],
      ['but not where only other headers differ', { parameters: [key, header] }, '/things', false],
      ['but not where nothing can differ', { parameters: [key] }, '/things', false],
      ['but not where it takes no key', { parameters: [header], requestBody: body }, '/things', false],
    ])('%s', (_what, operation, path, isAdded) => {
      const document = documentOf({ parameters: [key], ...operation }, path);
      const given = [...(document['x-derived-responses'] ?? []), rule];
      const derive = (rules: readonly DerivedReplies[]): string =>
        JSON.stringify(deriveReplies({ ...document, 'x-derived-responses': rules }).paths);
      const derived = derive([...given, { when: ['idempotent input'], adds: reused }]);
      expect(derived.includes('IdempotencyKeyReusedProblem')).toBe(isAdded);
      const fault = '422 lacks IdempotencyKeyReusedProblem, which the pipeline answers here';
      if (isAdded) expect(() => derive(given)).toThrow(fault);
      else expect(() => derive(given)).not.toThrow();
    });
  });

  test('does not require its headers of the other problems with the status', () => {
    expect(responsesWith({})['409']).toEqual(rule.adds['409']);
    const united = responsesWith({ responses: { '204': none, '409': response('OtherProblem') } })['409'];
    expect(united).toMatchObject({ headers: { 'Retry-After': { required: false } } });
  });
});

describe('A contract that contradicts the pipeline is refused:', () => {
  test.each<[string, Partial<OperationObject>, string]>([
    [
      'its own response lacks what is derived',
      { responses: { '500': response('OtherProblem') } },
      'POST /things: 500 lacks InternalErrorProblem, which the pipeline answers here',
    ],
    [
      '429 without a rate limit',
      { responses: { '429': response('RateLimitedProblem') } },
      '429 has RateLimitedProblem, which the pipeline never answers here',
    ],
    [
      '413 without a body',
      { responses: { '413': response('PayloadTooLargeProblem') } },
      '413 has PayloadTooLargeProblem, which the pipeline never answers here',
    ],
    [
      '401 of authentication without security',
      { responses: { '401': response('UnauthenticatedProblem') } },
      '401 has UnauthenticatedProblem, which the pipeline never answers here',
    ],
    [
      '406 without a reply that has a media type',
      { responses: { '204': none, '406': response('NotAcceptableProblem') } },
      '406 has NotAcceptableProblem, which the pipeline never answers here',
    ],
    [
      'x-never for a status that does not follow',
      { 'x-never': { '429': 'There is no limit.' } },
      'x-never names 429, which is not derived for this operation',
    ],
  ])('%s', (_what, operation, fault) => {
    expect(() => responsesOf(operation)).toThrow(fault);
  });

  test('a condition that does not exist', () => {
    const document = { ...documentOf({}), 'x-derived-responses': [{ when: ['Secured'], responses: {} }] };
    expect(() => deriveReplies(document)).toThrow("there is no condition 'Secured'");
  });
});

describe('x-never is refused', () => {
  const secured = { security: [{ bearer: [] }] };
  const key = { name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } } as const;
  const beforehand = (status: string): string => `x-never names ${status}, but before the operation's own code runs, `;
  const refuses = 'the pipeline refuses requests with it';

  test.each<[string, string, Partial<OperationObject>, string]>([
    ['for the 401 of a secured operation', '401', secured, refuses],
    ['for the 403 of a scope', '403', { security: [{ bearer: ['admin'] }] }, refuses],
    ['for the 406 of a reply with a body', '406', { responses: { '200': data } }, refuses],
    ['for the 400 of a body', '400', { requestBody: body }, refuses],
    ['for the 422 of a body', '422', { requestBody: body }, refuses],
    ['for the 429 of a rate limit', '429', { 'x-rate-limit': limit('ip') }, refuses],
    ['for the 500 of a secured operation', '500', secured, 'the look-up of the credential can fail'],
    [
      'for the 500 of an operation that serves anonymous callers too',
      '500',
      { security: [{}, { bearer: [] }] },
      'the look-up of the credential can fail',
    ],
    [
      'for the 500 of a limited operation',
      '500',
      { 'x-rate-limit': limit('ip') },
      'the count of the rate limit can fail',
    ],
    ['for the 500 of idempotency', '500', { parameters: [key] }, 'the look-up of the idempotency key can fail'],
  ])('%s', (_what, status, operation, step) => {
    const fault = beforehand(status) + step;
    expect(() => responsesWith({ ...operation, 'x-never': { [status]: 'It never does.' } })).toThrow(fault);
  });

  test('for a 401 that the operation documents as well', () => {
    const responses = { '401': response('UnauthenticatedProblem', 'OtherProblem') };
    const operation = { security: [{ certificate: [] }], responses, 'x-never': { '401': 'It starts a session.' } };
    expect(() => responsesWith(operation)).toThrow(beforehand('401') + refuses);
  });

  test('without a reason', () => {
    expect(() => responsesWith({ 'x-never': { '500': ' ' } })).toThrow('x-never gives no reason for 500');
  });

  test('but not where the server verifies tokens in memory', () => {
    const never = { '500': 'It reads nothing.' };
    expect(responsesWith({ security: [{ setting: [] }], 'x-never': never })).not.toHaveProperty('500');
  });

  test('but not for the 401 of an operation that checks the certificate holder itself', () => {
    const own = response('OtherProblem');
    const operation = { security: [{ certificate: [] }], 'x-never': { '401': 'It starts a session.' } };
    expect(responsesWith({ ...operation, responses: { '401': own } })['401']).toEqual(own);
    expect(() => responsesWith(operation)).toThrow(beforehand('401') + refuses);
  });

  /** The responses in an API that accepts tokens, a token of its settings, and certificates. */
  function responsesWith(operation: Partial<OperationObject>): Record<string, unknown> {
    const document = documentOf(operation);
    const http = { type: 'http', scheme: 'bearer' };
    const securitySchemes = {
      bearer: http,
      setting: { ...http, 'x-verified-in': 'memory' },
      certificate: { type: 'mutualTLS' },
    };
    const unavailable = { when: [], responses: { '503': response('ServiceUnavailableProblem') } };
    const rules = [...(document['x-derived-responses'] ?? []), unavailable];
    const components = { ...document.components, securitySchemes };
    const { paths = {} } = deriveReplies({ ...document, components, 'x-derived-responses': rules });
    return { ...Object.values(paths)[0]?.post?.responses };
  }
});

test.each([
  ['platform', '/api/v1/auth/me', ['401', '500', '503']],
  ['compose', '/containers', ['401', '403', '406']],
] as const)('No reply of a step of the pipeline can be excluded in the contract %s', async (api, path, statuses) => {
  const document = await bundleDocument(`openapi/${api}.yaml`);
  const { get, ...item } = document.paths?.[path] ?? {};
  if (get === undefined) throw new Error(`There is no GET ${path}`);
  const never = Object.fromEntries(statuses.map((status) => [status, 'never']));
  const changed = { ...document.paths, [path]: { ...item, get: { ...get, 'x-never': never } } };
  const read = (): unknown => deriveReplies({ ...document, paths: changed });
  for (const status of statuses) expect(read).toThrow(`GET ${path}: x-never names ${status}, but before`);
});

describe('Every response has the header X-Request-Id:', () => {
  const fault = 'has no required header X-Request-Id with x-set-by: pipeline';

  test.each<[string, Record<string, ResponseObject>, string]>([
    ['a success', { '204': { description: 'Done.' } }, '204'],
    ['a redirect', { '302': { description: 'Elsewhere.', headers: { Location: requestId } } }, '302'],
    ['an error', { '404': { ...response('OtherProblem'), headers: {} } }, '404'],
    ['an optional one', { '204': { ...none, headers: { 'X-Request-Id': { ...requestId, required: false } } } }, '204'],
    ['one that a handler sets', { '204': { ...none, headers: { 'X-Request-Id': { required: true } } } }, '204'],
  ])('%s', (_what, responses, status) => {
    expect(() => responsesOf({ responses })).toThrow(`POST /things: ${status} ${fault}`);
  });

  test('a derived response', () => {
    const document = documentOf({});
    const unmarked = { ...response('InternalErrorProblem'), headers: {} };
    const rules = [...(document['x-derived-responses'] ?? []), { when: [], responses: { '500': unmarked } }];
    expect(() => deriveReplies({ ...document, 'x-derived-responses': rules })).toThrow(`POST /things: 500 ${fault}`);
  });

  test('a reply without an operation', () => {
    const responses = { '404': { description: 'No.' } };
    const read = (): unknown => deriveReplies({ ...documentOf({}), 'x-api-responses': responses });
    expect(read).toThrow(`x-api-responses: 404 ${fault}`);
  });

  test('a shared response of the platform that only rules refer to', async () => {
    const document = await bundleDocument('openapi/platform.yaml');
    const changed = JSON.parse(
      JSON.stringify(document, (key, value: unknown) =>
        key === 'Unauthenticated' && typeof value === 'object' ? { ...value, headers: {} } : value,
      ),
    ) as OpenApiDocument; // as typed as its source
    expect(() => deriveReplies(changed)).toThrow(`GET /api/v1/auth/me: 401 ${fault}`);
  });
});

/** What only the gate can miss: which problem the security handlers choose, and the headers of a limited operation. */
const unknownToGenerator: Readonly<Record<string, readonly string[]>> = {
  platform: [
    'scope organization: 403',
    'scope member, path org_id: 403',
    'scope admin, limited: 403',
    'scope admin, path org_id: 403',
    'limited, body: 400',
    'limited, input: 422',
    'limited before authentication: 500',
  ],
  compose: [': 403'],
};

describe.each(['platform', 'compose'])('The contract %s', (api) => {
  let document: OpenApiDocument;
  let rules: readonly DerivedReplies[];
  beforeAll(async () => {
    document = await bundleDocument(`openapi/${api}.yaml`);
    rules = document['x-derived-responses'] ?? [];
  });

  test('is refused without any of the statuses that its rules derive and the pipeline determines', () => {
    const accepted = rules.flatMap((rule, index) =>
      (['responses', 'adds'] as const).flatMap((part) =>
        Object.keys(rule[part] ?? {})
          .filter((status) => {
            const others = Object.entries(rule[part] ?? {}).filter(([each]) => each !== status);
            const changed = { ...rule, [part]: Object.fromEntries(others) };
            return isAccepted({ ...document, 'x-derived-responses': rules.with(index, changed) });
          })
          .map((status) => `${rule.when.join(', ')}: ${status}`),
      ),
    );
    expect(accepted).toEqual(unknownToGenerator[api]);
  });

  test('is refused without its rules', () => {
    expect(isAccepted(document)).toBe(true);
    expect(isAccepted({ ...document, 'x-derived-responses': [] })).toBe(false);
  });

  test('has for every operation the replies that result from its security, body, parameters and replies', () => {
    const { paths = {}, components } = document;
    const served = deriveReplies(document).paths ?? {};
    const faults = Object.entries(paths).flatMap(([path, item]) =>
      (['get', 'put', 'post', 'patch', 'delete'] as const).flatMap((method) => {
        const operation = item[method];
        if (operation === undefined) return [];
        const security = operation.security ?? document.security ?? [];
        const isSecured = security.length > 0 && security.every((each) => Object.keys(each).length > 0);
        const schemes = security.flatMap((each) => Object.entries(each));
        const isLimited =
          operation['x-rate-limit'] !== undefined ||
          schemes.some(([name]) => components?.securitySchemes?.[name]?.['x-rate-limit'] !== undefined);
        const hasParameters = (item.parameters ?? []).length + (operation.parameters ?? []).length > 0;
        const hasBody = operation.requestBody !== undefined;
        const expected = [
          '500',
          ...(api === 'platform' ? ['503'] : []),
          ...(hasBody ? ['400', '413', '415'] : []),
          ...(hasParameters || (hasBody && operation.operationId !== 'logout') ? ['422'] : []), // logout accepts all
          ...(isLimited ? ['429'] : []),
          ...(isSecured ? ['401'] : []),
          ...(schemes.some(([, scopes]) => scopes.length > 0) ? ['403'] : []),
          ...(hasContent(document, operation) ? ['406'] : []),
        ];
        return expected
          .filter((status) => !(status in (operation['x-never'] ?? {})))
          .filter((status) => !(status in (served[path]?.[method]?.responses ?? {})))
          .map((status) => `${method} ${path} ${status}`);
      }),
    );
    expect(faults).toEqual([]);
  });
});

function isAccepted(document: OpenApiDocument): boolean {
  try {
    deriveReplies(document);
    return true;
  } catch (error) {
    expect(String(error)).toContain('The replies contradict the pipeline');
    return false;
  }
}

/** Whether a success has a body. */
function hasContent(document: OpenApiDocument, { responses }: OperationObject): boolean {
  return Object.entries(responses).some(
    ([status, given]) => Number(status) < 400 && resolve<ResponseObject>(document, given).content !== undefined,
  );
}
