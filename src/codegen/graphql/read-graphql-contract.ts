import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import {
  buildSchema,
  getArgumentValues,
  isEnumType,
  isObjectType,
  Kind,
  parse,
  validate,
  type GraphQLEnumType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import { parse as parseYaml } from 'yaml';
import type { ToolExtension } from '../read/contract-model.js';
import { readToolExtension } from '../check/tool-rules.js';
import type { RateLimitPolicy } from '@plumbline/contract/contract-types';

/** The contract in `graphql/`. */
export interface GraphqlContract {
  readonly schemaText: string;
  readonly persisted: readonly PersistedDocument[];
  /** A hash of the schema and the documents. */
  readonly version: string;
  readonly errorCodes: readonly Documented[];
  readonly limitNames: readonly Documented[];
  /** The fields of `extensions` besides `code` and `request_id`, in the order of the codes. */
  readonly errors: readonly DocumentedError[];
  /** The limits of `POST /graphql`, as `@rateLimit` declares them. */
  readonly rateLimits: readonly RateLimitPolicy[];
}

export interface PersistedDocument {
  /** The name of its file: `team-values`. */
  readonly id: string;
  /** `TeamValues`. */
  readonly operationName: string;
  /** The comment at the start of its file. */
  readonly description: string;
  readonly text: string;
  /** From a line `# x-mcp: {…}` of that comment, in YAML; null: it is not a tool. */
  readonly tool: ToolExtension | null;
}

export interface Documented {
  readonly name: string;
  readonly description: string;
}

export interface DocumentedError {
  readonly code: string;
  readonly fields: readonly { readonly name: string; readonly description: string; readonly type: string }[];
}

/**
 * Reads the schema, the persisted queries and the errors of a folder.
 *
 * @throws Error naming the invalid file
 */
export async function readGraphqlContract(folder: string): Promise<GraphqlContract> {
  const schemaText = await readFile(`${folder}/schema.graphql`, 'utf8');
  const schema = buildSchema(schemaText);
  const persisted = await readPersisted(`${folder}/persisted`, schema);
  const hash = createHash('sha256').update(schemaText);
  for (const { id, text } of persisted) hash.update(`\0${id}\0${text}`);
  const errors = buildSchema(`type Query { none: Boolean }\n${await readFile(`${folder}/errors.graphql`, 'utf8')}`);
  const codes = enumOf(errors, 'ErrorCode');
  return {
    schemaText,
    persisted,
    version: hash.digest('hex').slice(0, 16),
    errorCodes: valuesOf(codes),
    limitNames: valuesOf(enumOf(errors, 'LimitName')),
    errors: codes.getValues().map(({ name }) => errorOf(errors, name)),
    rateLimits: rateLimitsOf(errors),
  };
}

async function readPersisted(folder: string, schema: GraphQLSchema): Promise<PersistedDocument[]> {
  const files = (await readdir(folder)).filter((each) => each.endsWith('.graphql')).sort();
  return Promise.all(
    files.map(async (file) => {
      const path = `${folder}/${file}`;
      const source = await readFile(path, 'utf8');
      const document = parse(source, { noLocation: true });
      const [operation, ...others] = document.definitions;
      const [fault] = validate(schema, document);
      if (fault !== undefined) throw new Error(`${path}: ${fault.message}`);
      if (operation?.kind !== Kind.OPERATION_DEFINITION || operation.name === undefined || others.length > 0) {
        throw new Error(`${path}: it must contain one named operation, and nothing else`);
      }
      const comment = /^(?:#.*\n)+/.exec(source)?.[0].replaceAll(/^# ?/gm, '') ?? '';
      const description = comment.replaceAll(/^x-mcp:.*$/gm, '').trim();
      if (description === '') throw new Error(`${path}: it must begin with a comment that describes its result`);
      const text = source.replace(/^(?:#.*\n)+/, '').trim();
      return {
        id: file.replace('.graphql', ''),
        operationName: operation.name.value,
        description,
        text,
        tool: toolOf(path, comment, description),
      };
    }),
  );
}

/** A persisted query reads: all of its hints are known. */
function toolOf(path: string, comment: string, description: string): ToolExtension | null {
  const [, extension] = /^x-mcp:(.*)$/m.exec(comment) ?? [];
  if (extension === undefined) return null;
  try {
    const given: unknown = parseYaml(extension);
    if (typeof given !== 'object' || given === null) throw new Error('x-mcp must be an object');
    const hint = Object.keys(given).find((each) => each !== 'name' && each !== 'title');
    if (hint !== undefined) throw new Error(`x-mcp of a query has the unknown member ${hint}`);
    return readToolExtension({ ...given, readOnly: true }, description.split(/[.:\n]/)[0] ?? '');
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function enumOf(schema: GraphQLSchema, name: string): GraphQLEnumType {
  const type = schema.getType(name);
  if (!isEnumType(type)) throw new Error(`errors.graphql has no enum ${name}`);
  return type;
}

function valuesOf(type: GraphQLEnumType): Documented[] {
  return type.getValues().map(({ name, description }) => ({ name, description: description ?? '' }));
}

/** The type of an error is named like its code: COST_LIMIT_EXCEEDED is CostLimitExceeded. */
function errorOf(schema: GraphQLSchema, code: string): DocumentedError {
  const name = code.toLowerCase().replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
  const type = schema.getType(name);
  if (!isObjectType(type)) throw new Error(`errors.graphql has no type ${name} for the code ${code}`);
  return { code, fields: fieldsOf(type) };
}

/** The directives `@rateLimit` of the type of RATE_LIMITED. */
function rateLimitsOf(schema: GraphQLSchema): RateLimitPolicy[] {
  const directive = schema.getDirective('rateLimit');
  const nodes = schema.getType('RateLimited')?.astNode?.directives ?? [];
  if (directive == null) throw new Error('errors.graphql has no directive @rateLimit');
  return nodes
    .filter(({ name }) => name.value === directive.name)
    .map((node) => {
      const { name, setting, key } = getArgumentValues(directive, node);
      return { name: String(name), setting: String(setting), key: [key].flat().map(String) };
    });
}

function fieldsOf(type: GraphQLObjectType): DocumentedError['fields'] {
  return Object.values(type.getFields())
    .filter(({ name }) => name !== 'code' && name !== 'request_id')
    .map((field) => {
      const written = field.type.toString();
      const named = written.replace('!', '');
      const typescript = { Int: 'number', String: 'string' }[named] ?? named;
      return {
        name: field.name,
        description: field.description ?? '',
        type: written.endsWith('!') ? typescript : `${typescript} | null`,
      };
    });
}
