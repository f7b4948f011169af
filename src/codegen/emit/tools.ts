/** The operations of an API that are tools for agents. */
import type { OperationTool } from '@plumbline/contract/contract-types';
import type { ApiContract, Operation, ParameterPlace, ToolExtension } from '../read/contract-model.js';
import { isIdempotencyKey, isRecord, resolve, type SchemaObject } from '../read/openapi-document.js';
import { parametersOf, sourceOf } from '../read/operation-source.js';
import { answerSchema, inlineSchema } from '../derive/tool-schema.js';
import { header } from './header.js';

/** Problems of requests that the server of tools never sends: it writes the headers and the body itself. */
const unreachable = ['malformed-request', 'not-acceptable', 'unsupported-media-type'];

/** Problems of a reused idempotency key: the SDK makes a new one for each call. */
const ofReusedKeys = ['idempotency-key-reused', 'idempotency-key-in-use'];

const placesOfRequest: Readonly<Partial<Record<ParameterPlace, 'params' | 'query' | 'headers'>>> = {
  path: 'params',
  query: 'query',
  header: 'headers',
};

/** Emits the table of tools. */
export function emitTools(contract: ApiContract): string {
  const entries = contract.operations.flatMap((operation) =>
    operation.tool === null ? [] : [`${JSON.stringify(toolOf(contract, operation, operation.tool))},\n`],
  );
  return [
    header(`openapi/${contract.name}.yaml`),
    `import type { OperationTool } from '@plumbline/contract/contract-types';\n\n`,
    `/** The operations with \`x-mcp\`. */\n`,
    `export const operationTools: readonly OperationTool[] = [\n${entries.join('')}];\n`,
  ].join('');
}

/** The hints of a tool, as the protocol names them. Tools reach one server and nothing else. */
export function annotationsOf({ readOnly, destructive, idempotent }: ToolExtension): OperationTool['annotations'] {
  return { readOnlyHint: readOnly, destructiveHint: destructive, idempotentHint: idempotent, openWorldHint: false };
}

function toolOf(contract: ApiContract, operation: Operation, tool: ToolExtension): OperationTool {
  const { document, securitySchemes } = contract;
  const { source } = sourceOf(contract, operation);
  const inputs = [...parameterInputs(contract, operation), ...bodyInputs(contract, operation)];
  const twice = inputs.find(({ name }, index) => inputs.findIndex((each) => each.name === name) !== index);
  if (twice !== undefined) throw new Error(`${operation.id}: the argument ${twice.name} would have two meanings`);
  const [success] = operation.replies.flatMap((reply) => (reply.kind === 'success' ? (reply.schema ?? []) : []));
  const errors = errorsOf(operation);
  const scope = operation.security.schemes.find(
    ({ name }) => securitySchemes.find((each) => each.name === name)?.prefix != null,
  )?.scope;
  return {
    name: tool.name,
    title: tool.title,
    description: `${operation.summary}. ${(source.description ?? '').trim()}`.trim(),
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(inputs.map(({ name, schema }) => [name, schema])),
      required: inputs.filter(({ required }) => required).map(({ name }) => name),
      additionalProperties: false,
    },
    outputSchema: {
      ...answerSchema(success === undefined ? null : inlineSchema(document, success, false), problemSchema(errors)),
      type: 'object',
    },
    annotations: annotationsOf(tool),
    scope: scope ?? '',
    errors,
    operationId: operation.id,
    places: Object.fromEntries(inputs.map(({ name, place }) => [name, place])),
    takesOrganization: operation.parameters.path?.names.includes('org_id') === true,
    hasBody: operation.body !== null,
  };
}

function errorsOf(operation: Operation): string[] {
  const slugs = operation.replies.flatMap((reply) => (reply.kind === 'problem' ? reply.problems : []));
  const left = [...unreachable, ...ofReusedKeys];
  return [...new Set(slugs.map(({ slug }) => slug))]
    .filter((slug) => !left.includes(slug))
    .map((slug) => `/problems/${slug}`);
}

function problemSchema(errors: readonly string[]): SchemaObject {
  return {
    type: 'object',
    description: 'A problem (RFC 9457), of a call that failed.',
    properties: {
      type: { enum: errors },
      title: { type: 'string' },
      status: { type: 'integer' },
      message: { type: 'string' },
      request_id: { type: 'string' },
    },
    required: ['type', 'title', 'status', 'message', 'request_id'],
  };
}

interface Input {
  readonly name: string;
  readonly schema: SchemaObject;
  readonly required: boolean;
  readonly place: 'params' | 'query' | 'headers' | 'body';
}

function parameterInputs(contract: ApiContract, operation: Operation): Input[] {
  return parametersOf(contract, sourceOf(contract, operation)).flatMap((parameter): Input[] => {
    const place = placesOfRequest[parameter.in];
    const isSupplied = isIdempotencyKey(parameter) || (place === 'params' && parameter.name === 'org_id');
    if (place === undefined || isSupplied) return [];
    const { description } = parameter;
    const schema = inlineSchema(contract.document, parameter.schema, true);
    return [
      {
        name: parameter.name,
        schema: { ...schema, ...(description !== undefined && { description: description.trim() }) },
        required: parameter.required === true,
        place,
      },
    ];
  });
}

function bodyInputs({ document }: ApiContract, { body }: Operation): Input[] {
  if (body === null) return [];
  const { properties, required } = resolve<SchemaObject>(document, body.schema);
  return Object.entries(isRecord(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    schema: inlineSchema(document, schema, true),
    required: Array.isArray(required) && required.includes(name),
    place: 'body',
  }));
}
