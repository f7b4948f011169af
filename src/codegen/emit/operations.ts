import type { ApiContract, Operation, Problem, ReplyModel, SuccessReply } from '../read/contract-model.js';
import { isReference, componentName, type SchemaObject } from '../read/openapi-document.js';
import { pascalCase, quote, unionOf, withoutProblemSuffix } from '../derive/naming.js';
import { header } from './header.js';

/**
 * Emits per operation the type of its request, the closed union of its replies and the type of its handler, and for
 * the whole API the interface that the handlers implement.
 */
export function emitOperations(contract: ApiContract, problems: readonly Problem[]): string {
  const ofHandlers = new Set(problems.filter(({ raisedBy }) => raisedBy !== 'pipeline').map((each) => each.schemaName));
  refuseUnsent(contract, problems);
  const operations = contract.operations.map((operation) => emitOperation(operation, ofHandlers)).join('');
  const shared = ['OperationHandler', 'OperationRequest', 'ServerSentEvent', 'SuccessReply', 'WithDefaults'];
  return [
    header(`openapi/${contract.name}.yaml`),
    `import type { ${shared.filter((name) => operations.includes(`${name}<`)).join(', ')} } from '@plumbline/contract/contract-types';\n`,
    `import type * as Problems from '../problems.js';\n`,
    `import type { components as Principals } from './principals.js';\n`,
    `import type { components, operations } from '../../sdk/src/generated/${contract.name}/openapi.js';\n\n`,
    `export type Schemas = components['schemas'] & Principals['schemas'];\n\n`,
    operations,
    emitHandlers(contract),
  ].join('');
}

/** A problem that only a command line raises cannot be a reply. */
function refuseUnsent(contract: ApiContract, problems: readonly Problem[]): void {
  const unsent = new Set(problems.filter(({ raisedBy }) => raisedBy === 'command-line').map((each) => each.schemaName));
  for (const { id, replies } of contract.operations) {
    const used = replies.flatMap((reply) => (reply.kind === 'problem' ? reply.problems : []));
    const wrong = used.find(({ schemaName }) => unsent.has(schemaName));
    if (wrong !== undefined) throw new Error(`${id} returns ${wrong.schemaName}, which only a command line raises`);
  }
}

function emitOperation(operation: Operation, ofHandlers: ReadonlySet<string>): string {
  const name = pascalCase(operation.id);
  const replies = operation.replies.flatMap((reply) => replyTypes(operation, reply, ofHandlers));
  return `
/** \`${operation.method} ${operation.path}\` */
export type ${name}Request = OperationRequest<{ ${requestParts(operation).join('; ')} }>;
export type ${name}Reply = ${[...new Set(replies)].join(' | ')};
/** ${operation.summary} (\`${operation.method} ${operation.path}\`). */
export type ${name}Handler<Dependencies> = OperationHandler<${name}Request, ${name}Reply, Dependencies>;
`;
}

function requestParts(operation: Operation): string[] {
  const { path, query, header: headers, cookie: cookies } = operation.parameters;
  const parameters = `operations[${quote(operation.id)}]['parameters']`;
  const parts: string[] = [];
  if (path !== null) parts.push(`params: ${parameters}['path']`);
  if (query !== null) parts.push(`query: ${defaulted(`NonNullable<${parameters}['query']>`, query.defaulted)}`);
  if (headers !== null) parts.push(`headers: ${texts(headers.names)}`);
  if (cookies !== null) parts.push(`cookies: ${texts(cookies.names)}`);
  if (operation.body !== null) {
    const inline = `NonNullable<operations[${quote(operation.id)}]['requestBody']>['content'][${quote(operation.body.mediaType)}]`;
    const type = defaulted(schemaType(operation.body.schema, inline), operation.body.defaulted);
    parts.push(`body: ${operation.body.required ? type : `${type} | undefined`}`);
  }
  const { anonymous, schemes } = operation.security;
  const principals = new Set(schemes.map(({ principal }) => `Schemas[${quote(principal)}]`));
  if (schemes.length > 0) parts.push(`principal: ${[...principals, ...(anonymous ? ['null'] : [])].join(' | ')}`);
  return parts;
}

function texts(names: readonly string[]): string {
  return `{ readonly ${names.map((each) => `${quote(each)}?: string`).join('; ')} }`;
}

function defaulted(type: string, names: readonly string[]): string {
  return names.length === 0 ? type : `WithDefaults<${type}, ${unionOf(names)}>`;
}

function schemaType(schema: SchemaObject, inline: string): string {
  return isReference(schema) ? `Schemas[${quote(componentName(schema.$ref))}]` : inline;
}

function replyTypes(operation: Operation, reply: ReplyModel, ofHandlers: ReadonlySet<string>): string[] {
  if (reply.kind === 'success') return [successType(operation, reply)];
  return reply.problems
    .filter(({ schemaName }) => ofHandlers.has(schemaName))
    .map(({ schemaName }) => `Problems.${withoutProblemSuffix(schemaName)}`);
}

function successType(operation: Operation, reply: SuccessReply): string {
  const headers = reply.headers
    .filter(({ setBy }) => setBy === 'handler')
    .map(({ name, required, type }) => `readonly ${quote(name)}${required ? '' : '?'}: ${type}`);
  const parts = [String(reply.status), bodyType(operation, reply)];
  if (headers.length > 0) parts.push(`{ ${headers.join('; ')} }`);
  return `SuccessReply<${parts.join(', ')}>`;
}

function bodyType(operation: Operation, reply: SuccessReply): string {
  if (reply.mediaType === null || reply.schema === null) return 'never';
  const content = `operations[${quote(operation.id)}]['responses'][${reply.status}]['content'][${quote(reply.mediaType)}]`;
  const type = schemaType(reply.schema, content);
  if (reply.mediaType === 'text/event-stream') return `AsyncIterable<ServerSentEvent<${type}>>`;
  return reply.mediaType === 'application/x-ndjson' ? `AsyncIterable<${type}>` : type;
}

function emitHandlers(contract: ApiContract): string {
  const name = pascalCase(contract.name);
  const members = contract.operations.map(
    ({ id, method, path, summary }) =>
      `  /** ${summary} (\`${method} ${path}\`). */\n  readonly ${id}: ${pascalCase(id)}Handler<Dependencies>;\n`,
  );
  return `
/** One handler per operation of the contract. */
export interface ${name}Handlers<Dependencies> {
${members.join('')}}
`;
}
