/** The persisted queries that are tools for agents. */
import {
  buildSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  typeFromAST,
  valueFromASTUntyped,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { annotationsOf } from '../emit/tools.js';
import { header } from '../emit/header.js';
import type { QueryTool } from '@plumbline/contract/contract-types';
import { answerSchema } from '../derive/tool-schema.js';
import type { GraphqlContract, PersistedDocument } from './read-graphql-contract.js';
import type { ToolExtension } from '../read/contract-model.js';
import type { SchemaObject } from '../read/openapi-document.js';

/** Errors of requests that the server of tools never sends. */
const unreachable = ['METHOD_NOT_ALLOWED', 'NOT_ACCEPTABLE', 'UNSUPPORTED_MEDIA_TYPE'];

/** The scope of service tokens that may query. */
const scope = 'analytics:read';

/** The periods that an argument may name. */
const periodNames = [
  ...['last_7_days', 'last_30_days', 'last_90_days', 'this_month', 'last_month'],
  ...['this_quarter', 'last_quarter', 'this_year', 'last_year'],
];

/** Emits the table of tools. */
export function emitQueryTools(contract: GraphqlContract): string {
  const schema = buildSchema(contract.schemaText);
  const errors = contract.errorCodes.map(({ name }) => name).filter((code) => !unreachable.includes(code));
  const tools = contract.persisted.flatMap((document) =>
    document.tool === null ? [] : [toolOf(schema, document, document.tool, errors)],
  );
  return [
    header('graphql/'),
    `import type { QueryTool } from '@plumbline/contract/contract-types';\n\n`,
    `/** The persisted queries with \`x-mcp\`. */\n`,
    `export const queryTools: readonly QueryTool[] = [\n${tools.map((tool) => `${JSON.stringify(tool)},\n`).join('')}];\n\n`,
    `/** The names of periods that arguments may have instead of two dates. */\n`,
    `export const periodNames = ${JSON.stringify(periodNames)} as const;\n`,
  ].join('');
}

function toolOf(
  schema: GraphQLSchema,
  document: PersistedDocument,
  tool: ToolExtension,
  errors: readonly string[],
): QueryTool {
  const [operation] = parse(document.text).definitions;
  const root = schema.getQueryType();
  if (operation?.kind !== Kind.OPERATION_DEFINITION || root == null) throw new Error(`${document.id} is not a query`);
  const variables = variablesOf(schema, operation);
  const error = {
    type: 'object',
    description: 'An error of a query that failed.',
    properties: { code: { enum: errors }, message: { type: 'string' }, request_id: { type: 'string' } },
    required: ['code', 'message', 'request_id'],
  };
  const success = {
    type: 'object',
    properties: { variables: { type: 'object' }, data: selected(root, operation.selectionSet) },
    required: ['variables', 'data'],
    additionalProperties: false,
  };
  return {
    name: tool.name,
    title: tool.title,
    description: document.description.replaceAll('\n', ' '),
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(variables.map(({ name, schema: each }) => [name, each])),
      required: variables.filter(({ required }) => required).map(({ name }) => name),
      additionalProperties: false,
    },
    outputSchema: { ...answerSchema(success, error), type: 'object' },
    annotations: annotationsOf(tool),
    scope,
    errors,
    queryId: document.id,
    periods: variables.filter(({ isPeriod }) => isPeriod).map(({ name }) => name),
  };
}

interface Variable {
  readonly name: string;
  readonly schema: SchemaObject;
  readonly required: boolean;
  readonly isPeriod: boolean;
}

/** The variables apart from the organization, which is that of the caller. */
function variablesOf(schema: GraphQLSchema, { variableDefinitions = [] }: OperationDefinitionNode): Variable[] {
  return variableDefinitions
    .filter(({ variable }) => variable.name.value !== 'orgId')
    .map(({ variable, type, defaultValue }) => {
      const known = typeFromAST(schema, type);
      if (!isInputType(known)) throw new Error(`$${variable.name.value} has no input type`);
      const isPeriod = getNamedType(known).name === 'DateRangeInput';
      const input = inputSchema(known);
      return {
        name: variable.name.value,
        schema: {
          ...(isPeriod
            ? {
                description: 'Two dates, or the name of a period that ends today or before.',
                anyOf: [{ enum: periodNames }, input],
              }
            : { ...input, ...describedBy(known) }),
          ...(defaultValue !== undefined && { default: valueFromASTUntyped(defaultValue) }),
        },
        required: isNonNullType(known) && defaultValue === undefined,
        isPeriod,
      };
    });
}

/** The description of an input object, which the schema of an argument has beside those of the members. */
function describedBy(type: GraphQLInputType): { readonly description?: string } {
  const given = getNullableType(type);
  return isInputObjectType(given) && given.description != null ? { description: given.description } : {};
}

/** The JSON Schema of a value of an input type. Null is left out: an absent argument means the same. */
function inputSchema(type: GraphQLInputType, above: readonly string[] = []): SchemaObject {
  const given = getNullableType(type);
  if (isListType(given)) return { type: 'array', items: inputSchema(given.ofType, above) };
  if (isEnumType(given)) return { type: 'string', enum: given.getValues().map(({ name }) => name) };
  if (!isInputObjectType(given)) return scalarSchema(given.toString());
  if (above.includes(given.name)) throw new Error(`${given.name} contains itself, which a tool cannot`);
  const fields = Object.values(given.getFields());
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map((field) => [
        field.name,
        {
          ...inputSchema(field.type, [...above, given.name]),
          ...(field.description != null && { description: field.description }),
        },
      ]),
    ),
    required: fields
      .filter((each) => isNonNullType(each.type) && each.defaultValue === undefined)
      .map(({ name }) => name),
    additionalProperties: false,
  };
}

function scalarSchema(name: string): SchemaObject {
  return { type: { Int: 'integer', Float: 'number', Boolean: 'boolean' }[name] ?? 'string' };
}

/** The JSON Schema of what a selection of an object answers. */
function selected(type: GraphQLOutputType, selection: SelectionSetNode | undefined): SchemaObject {
  const named = getNullableType(type);
  const nullable = (schema: SchemaObject): SchemaObject =>
    isNonNullType(type) ? schema : { anyOf: [schema, { type: 'null' }] };
  if (isListType(named)) return nullable({ type: 'array', items: selected(named.ofType, selection) });
  if (isEnumType(named)) return nullable({ type: 'string', enum: named.getValues().map(({ name }) => name) });
  if (!isObjectType(named)) return nullable(scalarSchema(named.toString()));
  const fields = named.getFields();
  const members = (selection?.selections ?? []).map((each): [string, SchemaObject] => {
    if (each.kind !== Kind.FIELD) throw new Error('a tool cannot have fragments');
    const field = fields[each.name.value];
    if (field === undefined) throw new Error(`${named.name} has no field ${each.name.value}`);
    return [each.alias?.value ?? each.name.value, selected(field.type, each.selectionSet)];
  });
  return nullable({
    type: 'object',
    properties: Object.fromEntries(members),
    required: members.map(([name]) => name),
    additionalProperties: false,
  });
}
