/** The operations of an API as commands: the flags that `plumbline api` has for each. */
import type { OperationCommand, OperationFlag } from '@plumbline/contract/contract-types';
import { parameterPlaces, type ApiContract, type Operation, type ParameterPlace } from '../read/contract-model.js';
import { kebabCase } from '../derive/naming.js';
import {
  isIdempotencyKey,
  isRecord,
  isReference,
  resolve,
  componentName,
  type SchemaObject,
} from '../read/openapi-document.js';
import { parametersOf, sourceOf } from '../read/operation-source.js';
import { header } from './header.js';
import { validatorNames } from './validators.js';

/** Flags of the commands themselves. */
const reserved = ['all', 'body', 'help', 'json', 'limit', 'server', 'watch'];

/** How the parts of a request are named in the SDK. Cookies are left to browsers. */
const placesOfRequest: Readonly<Partial<Record<ParameterPlace, 'params' | 'query' | 'headers'>>> = {
  path: 'params',
  query: 'query',
  header: 'headers',
};

/** Emits the table of commands. */
export function emitCommands(contract: ApiContract): string {
  // Operations in the form of another standard are for the programs that implement it.
  const own = contract.operations.filter(({ errorForm }) => errorForm === null);
  const entries = own.map((operation) => {
    const members = Object.entries(commandOf(contract, operation)).map(
      ([name, value]) => `${name}: ${JSON.stringify(value)}`,
    );
    const validators = Object.entries(validatorsOf(operation)).map(([place, name]) => `${place}: ${name}`);
    return `{ ${members.join(', ')}, validators: { ${validators.join(', ')} } },\n`;
  });
  return [
    header(`openapi/${contract.name}.yaml`),
    `import type { OperationCommand } from '@plumbline/contract/contract-types';\n`,
    `import * as validators from './validators.js';\n\n`,
    `/** The operations as commands, in the order of the contract. */\n`,
    `export const commands: readonly OperationCommand[] = [\n${entries.join('')}];\n`,
  ].join('');
}

function commandOf(contract: ApiContract, operation: Operation): Omit<OperationCommand, 'validators'> {
  const { source } = sourceOf(contract, operation);
  const page = pageOf(contract, operation);
  const isSupplied = ({ place, property }: OperationFlag): boolean =>
    page === null || place !== 'query' || property !== 'limit';
  const flags = distinct(
    [...parameterFlags(contract, operation), ...bodyFlags(contract, operation)].filter(isSupplied),
  );
  return {
    operationId: operation.id,
    name: kebabCase(operation.id),
    tag: operation.tag,
    summary: operation.summary,
    description: (source.description ?? '').trim(),
    flags,
    body:
      operation.body === null
        ? null
        : { required: operation.body.required, isText: operation.body.mediaType !== 'application/json' },
    reply: replyOf(operation),
    largestPage: page,
    isRun: successSchemas(operation).some((schema) => isReference(schema) && componentName(schema.$ref) === 'SyncRun'),
  };
}

/** A flag whose name every command has, or an earlier flag, is preceded by its place: `--query-limit`. */
function distinct(flags: readonly OperationFlag[]): OperationFlag[] {
  const taken = new Set(reserved);
  return flags.map((flag) => {
    let { name } = flag;
    while (taken.has(name)) name = `${prefixes[flag.place]}-${name}`;
    taken.add(name);
    return { ...flag, name };
  });
}

const prefixes: Readonly<Record<OperationFlag['place'], string>> = {
  params: 'path',
  query: 'query',
  headers: 'header',
  idempotencyKey: 'header',
  body: 'body',
};

function validatorsOf(operation: Operation): Record<keyof OperationCommand['validators'], string> {
  const nameOf = (place: ParameterPlace): string =>
    operation.parameters[place] === null ? 'null' : `validators.${validatorNames.parameters(operation, place)}`;
  const body = operation.body === null ? 'null' : `validators.${validatorNames.body(operation)}`;
  return { params: nameOf('path'), query: nameOf('query'), headers: nameOf('header'), body };
}

function successSchemas({ replies }: Operation): SchemaObject[] {
  return replies.flatMap((reply) => (reply.kind === 'success' && reply.schema !== null ? [reply.schema] : []));
}

function replyOf({ replies }: Operation): OperationCommand['reply'] {
  const [type] = replies.flatMap((reply) => (reply.kind === 'success' ? (reply.mediaType ?? []) : []));
  if (type === undefined) return 'none';
  if (type === 'application/json') return 'json';
  return type === 'application/x-ndjson' || type === 'text/event-stream' ? 'lines' : 'text';
}

/** The largest page of an operation that answers `{items, next_cursor}`. */
function pageOf({ document }: ApiContract, operation: Operation): number | null {
  const isPage = successSchemas(operation).some((schema) => {
    const { properties } = resolve<SchemaObject>(document, schema);
    return isRecord(properties) && 'items' in properties && 'next_cursor' in properties;
  });
  const properties = operation.parameters.query?.schema['properties'];
  const limit = isRecord(properties) ? properties['limit'] : undefined;
  if (!isPage || !isRecord(limit)) return null;
  const { maximum } = resolve<SchemaObject>(document, limit);
  return typeof maximum === 'number' ? maximum : null;
}

function parameterFlags(contract: ApiContract, operation: Operation): OperationFlag[] {
  const parameters = parametersOf(contract, sourceOf(contract, operation));
  return parameterPlaces.flatMap((place) => {
    const part = placesOfRequest[place];
    if (part === undefined) return [];
    return parameters
      .filter((each) => each.in === place)
      .map((parameter) => ({
        ...flagOf(contract, parameter.name, parameter.schema),
        property: place === 'header' ? parameter.name.toLowerCase() : parameter.name,
        place: isIdempotencyKey(parameter) ? 'idempotencyKey' : part,
        required: parameter.required === true,
        description: firstSentence(parameter.description),
      }));
  });
}

/** The properties of the body; of alternatives, those of all of them. */
function bodyFlags(contract: ApiContract, { body }: Operation): OperationFlag[] {
  if (body === null || body.mediaType !== 'application/json') return [];
  const schema = resolve<SchemaObject>(contract.document, body.schema);
  const branches = Array.isArray(schema['oneOf']) ? schema['oneOf'].filter(isRecord) : [schema];
  const flags = new Map<string, OperationFlag>();
  for (const branch of branches) {
    const { properties, required } = resolve<SchemaObject>(contract.document, branch);
    for (const [property, each] of Object.entries(isRecord(properties) ? properties : {})) {
      if (!isRecord(each)) continue;
      const flag = flagOf(contract, property, each);
      const choices = [...(flags.get(property)?.choices ?? []), ...flag.choices];
      const isRequired = branches.length === 1 && Array.isArray(required) && required.includes(property);
      const { description } = resolve<SchemaObject>(contract.document, each);
      const text = firstSentence(each['description'] ?? description);
      flags.set(property, { ...flag, property, place: 'body', required: isRequired, description: text, choices });
    }
  }
  return [...flags.values()];
}

function flagOf(
  { document }: ApiContract,
  name: string,
  schema: SchemaObject,
): Omit<OperationFlag, 'property' | 'place' | 'required' | 'description'> {
  const resolved = resolve<SchemaObject>(document, schema);
  const { format, items } = resolved;
  const type = [resolved['type']].flat().find((each) => each !== 'null');
  const element = isRecord(items) ? resolve<SchemaObject>(document, items) : {};
  const kind = kindOf(type, element);
  const choices = kind === 'texts' ? choicesOf(element) : choicesOf(resolved);
  const isSecret = kind === 'text' && (format === 'password' || /(^|_)(token|secret|password)$/.test(name));
  return { name: kebabCase(name.replaceAll('_', '-')), kind, choices, isSecret };
}

function kindOf(type: unknown, element: SchemaObject): OperationFlag['kind'] {
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'boolean') return 'boolean';
  if (type === 'array') return element['type'] === 'string' ? 'texts' : 'json';
  return type === 'object' ? 'json' : 'text';
}

function choicesOf({ enum: values, const: only }: SchemaObject): string[] {
  if (typeof only === 'string') return [only];
  return Array.isArray(values) ? values.filter((each) => typeof each === 'string') : [];
}

/** The first sentence of a description, in one line. */
function firstSentence(description: unknown): string {
  const text = (typeof description === 'string' ? description : '').trim().replaceAll(/\s+/g, ' ');
  return text.split(/(?<=[a-z`\d)]\.) (?=[A-Z])/)[0] ?? '';
}
