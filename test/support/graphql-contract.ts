import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  valueFromAST,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import type { Unit } from '../../src/contract-tools/gate/observations.js';

/** What `graphql/` documents, read here on its own: the server's reading of it is what is tested. */
export interface GraphqlContract {
  readonly schema: GraphQLSchema;
  /** The schema of `extensions`. */
  readonly errors: GraphQLSchema;
  /** By code: the type of `extensions`, and the statuses and headers of replies with it. */
  readonly codes: ReadonlyMap<string, DocumentedError>;
  /** Texts of the persisted queries by id. */
  readonly persisted: ReadonlyMap<string, string>;
}

export interface DocumentedError {
  readonly type: GraphQLObjectType;
  /** Statuses by media type. */
  readonly statuses: ReadonlyMap<string, readonly number[]>;
  /** Names of headers by status. */
  readonly headers: ReadonlyMap<number, readonly string[]>;
}

/** The name of the surface in the gate. */
export const graphqlSurface = 'graphql';
export const responseType = 'application/graphql-response+json';
export const jsonType = 'application/json';

/** The headers of a reply of a limited operation, also of one that is not refused. They are absent if the limit is off. */
export const limitHeaders = ['RateLimit', 'RateLimit-Policy'];

export function loadGraphqlContract(root: string): GraphqlContract {
  const folder = join(root, 'graphql');
  const schema = buildSchema(readFileSync(join(folder, 'schema.graphql'), 'utf8'));
  const errors = buildSchema(`type Query { x: Int } ${readFileSync(join(folder, 'errors.graphql'), 'utf8')}`);
  const files = readdirSync(join(folder, 'persisted')).filter((file) => file.endsWith('.graphql'));
  return {
    schema,
    errors,
    codes: new Map(enumValues(errors, 'ErrorCode').map((code) => [code, documentedError(errors, code)])),
    persisted: new Map(
      files
        .sort()
        .map((file) => [file.slice(0, -'.graphql'.length), readFileSync(join(folder, 'persisted', file), 'utf8')]),
    ),
  };
}

/** Where the text of the schema is served. */
export const schemaPaths: readonly string[] = ['/graphql/schema', '/graphql/schema.graphql'];

/** Everything that a test run has to see happen. */
export function graphqlUnits({ schema, errors, codes, persisted }: GraphqlContract): Unit[] {
  const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));
  const objects = types.filter(isObjectType);
  const inputs = types.filter(isInputObjectType);
  const inReplies = new Set(
    objects.flatMap((type) => Object.values(type.getFields()).map((field) => getNamedType(field.type).name)),
  );
  const inputTypes = [
    ...objects.flatMap((type) => Object.values(type.getFields()).flatMap(({ args }) => args)),
    ...inputs.flatMap((type) => Object.values(type.getFields())),
  ].map(({ type }) => getNamedType(type).name);
  const inRequests = new Set(inputTypes);
  return [
    ['POST /graphql', '200', jsonType],
    ['POST /graphql', '200', responseType],
    ...limitHeaders.map((name): Unit => ['POST /graphql', '200', `header ${name}`]),
    ['GET /graphql', '200', 'text/html'],
    ...schemaPaths.map((path): Unit => [`GET ${path}`, '200', 'text/plain']),
    ...objects.flatMap((type) =>
      Object.values(type.getFields()).flatMap((field): Unit[] => [
        [type.name, 'fields', field.name],
        ...field.args.map((argument): Unit => [type.name, 'arguments', `${field.name}(${argument.name}:)`]),
      ]),
    ),
    ...inputs.flatMap((type) =>
      Object.values(type.getFields()).flatMap((field): Unit[] => [
        [type.name, 'fields', field.name],
        ...(field.defaultValue === undefined ? [] : [[type.name, 'defaults', field.name]]),
      ]),
    ),
    ...types
      .filter(isEnumType)
      .flatMap((type) =>
        type
          .getValues()
          .flatMap(({ name }): Unit[] => [
            ...(inRequests.has(type.name) ? [[type.name, 'in requests', name]] : []),
            ...(inReplies.has(type.name) ? [[type.name, 'in replies', name]] : []),
          ]),
      ),
    ...[...persisted.keys()].map((id): Unit => ['persisted queries', 'answered', id]),
    ...[...codes].flatMap(([code, { statuses, headers }]): Unit[] => [
      ...[...statuses].flatMap(([mediaType, each]) => each.map((status): Unit => [code, String(status), mediaType])),
      ...[...headers].flatMap(([status, names]) => names.map((name): Unit => [code, String(status), `header ${name}`])),
    ]),
    ...enumValues(errors, 'LimitName').map((name): Unit => ['COST_LIMIT_EXCEEDED', 'limit_name', name]),
  ];
}

function enumValues(schema: GraphQLSchema, name: string): string[] {
  const type = schema.getType(name);
  if (!isEnumType(type)) throw new Error(`there is no enum ${name}`);
  return type.getValues().map((value) => value.name);
}

function documentedError(errors: GraphQLSchema, code: string): DocumentedError {
  const flat = code.replaceAll('_', '').toLowerCase();
  const type = Object.values(errors.getTypeMap()).find(({ name }) => name.toLowerCase() === flat);
  if (!isObjectType(type)) throw new Error(`there is no type for ${code}`);
  const http = type.astNode?.directives?.find(({ name }) => name.value === 'http');
  const argumentOf = (name: string): unknown[] => {
    const value = http?.arguments?.find((argument) => argument.name.value === name)?.value;
    const declared = errors.getDirective('http')?.args.find((argument) => argument.name === name);
    const given: unknown = value === undefined || declared === undefined ? [] : valueFromAST(value, declared.type);
    if (!Array.isArray(given)) throw new Error(`@http(${name}:) of ${code} is not a list`);
    return given;
  };
  const headers = new Map<number, string[]>();
  for (const header of argumentOf('headers').map(String)) {
    const [status = '', name = ''] = header.split(' ');
    headers.set(Number(status), [...(headers.get(Number(status)) ?? []), name]);
  }
  const statuses = new Map([
    [responseType, argumentOf('response').map(Number)],
    [jsonType, argumentOf('json').map(Number)],
  ]);
  return { type, statuses, headers };
}
