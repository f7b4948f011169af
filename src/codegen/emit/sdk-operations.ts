import type { ApiContract, Operation, ProblemReplies, SuccessReply } from '../read/contract-model.js';
import { componentName, isReference, type SchemaObject } from '../read/openapi-document.js';
import { pascalCase, quote } from '../derive/naming.js';
import { header } from './header.js';
import { sdkDocs } from './sdk-docs.js';
import { tokensIn } from './sdk-tokens.js';

const formats: Readonly<Record<string, string>> = {
  'application/json': 'json',
  'application/scim+json': 'scim',
  'application/x-ndjson': 'ndjson',
  'text/event-stream': 'events',
  'text/html': 'html',
  'text/plain': 'text',
};

/** The media types of replies that are read as they arrive. */
export const streams: ReadonlySet<string> = new Set(['application/x-ndjson', 'text/event-stream']);

/** What an editor shows of the members of a request. */
const memberDocs = {
  params: 'The values of the path.',
  query: 'The parameters of the query.',
  headers: 'The headers that the operation reads, and additional ones.',
  body: 'The body of the request.',
};

/** The model has the names of headers in lower case. */
const idempotencyKey = 'idempotency-key';

/**
 * Emits the SDK's part of one API: per operation the type of its request, the closed union of its results, and a
 * function. Functions instead of methods allow bundlers to remove unused operations.
 */
export function emitSdkOperations(contract: ApiContract): string {
  const operations = contract.operations.map((operation) => emitOperation(contract, operation)).join('');
  const used = (...names: string[]): string[] => names.filter((name) => new RegExp(`\\b${name}\\b`).test(operations));
  const typeImport = (names: readonly string[], from: string): string =>
    names.length === 0 ? '' : `import type { ${names.join(', ')} } from '${from}';\n`;
  return [
    header(`openapi/${contract.name}.yaml`),
    typeImport(['ApiClient'], '../../client.js'),
    used('formats').length === 0 ? '' : `import * as formats from '../../formats.js';\n`,
    typeImport(used('CallOptions', 'KeyedCallOptions', 'Parameters', 'TokenCallOptions'), '../../operation.js'),
    typeImport(used('Failure', 'Success'), '../../result.js'),
    used('scimProblem').length === 0 ? '' : `import { scimProblem, type ScimProblem } from '../../scim-problem.js';\n`,
    typeImport(['components', ...used('operations')], './openapi.js'),
    '\n',
    `export type Schemas = components['schemas'];\n\n`,
    `export type ${pascalCase(contract.name)}Client = ApiClient<${quote(contract.name)}>;\n\n`,
    `/** The version of the API that this client is generated from. */\nexport const apiVersion = ${quote(contract.document.info.version)};\n`,
    operations,
  ].join('');
}

function emitOperation(contract: ApiContract, operation: Operation): string {
  const name = pascalCase(operation.id);
  const issues = tokensIn(contract.document, operation);
  const { members, required } = requestMembers(operation);
  const options = [
    ...(issues === null ? [] : ['TokenCallOptions']),
    ...(operation.isIdempotent ? ['KeyedCallOptions'] : []),
  ];
  if (options.length === 0) options.push('CallOptions');
  const request =
    members.length === 0
      ? `export type ${name}Request = ${options.join(' & ')};`
      : `export interface ${name}Request extends ${options.join(', ')} { ${members.join('; ')} }`;
  const results = operation.replies.map((reply) =>
    reply.kind === 'success' ? successType(operation, reply) : failureType(operation, reply),
  );
  return `
/** \`${operation.method} ${operation.path}\` */
${request}
export type ${name}Result = ${results.join(' | ')};
${sdkDocs(contract, operation)}
export function ${operation.id}(client: ${pascalCase(contract.name)}Client, request${required ? '' : '?'}: ${name}Request): Promise<${name}Result> {
  return client.call({ ${descriptor(contract, operation, issues).join(', ')} }, request);
}
`;
}

function requestMembers(operation: Operation): { members: string[]; required: boolean } {
  const { path, query, header: headers } = operation.parameters;
  const parameters = `operations[${quote(operation.id)}]['parameters']`;
  const members: string[] = [];
  let required = false;
  const add = (name: keyof typeof memberDocs, isRequired: boolean, type: string): void => {
    members.push(
      `\n/** ${memberDocs[name]} */\nreadonly ${name}${isRequired ? '' : '?'}: ${type}${isRequired ? '' : ' | undefined'}`,
    );
    required ||= isRequired;
  };
  if (path !== null) add('params', true, `${parameters}['path']`);
  if (query !== null) add('query', hasRequired(query.schema), `Parameters<NonNullable<${parameters}['query']>>`);
  // The client sends the idempotency key.
  const isSetByCaller = headers?.names.some((each) => each !== idempotencyKey) === true;
  if (headers !== null && isSetByCaller) {
    const documented = `Parameters<NonNullable<${parameters}['header']>>`;
    add('headers', hasRequired(headers.schema), `NonNullable<CallOptions['headers']> & ${documented}`);
  }
  if (operation.body !== null) {
    const { mediaType, schema } = operation.body;
    const inline = `NonNullable<operations[${quote(operation.id)}]['requestBody']>['content'][${quote(mediaType)}]`;
    add('body', operation.body.required, schemaType(schema, inline));
  }
  return { members, required };
}

function hasRequired({ required }: SchemaObject): boolean {
  return Array.isArray(required) && required.length > 0;
}

function successType(operation: Operation, { status, mediaType, schema }: SuccessReply): string {
  if (mediaType === null || schema === null) return `Success<${status}, undefined>`;
  const inline = `operations[${quote(operation.id)}]['responses'][${status}]['content'][${quote(mediaType)}]`;
  const type = schemaType(schema, inline);
  return `Success<${status}, ${streams.has(mediaType) ? `AsyncIterable<${type}>` : type}>`;
}

function failureType({ errorForm }: Operation, { status, problems }: ProblemReplies): string {
  if (errorForm === 'scim') return `Failure<${status}, ScimProblem>`;
  return `Failure<${status}, ${problems.map(({ schemaName }) => `Schemas[${quote(schemaName)}]`).join(' | ')}>`;
}

function schemaType(schema: SchemaObject, inline: string): string {
  return isReference(schema) ? `Schemas[${quote(componentName(schema.$ref))}]` : inline;
}

/** The operation as data: `Operation` in `sdk/src/operation.ts`. */
function descriptor(contract: ApiContract, operation: Operation, issues: 'reply' | 'tokens' | null): string[] {
  const successes = operation.replies.filter((reply) => reply.kind === 'success');
  const mediaTypes = new Set(successes.flatMap(({ mediaType }) => (mediaType === null ? [] : [mediaType])));
  const [mediaType, ...others] = mediaTypes;
  if (others.length > 0) throw new Error(`${operation.id}: the SDK reads one media type per operation`);
  // The client sends the credential that it has to every operation that takes bearer tokens.
  const [first] = operation.security.schemes;
  const scheme = contract.securitySchemes.find(({ name }) => name === first?.name);
  const sends = operation.body?.mediaType;
  return [
    `path: ${quote(operation.path)}`,
    `method: ${quote(operation.method.toLowerCase())}`,
    `statuses: [${successes.map(({ status }) => status).join(', ')}]`,
    ...(mediaType === undefined ? [] : [`format: formats.${formatOf(mediaType)}`]),
    // The client sends JSON unless the operation says otherwise.
    ...(sends === undefined || sends === 'application/json' ? [] : [`sends: ${quote(sends)}`]),
    ...(operation.errorForm === 'scim' ? ['problemOf: scimProblem'] : []),
    ...(scheme?.kind === 'bearer' ? [`scheme: ${quote(scheme.name)}`] : []),
    ...(operation.isIdempotent ? ['keyed: true'] : []),
    ...(issues === null ? [] : [`issues: ${quote(issues)}`]),
  ];
}

function formatOf(mediaType: string): string {
  const format = formats[mediaType];
  if (format === undefined) throw new Error(`The SDK has no format for ${mediaType}`);
  return format;
}
