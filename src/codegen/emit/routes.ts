import type { ApiContract, Operation, ParameterGroup, ParameterPlace, ReplyModel } from '../read/contract-model.js';
import { pascalCase, quote } from '../derive/naming.js';
import { header } from './header.js';
import { serializerName } from './serializers.js';
import { validatorNames } from './validators.js';

/** Emits the table that drives the runtime: one entry per operation. */
export function emitRoutes(contract: ApiContract): string {
  const routes = contract.operations.map((operation) => emitRoute(operation));
  const apiProblems = contract.apiProblems.map((each) => problemEntry(each.slug, each.schemaName));
  const hasSerializers = routes.some((route) => route.includes('serializers.'));
  return [
    header(`openapi/${contract.name}.yaml`),
    `import type { Route, Validator } from '@plumbline/contract/contract-types';\n`,
    `import type { ${pascalCase(contract.name)}Handlers } from './operations.js';\n`,
    hasSerializers ? `import * as serializers from './serializers.js';\n` : '',
    `import * as validators from './validators.js';\n\n`,
    `/** The version of the contract. */\nexport const apiVersion = ${quote(contract.document.info.version)};\n\n`,
    emitSchemes(contract),
    `/** The operations in the order of the contract. */\n`,
    `export const routes: readonly (Route & { readonly operationId: keyof ${pascalCase(contract.name)}Handlers<unknown> })[] = [\n`,
    ...routes,
    `];\n\n/** The problems of requests that match no operation. */\n`,
    `export const apiProblems: Readonly<Record<string, Validator>> = { ${apiProblems.join(', ')} };\n`,
  ].join('');
}

function emitSchemes({ securitySchemes }: ApiContract): string {
  if (securitySchemes.length === 0) return '';
  const schemes = securitySchemes.map(
    ({ name, kind, prefix, rateLimits }) => `${name}: ${JSON.stringify({ name, kind, prefix, rateLimits })},\n`,
  );
  return `/** The security schemes. */\nexport const schemes = {\n${schemes.join('')}} as const;\n\n`;
}

function emitRoute(operation: Operation): string {
  const { schemes, anonymous } = operation.security;
  const uses = schemes.map(({ name, scope }) => `{ ...schemes.${name}, scope: ${JSON.stringify(scope)} }`);
  const { deprecationHeaders } = operation;
  const deprecation =
    deprecationHeaders === null ? '' : `\n  deprecationHeaders: ${JSON.stringify(deprecationHeaders)},`;
  return `{
  operationId: ${quote(operation.id)},
  method: ${quote(operation.method)},
  path: ${quote(operation.path)},
  params: ${parameterTable(operation, 'path')},
  query: ${parameterTable(operation, 'query')},
  headers: ${parameterTable(operation, 'header')},
  cookies: ${parameterTable(operation, 'cookie')},
  body: ${bodyTable(operation)},
  maxBodyBytes: ${operation.maxBodyBytes},
  security: { anonymous: ${anonymous}, schemes: [${uses.join(', ')}] },
  rateLimits: ${JSON.stringify(operation.rateLimits)},
  isIdempotent: ${operation.isIdempotent},
  produces: ${JSON.stringify(produces(operation))},${operation.errorForm === null ? '' : `\n  errorForm: ${quote(operation.errorForm)},`}${deprecation}
  replies: { ${operation.replies.map((reply) => replyEntry(operation, reply)).join(', ')} },
},
`;
}

function parameterTable(operation: Operation, place: ParameterPlace): string {
  const group: ParameterGroup | null = operation.parameters[place];
  if (group === null) return 'null';
  const validator = `validators.${validatorNames.parameters(operation, place)}`;
  return `{ names: ${JSON.stringify(group.names)}, lists: ${JSON.stringify(group.lists)}, validate: ${validator} }`;
}

function bodyTable(operation: Operation): string {
  if (operation.body === null) return 'null';
  const { required, mediaType, emails } = operation.body;
  const anything = operation.body.acceptsAnything ? ' acceptsAnything: true,' : '';
  return `{ required: ${required}, mediaType: ${quote(mediaType)}, emails: ${JSON.stringify(emails)},${anything} validate: validators.${validatorNames.body(operation)} }`;
}

function produces(operation: Operation): string[] {
  const types = operation.replies.flatMap((reply) =>
    reply.kind === 'success' && reply.mediaType !== null ? [reply.mediaType] : [],
  );
  return [...new Set(types)];
}

function replyEntry(operation: Operation, reply: ReplyModel): string {
  if (reply.kind === 'problem') {
    const problems = reply.problems.map(({ slug, schemaName }) => problemEntry(slug, schemaName));
    return `${reply.status}: { kind: 'problem', problems: { ${problems.join(', ')} } }`;
  }
  const headers = reply.headers
    .filter(({ setBy }) => setBy === 'handler')
    .map(({ name, required }) => `${quote(name)}: '${required ? 'required' : 'optional'}'`);
  const validate = reply.schema === null ? 'null' : `validators.${validatorNames.reply(operation, reply.status)}`;
  return `${reply.status}: { kind: 'success', mediaType: ${JSON.stringify(reply.mediaType)}, validate: ${validate}, serialize: ${serializer(operation, reply)}, headers: { ${headers.join(', ')} } }`;
}

function serializer(operation: Operation, reply: ReplyModel): string {
  if (reply.kind === 'problem') return 'null';
  const name = serializerName(operation, reply);
  return name === null ? 'null' : `serializers.${name}`;
}

function problemEntry(slug: string, schemaName: string): string {
  return `${quote(slug)}: validators.${validatorNames.problem(schemaName)}`;
}
