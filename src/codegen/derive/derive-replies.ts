/** Adds the replies that follow from what an operation is: its security, body, parameters and rate limits. */
import { headerFaults } from '../check/header-rules.js';
import { acceptsAnything } from '../check/schema-places.js';
import {
  componentName,
  httpMethods,
  isIdempotencyKey,
  isReference,
  resolve,
  type DerivedReplies,
  type HeaderObject,
  type OpenApiDocument,
  type OperationObject,
  type ParameterObject,
  type PathItemObject,
  type Reference,
  type RequestBodyObject,
  type ResponseObject,
  type SchemaObject,
} from '../read/openapi-document.js';
import { pipelineReplies, stepThatGives, type PipelineReply } from './pipeline-replies.js';

type Responses = Readonly<Record<string, ResponseObject | Reference>>;

/**
 * Completes the responses of each operation by `x-derived-responses` of the document, and removes that extension and
 * `x-never`, so that the result is plain OpenAPI. An operation's own response takes precedence; it must then have the
 * problems of the derived one.
 *
 * @param document a bundled contract
 * @throws Error listing all operations whose responses contradict what the pipeline can answer
 */
export function deriveReplies(document: OpenApiDocument): OpenApiDocument {
  const { 'x-derived-responses': rules = [], ...rest } = document;
  const faults = rules
    .flatMap(({ when }) => when.filter((each) => !isCondition(each)))
    .map((each) => `there is no condition '${each}'`);
  const paths = Object.entries(document.paths ?? {}).map(([path, item]): [string, PathItemObject] => {
    const operations = httpMethods.flatMap((method): [string, OperationObject][] => {
      const operation = item[method];
      if (operation === undefined) return [];
      const { 'x-never': never = {}, ...plain } = operation;
      const conditions = conditionsOf(document, path, item, operation);
      const holding = rules.filter(({ when }) => when.every((condition) => conditions.includes(condition)));
      const derived = derivedResponses(holding);
      const kept = Object.entries(derived).filter(([status]) => never[status] === undefined);
      const responses = { ...Object.fromEntries(kept), ...withHeaders(document, holding, operation.responses) };
      const completed = { ...responses, ...additions(document, holding, responses) };
      const contradicting = new Set([
        ...exclusionFaults(document, conditions, derived, operation),
        ...contradictions(document, rules, holding, derived, operation),
        ...omissions(document, pipelineReplies(document, conditions), completed, never),
        ...headerFaults(document, completed),
      ]);
      faults.push(...[...contradicting].map((fault) => `${method.toUpperCase()} ${path}: ${fault}`));
      return [[method, { ...plain, responses: completed }]];
    });
    const completed: Partial<Record<string, OperationObject>> = Object.fromEntries(operations);
    return [path, { ...item, ...completed }];
  });
  const unrouted = headerFaults(document, document['x-api-responses'] ?? {});
  faults.push(...unrouted.map((fault) => `x-api-responses: ${fault}`));
  if (faults.length > 0) throw new Error(`The replies contradict the pipeline:\n- ${faults.join('\n- ')}`);
  return { ...rest, ...(document.paths !== undefined && { paths: Object.fromEntries(paths) }) };
}

/** The derived responses of an operation by status. Of several rules for a status, the last one counts. */
function derivedResponses(rules: readonly DerivedReplies[]): Responses {
  return Object.fromEntries(rules.flatMap(({ responses = {} }) => Object.entries(responses)));
}

/** The responses of an operation, with the headers that rules add to successes. */
function withHeaders(document: OpenApiDocument, rules: readonly DerivedReplies[], responses: Responses): Responses {
  const added = Object.fromEntries(rules.flatMap(({ headers = {} }) => Object.entries(headers)));
  if (Object.keys(added).length === 0) return responses;
  return Object.fromEntries(
    Object.entries(responses).map(([status, given]) => {
      if (Number(status) >= 400) return [status, given];
      const response = resolve<ResponseObject>(document, given);
      return [status, { ...response, headers: { ...response.headers, ...added } }];
    }),
  );
}

/** The responses to which rules add problems, by status. */
function additions(document: OpenApiDocument, rules: readonly DerivedReplies[], responses: Responses): Responses {
  const added = rules.flatMap(({ adds = {} }) => Object.entries(adds));
  const extended: Record<string, ResponseObject | Reference> = {};
  for (const [status, addition] of added) {
    const present = extended[status] ?? responses[status];
    extended[status] = present === undefined ? addition : united(document, present, addition);
  }
  return extended;
}

/** A response with the problems of both. A header that only the second one has is not part of every reply. */
function united(
  document: OpenApiDocument,
  present: ResponseObject | Reference,
  addition: ResponseObject | Reference,
): ResponseObject {
  const [first, second] = [present, addition].map((each) => resolve<ResponseObject>(document, each));
  const contents = [first, second].map((each) => each?.content?.['application/problem+json'] ?? {});
  const oneOf = contents.flatMap(({ schema = {} }): readonly unknown[] => {
    const { oneOf: branches } = schema;
    return Array.isArray(branches) ? branches : [schema];
  });
  const examples = Object.fromEntries(contents.flatMap(({ examples }) => Object.entries(examples ?? {})));
  const headers = Object.entries(second?.headers ?? {}).map(([name, given]): [string, HeaderObject | Reference] => [
    name,
    first?.headers?.[name] ?? { ...resolve<HeaderObject>(document, given), required: false },
  ]);
  return {
    ...first,
    headers: { ...first?.headers, ...Object.fromEntries(headers) },
    description: `${first?.description ?? ''} ${second?.description ?? ''}`.trim(),
    content: { 'application/problem+json': { schema: { oneOf }, examples } },
  };
}

/** What is true of an operation: the words of `when`. */
function conditionsOf(
  document: OpenApiDocument,
  path: string,
  item: PathItemObject,
  {
    parameters = [],
    requestBody,
    responses,
    security = document.security ?? [],
    'x-rate-limit': limits = [],
  }: OperationObject,
): string[] {
  const isSecured = security.length > 0 && security.every((each) => Object.keys(each).length > 0);
  const schemes = security.flatMap((each) => Object.entries(each));
  const scopes = schemes.flatMap(([, each]) => each);
  const hasReply = Object.entries(responses).some(
    ([status, response]) => Number(status) < 400 && resolve<ResponseObject>(document, response).content !== undefined,
  );
  const all = [...(item.parameters ?? []), ...parameters].map((each) => resolve<ParameterObject>(document, each));
  const isIdempotent = all.some(isIdempotencyKey);
  // What the fingerprint of a keyed request contains (`src/contract/idempotency.ts`).
  const hasVariants = requestBody !== undefined || path.includes('{') || all.some(({ in: place }) => place === 'query');
  const countsCallers = limits.some(({ key }) => key.some((part) => part.startsWith('principal.')));
  return [
    ...(isSecured ? ['secured'] : []),
    ...scopes.map((scope) => `scope ${scope}`),
    ...schemes.map(([name]) => `scheme ${name}`),
    ...schemes.filter(([, each]) => each.length > 0).map(([name]) => `scoped ${name}`),
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `path ${String(name)}`),
    ...(hasReply ? ['reply'] : []),
    ...(requestBody === undefined ? [] : ['body']),
    ...(all.length > 0 || canBeInvalid(document, requestBody) ? ['input'] : []),
    ...(isIdempotent ? ['idempotent'] : []),
    ...(isIdempotent && hasVariants ? ['idempotent input'] : []),
    ...(limits.length > 0 ? ['limited'] : []),
    ...(limits.length > 0 && !countsCallers ? ['limited before authentication'] : []),
  ];
}

/** Whether a request can have a body that the schema refuses, or lack a required one. */
function canBeInvalid(document: OpenApiDocument, requestBody: OperationObject['requestBody']): boolean {
  if (requestBody === undefined) return false;
  const { required, content } = resolve<RequestBodyObject>(document, requestBody);
  const schemas = Object.values(content).map(({ schema }) => resolve<SchemaObject>(document, schema ?? {}));
  return required === true || !schemas.every(acceptsAnything);
}

function isCondition(text: string): boolean {
  return /^(?:secured|(?:scope|scheme|scoped|path) \w+|reply|body|input|idempotent(?: input)?|limited(?: before authentication)?)$/.test(
    text,
  );
}

/** The statuses that `x-never` cannot exclude, because they do not depend on the operation's own code alone. */
function exclusionFaults(
  document: OpenApiDocument,
  conditions: readonly string[],
  derived: Responses,
  { responses, 'x-never': never = {} }: OperationObject,
): string[] {
  return Object.entries(never).flatMap(([status, reason]) => {
    const [usual, own] = [derived[status], responses[status]];
    if (usual === undefined) return [`x-never names ${status}, which is not derived for this operation`];
    // YAML allows other values than text.
    if (typeof reason !== 'string' || reason.trim() === '') return [`x-never gives no reason for ${status}`];
    const step = stepThatGives(document, conditions, status, own !== undefined && !isPartOf(document, usual, own));
    return step === null ? [] : [`x-never names ${status}, but before the operation's own code runs, ${step}`];
  });
}

/** Whether a response has one of the problems of another one. */
function isPartOf(document: OpenApiDocument, usual: Responses[string], own: Responses[string]): boolean {
  const stated = problemsIn(document, own);
  return problemsIn(document, usual).some((name) => stated.includes(name));
}

/** What the contract says of an operation that the pipeline does not do, or the other way round. */
function contradictions(
  document: OpenApiDocument,
  rules: readonly DerivedReplies[],
  holding: readonly DerivedReplies[],
  derived: Responses,
  { responses, 'x-never': never = {} }: OperationObject,
): string[] {
  const faults: string[] = [];
  for (const [status, response] of Object.entries(responses)) {
    const stated = problemsIn(document, response);
    const expected =
      derived[status] === undefined || never[status] !== undefined ? [] : problemsIn(document, derived[status]);
    for (const name of expected.filter((each) => !stated.includes(each))) {
      faults.push(`${status} lacks ${name}, which the pipeline answers here`);
    }
    const added = holding.flatMap(({ adds = {} }) => Object.values(adds));
    const raised = [...Object.values(derived), ...added].flatMap((each) => problemsIn(document, each));
    const ofPipeline = rules
      .flatMap((rule) => [...Object.values(rule.responses ?? {}), ...Object.values(rule.adds ?? {})])
      .flatMap((each) => problemsIn(document, each));
    for (const name of stated) {
      const isForeign = ofPipeline.includes(name) && !raised.includes(name) && isRaisedByPipelineAlone(document, name);
      if (isForeign) faults.push(`${status} has ${name}, which the pipeline never answers here`);
    }
  }
  return faults;
}

/** What the pipeline answers and the completed responses do not have. */
function omissions(
  document: OpenApiDocument,
  answered: readonly PipelineReply[],
  responses: Responses,
  never: Readonly<Record<string, string>>,
): string[] {
  return answered.flatMap(({ status, problem }) => {
    if (never[status] !== undefined) return [];
    const response = responses[status];
    if (response === undefined) return [`${status} is missing, which the pipeline answers here`];
    const isStated = problem === null || problemsIn(document, response).includes(problem);
    return isStated ? [] : [`${status} lacks ${problem}, which the pipeline answers here`];
  });
}

/** The names of the problem schemas of a response. */
function problemsIn(document: OpenApiDocument, response: ResponseObject | Reference): string[] {
  const { content = {} } = resolve<ResponseObject>(document, response);
  const schema = content['application/problem+json']?.schema ?? {};
  const branches: unknown[] = Array.isArray(schema['oneOf']) ? schema['oneOf'] : [schema];
  return branches.flatMap((branch) =>
    typeof branch === 'object' && branch !== null && isReference(branch) ? [componentName(branch.$ref)] : [],
  );
}

function isRaisedByPipelineAlone(document: OpenApiDocument, name: string): boolean {
  const schema: SchemaObject = document.components?.schemas?.[name] ?? {};
  const problem = schema['x-problem'];
  return typeof problem === 'object' && problem !== null && Reflect.get(problem, 'raised-by') === 'pipeline';
}
