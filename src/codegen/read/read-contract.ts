import type {
  ApiContract,
  Operation,
  ParameterGroup,
  ParameterPlace,
  ProblemUse,
  ReplyHeader,
  ReplyModel,
  RequestBody,
  Security,
  SecurityScheme,
} from './contract-model.js';
import { exampleFaults } from '../check/example-rules.js';
import { idempotencyFaults } from '../check/idempotency-rules.js';
import { readDeprecation } from '../derive/deprecation.js';
import { readErrorForm, withErrorForms } from '../derive/error-forms.js';
import { kebabCase, withoutProblemSuffix } from '../derive/naming.js';
import { namingFaults } from '../check/naming-rules.js';
import {
  componentName,
  httpMethods,
  isRecord,
  isIdempotencyKey,
  isReference,
  resolve,
  type HeaderObject,
  type OpenApiDocument,
  type OperationObject,
  type ParameterObject,
  type PathItemObject,
  type RateLimitExtension,
  type RequestBodyObject,
  type ResponseObject,
  type SchemaObject,
} from './openapi-document.js';
import { replyFaults } from '../check/reply-rules.js';
import { acceptsAnything } from '../check/schema-places.js';
import { schemaFaults } from '../check/schema-rules.js';
import { checkTool, readToolExtension } from '../check/tool-rules.js';

const problemMediaType = 'application/problem+json';
/** Bodies with a suffix of JSON (RFC 6839) are read like it. */
const jsonBody = /^application\/(?:[a-z0-9.-]+\+)?json$/;
const jsonMediaTypes = ['application/json', 'application/scim+json'];
const formMediaType = 'application/x-www-form-urlencoded';
/** YAML is text: its handler parses it. */
const otherBodyMediaTypes = [formMediaType, 'application/yaml'];
const replyMediaTypes = [...jsonMediaTypes, 'application/x-ndjson', 'text/event-stream', 'text/plain', 'text/html'];
const defaultMaxBodyBytes = 65_536;

/**
 * Reads one bundled contract into the model that the emitters use.
 *
 * @param name the contract's name, which becomes the folder under `generated/`
 * @param document the bundled OpenAPI document
 * @throws Error listing all violated rules of `openapi/README.md`
 */
export function readContract(name: string, document: OpenApiDocument): ApiContract {
  const faults = [schemaFaults, replyFaults, namingFaults].flatMap((rule) => rule(document));
  const securitySchemes = readSecuritySchemes(document);
  const operations: Operation[] = [];
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of httpMethods) {
      const operation = item[method];
      if (operation === undefined) continue;
      const place = `${method.toUpperCase()} ${path}`;
      try {
        faults.push(...exampleFaults(document, item, operation).map((fault) => `${place}: ${fault}`));
        operations.push(readOperation(document, securitySchemes, path, method, item, operation));
      } catch (error) {
        faults.push(`${place}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
  const ids = operations.map((operation) => operation.id);
  for (const id of ids.filter((id, index) => ids.indexOf(id) !== index)) faults.push(`operationId ${id} is used twice`);
  faults.push(...idempotencyFaults(operations));
  const tools = operations.flatMap(({ tool }) => tool?.name ?? []);
  for (const tool of tools.filter((each, index) => tools.indexOf(each) !== index))
    faults.push(`the tool ${tool} exists twice`);
  if (faults.length > 0) throw new Error(`The contract ${name} violates its rules:\n- ${faults.join('\n- ')}`);
  const apiProblems = readApiProblems(document);
  return { name, document: withErrorForms(document), operations, securitySchemes, apiProblems };
}

function readOperation(
  document: OpenApiDocument,
  schemes: readonly SecurityScheme[],
  path: string,
  method: string,
  item: PathItemObject,
  operation: OperationObject,
): Operation {
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((parameter) =>
    resolve<ParameterObject>(document, parameter),
  );
  const group = (place: ParameterPlace): ParameterGroup | null => groupParameters(document, parameters, place);
  const security = readSecurity(document, schemes, operation);
  const isIdempotent = parameters.some(isIdempotencyKey);
  if (isIdempotent && (method !== 'post' || security.anonymous)) {
    throw new Error('Idempotency-Key is for POST with a caller: keys belong to callers, and other methods need none');
  }
  const read = {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    tag: operation.tags?.[0] ?? '',
    summary: operation.summary,
    parameters: { path: group('path'), query: group('query'), header: group('header'), cookie: group('cookie') },
    body: operation.requestBody === undefined ? null : readBody(document, operation.requestBody),
    maxBodyBytes: operation['x-max-body-bytes'] ?? document['x-max-body-bytes'] ?? defaultMaxBodyBytes,
    security,
    isIdempotent,
    rateLimits: readRateLimits(operation),
    deprecationHeaders: readDeprecation(operation),
    errorForm: readErrorForm(operation),
    replies: Object.entries(operation.responses).map(([status, response]) =>
      readReply(document, status, resolve<ResponseObject>(document, response)),
    ),
  };
  return { ...read, tool: readTool(document, schemes, operation, read) };
}

/** @throws Error when a limit counts replies of a status that the operation does not have */
function readRateLimits({ 'x-rate-limit': limits = [], responses }: OperationObject): readonly RateLimitExtension[] {
  for (const { name, counts = [] } of limits) {
    const missing = counts.filter((status) => !(String(status) in responses));
    if (missing.length > 0)
      throw new Error(`the rate limit ${name} counts ${missing.join(', ')}, which it never answers`);
  }
  return limits;
}

function readTool(
  document: OpenApiDocument,
  schemes: readonly SecurityScheme[],
  { 'x-mcp': extension, summary }: OperationObject,
  operation: Omit<Operation, 'tool'>,
): Operation['tool'] {
  if (extension === undefined) return null;
  const tool = readToolExtension(extension, summary);
  const body = operation.body === null ? null : resolve<SchemaObject>(document, operation.body.schema);
  checkTool(tool, operation, schemes, body);
  return tool;
}

function groupParameters(
  document: OpenApiDocument,
  all: readonly ParameterObject[],
  place: ParameterPlace,
): ParameterGroup | null {
  const parameters = all.filter((parameter) => parameter.in === place);
  if (parameters.length === 0) return null;
  // Node passes header names in lower case.
  const nameOf = (parameter: ParameterObject): string =>
    place === 'header' ? parameter.name.toLowerCase() : parameter.name;
  const properties = Object.fromEntries(parameters.map((parameter) => [nameOf(parameter), parameter.schema]));
  const resolved = parameters.map((parameter) => ({
    name: nameOf(parameter),
    schema: resolve<SchemaObject>(document, parameter.schema),
  }));
  return {
    schema: {
      type: 'object',
      properties,
      required: parameters.filter((parameter) => parameter.required === true).map(nameOf),
      // A request may contain other headers, and the cookies of other services on its host.
      additionalProperties: place === 'header' || place === 'cookie',
    },
    names: resolved.map(({ name }) => name),
    lists: resolved.filter(({ schema }) => schema['type'] === 'array').map(({ name }) => name),
    defaulted: resolved.filter(({ schema }) => schema['default'] !== undefined).map(({ name }) => name),
  };
}

function readBody(document: OpenApiDocument, body: RequestBodyObject | { $ref: string }): RequestBody {
  const { required, content } = resolve<RequestBodyObject>(document, body);
  const [entry, ...others] = Object.entries(content);
  if (entry === undefined || others.length > 0) throw new Error('a request body has exactly one media type');
  const [mediaType, { schema }] = entry;
  const isJson = jsonBody.test(mediaType);
  if (!isJson && !otherBodyMediaTypes.includes(mediaType))
    throw new Error(`request bodies of type ${mediaType} are not supported`);
  if (schema === undefined) throw new Error('the request body has no schema');
  const resolved = resolve<SchemaObject>(document, schema);
  const { type, properties } = resolved;
  if (mediaType === formMediaType) {
    if (type !== 'object') throw new Error('a form has names and values, so its schema must be an object');
  } else if (!isJson && type !== 'string') {
    throw new Error(`a body of type ${mediaType} is text, so its schema must be a string`);
  }
  const defaulted = Object.entries(isRecord(properties) ? properties : {})
    .filter(([, property]) => isRecord(property) && property['default'] !== undefined)
    .map(([name]) => name);
  const emails = Object.entries(isRecord(properties) ? properties : {})
    .filter(([, property]) => isRecord(property) && normalizationOf(document, property) === 'email')
    .map(([name]) => name);
  return {
    required: required === true,
    mediaType,
    schema,
    defaulted,
    emails,
    acceptsAnything: acceptsAnything(resolved),
  };
}

function normalizationOf(document: OpenApiDocument, schema: SchemaObject): 'email' | null {
  const kind = resolve<SchemaObject>(document, schema)['x-normalize'];
  if (kind === undefined || kind === 'email') return kind ?? null;
  throw new Error(`x-normalize: ${JSON.stringify(kind)} is not supported`);
}

function readReply(document: OpenApiDocument, statusText: string, response: ResponseObject): ReplyModel {
  const status = Number(statusText);
  if (!Number.isInteger(status)) throw new Error(`status ${statusText}: statuses must be numbers`);
  const contents = Object.entries(response.content ?? {});
  const [entry, ...others] = contents;
  if (others.length > 0) throw new Error(`status ${status} has more than one media type`);
  if (entry?.[0] === problemMediaType) {
    return { kind: 'problem', status, problems: problemsOf(document, entry[1].schema, status, `status ${status}`) };
  }
  const { 'x-problems': formed } = response;
  if (formed !== undefined)
    return { kind: 'problem', status, problems: problemsOf(document, formed, status, `status ${status}`) };
  if (status >= 400) throw new Error(`status ${status} is an error and must be ${problemMediaType}`);
  if (entry !== undefined && !replyMediaTypes.includes(entry[0])) {
    throw new Error(`replies of type ${entry[0]} are not supported`);
  }
  return {
    kind: 'success',
    status,
    mediaType: entry?.[0] ?? null,
    schema: entry?.[1].schema ?? null,
    headers: readHeaders(document, response),
  };
}

function readHeaders(document: OpenApiDocument, response: ResponseObject): ReplyHeader[] {
  return Object.entries(response.headers ?? {}).map(([name, reference]) => {
    const header = resolve<HeaderObject>(document, reference);
    const type = header.schema?.['type'];
    return {
      name,
      required: header.required === true,
      type: type === 'integer' || type === 'number' ? 'number' : 'string',
      setBy: header['x-set-by'] ?? 'handler',
    };
  });
}

function problemsOf(
  document: OpenApiDocument,
  schema: SchemaObject | undefined,
  status: number,
  where: string,
): ProblemUse[] {
  const oneOf = schema?.['oneOf'];
  const branches: unknown[] = Array.isArray(oneOf) ? oneOf : [schema];
  return branches.map((branch) => {
    const schemaName = isRecord(branch) && isReference(branch) ? componentName(branch.$ref) : '';
    const problem = document.components?.schemas?.[schemaName];
    // The bundled document does not have the file. Only the catalogue has schemas with `x-problem`.
    if (!schemaName.endsWith('Problem') || !isRecord(problem?.['x-problem'])) {
      throw new Error(`${where}: an error's schema is a $ref into problems.yaml, or a oneOf of such references`);
    }
    if (!canHaveStatus(problem, status)) {
      throw new Error(`${where}: ${schemaName} has a different status`);
    }
    return { schemaName, slug: kebabCase(withoutProblemSuffix(schemaName)) };
  });
}

function canHaveStatus(problem: SchemaObject | undefined, status: number): boolean {
  const properties = problem?.['properties'];
  const stated = isRecord(properties) ? properties['status'] : undefined;
  if (!isRecord(stated)) return false;
  return stated['const'] === status || (Array.isArray(stated['enum']) && stated['enum'].includes(status));
}

function readApiProblems(document: OpenApiDocument): ProblemUse[] {
  return Object.entries(document['x-api-responses'] ?? {}).flatMap(([status, response]) => {
    const content = resolve<ResponseObject>(document, response).content?.[problemMediaType];
    return problemsOf(document, content?.schema, Number(status), `x-api-responses ${status}`);
  });
}

function readSecuritySchemes(document: OpenApiDocument): SecurityScheme[] {
  return Object.entries(document.components?.securitySchemes ?? {}).map(([name, scheme]) => {
    const principal = scheme['x-principal'];
    if (principal === undefined) throw new Error(`security scheme ${name} has no x-principal`);
    const kind = scheme.type === 'http' && scheme.scheme === 'bearer' ? 'bearer' : scheme.type;
    if (kind !== 'bearer' && kind !== 'mutualTLS') throw new Error(`security scheme ${name}: ${kind} is not supported`);
    const scopes = Object.entries(scheme['x-scopes'] ?? {}).map(([scope, { description, principal: narrowed }]) => ({
      name: scope,
      description,
      principal: narrowed ?? principal,
    }));
    const { 'x-token-prefix': prefix = null, 'x-rate-limit': rateLimits = [], 'x-verified-in': place } = scheme;
    if (place !== undefined && (kind !== 'bearer' || place !== 'memory'))
      throw new Error(`security scheme ${name}: x-verified-in is memory, for bearer tokens`);
    return { name, kind, prefix, rateLimits, principal, scopes };
  });
}

function readSecurity(
  document: OpenApiDocument,
  schemes: readonly SecurityScheme[],
  operation: OperationObject,
): Security {
  const requirements = operation.security ?? document.security;
  if (requirements === undefined) throw new Error('security is missing');
  const anonymous = requirements.length === 0 || requirements.some((each) => Object.keys(each).length === 0);
  if (requirements.some((each) => Object.keys(each).length > 1)) throw new Error('two security schemes at once');
  const used = requirements
    .flatMap((each) => Object.entries(each))
    .map(([name, scopes]) => useOf(schemes, name, scopes));
  const prefixes = used.map(({ scheme }) => scheme.prefix);
  if (new Set(prefixes).size < prefixes.length) throw new Error('alternatives need different x-token-prefix');
  const isLimitedBefore = (operation['x-rate-limit'] ?? []).some(({ key }) => !key.some(isOfPrincipal));
  if (isLimitedBefore && used.some(({ scheme }) => scheme.rateLimits.length > 0)) {
    throw new Error('limited before authentication, and by its security scheme after it');
  }
  return { anonymous, schemes: used.map(({ scheme, ...use }) => ({ name: scheme.name, ...use })) };
}

function isOfPrincipal(part: string): boolean {
  return part.startsWith('principal.');
}

function useOf(
  schemes: readonly SecurityScheme[],
  name: string,
  scopes: readonly string[],
): { readonly scheme: SecurityScheme; readonly scope: string | null; readonly principal: string } {
  const scheme = schemes.find((each) => each.name === name);
  if (scheme === undefined) throw new Error(`security scheme ${name} does not exist`);
  if (scopes.length > 1) throw new Error('at most one scope of a scheme: name the lowest sufficient one');
  const scope = scopes[0] === undefined ? null : scheme.scopes.find((each) => each.name === scopes[0]);
  if (scope === undefined) throw new Error(`scope ${String(scopes[0])} is not in x-scopes of ${name}`);
  return { scheme, scope: scope?.name ?? null, principal: (scope?.principal ?? scheme.principal).name };
}
