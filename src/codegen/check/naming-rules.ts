import {
  httpMethods,
  isRecord,
  resolve,
  type OpenApiDocument,
  type ParameterObject,
  type SchemaObject,
} from '../read/openapi-document.js';
import { isOfStandard, schemasOf, statedTypes } from './schema-places.js';
import { verbs } from './verbs.js';

const camelCase = /^[a-z][a-zA-Z0-9]*$/;
const snakeCase = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
/**
 * Like a name, but a value may begin with a digit. Scopes are `resource:action`, events `resource.action`, and
 * subcategories `theme.subcategory`.
 */
const enumValue = /^[a-z0-9]+(?:_[a-z0-9]+)*(?:[:.][a-z]+(?:_[a-z]+)*)?$/;

/** `resource.action`, such as `sync_run.finished`. */
const eventName = /^[a-z]+(?:_[a-z]+)*\.[a-z]+(?:_[a-z]+)*$/;

/** Names of times. A line of a log or of events has `time`, as in the output of the compose tool. */
const timeName = /(?:^|_)at$|^time$/;

/** Who assigns ids of another form than those of the server. */
const assigners: ReadonlySet<unknown> = new Set(['caller', 'engine']);

/**
 * Lists what breaks the rules for names and formats in `openapi/README.md`: the version of OpenAPI, the names of
 * operations, parameters, properties and events, the values of enums, the formats of times and ids.
 *
 * @returns one line per fault
 */
export function namingFaults(document: OpenApiDocument): string[] {
  const faults = document.openapi.startsWith('3.1.') ? [] : [`OpenAPI ${document.openapi} is not 3.1`];
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of httpMethods) {
      const operation = item[method];
      if (operation === undefined) continue;
      faults.push(...operationIdFaults(operation.operationId));
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
      const names = parameters.flatMap((each) => wrongNameOf(resolve<ParameterObject>(document, each)));
      const place = `${method.toUpperCase()} ${path}`;
      faults.push(...names.map((name) => `${place}: the parameter ${name} is not in snake_case`));
    }
  }
  return [...faults, ...schemaNameFaults(document), ...eventFaults(document)];
}

function operationIdFaults(id: string): string[] {
  const [first = ''] = /^[a-z]*/.exec(id) ?? [];
  if (!verbs.has(first)) return [`operationId ${id} does not begin with a verb of src/codegen/check/verbs.ts`];
  return camelCase.test(id) ? [] : [`operationId ${id} is not in camelCase`];
}

/** The name of a parameter that should be in snake_case: HTTP writes those of headers with hyphens. */
function wrongNameOf({ in: place, name, schema }: ParameterObject): string[] {
  return place === 'header' || isOfStandard(schema) || snakeCase.test(name) ? [] : [name];
}

/** The generator of webhooks demands that the payload has this name as its `type`. */
function eventFaults(document: OpenApiDocument): string[] {
  return Object.keys(document.webhooks ?? {})
    .filter((event) => !eventName.test(event))
    .map((event) => `#/webhooks/${event}: the event is not resource.action`);
}

function schemaNameFaults(document: OpenApiDocument): string[] {
  const all = schemasOf(document);
  // Failures keep the names of the error catalogue, and schemas of other standards those of the standard.
  const exempt = all.filter(({ schema }) => isFailure(schema) || isOfStandard(schema)).map(({ pointer }) => pointer);
  const statuses = all
    .filter(({ schema }) => 'x-problem' in schema)
    .map(({ pointer }) => `${pointer}/properties/status`);
  return all
    .filter(({ pointer }) => !exempt.some((each) => pointer === each || pointer.startsWith(`${each}/`)))
    .flatMap(({ schema, pointer }) => {
      const { properties } = schema;
      const faults = [
        ...Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, property]) =>
          propertyFaults(document, name, property),
        ),
        ...(statuses.includes(pointer) ? [] : enumFaults(schema)),
      ];
      return faults.map((fault) => `${pointer}: ${fault}`);
    });
}

function enumFaults({ enum: values }: SchemaObject): string[] {
  return (Array.isArray(values) ? values : []).flatMap((value: unknown) => {
    if (value === null) return [];
    if (typeof value !== 'string') return [`the enum value ${JSON.stringify(value)} is not text`];
    return enumValue.test(value) ? [] : [`the enum value ${value} is not in lower snake_case`];
  });
}

function propertyFaults(document: OpenApiDocument, name: string, given: unknown): string[] {
  const faults = snakeCase.test(name) ? [] : [`the property ${name} is not in snake_case`];
  const values = valuesOf(document, given);
  const texts = values.filter((schema) => statedTypes(schema).includes('string'));
  if (/(?:^|_)at$/.test(name) && values.some((schema) => isNotOnlyNull(schema) && schema['format'] !== 'date-time'))
    faults.push(`the time ${name} has no format date-time`);
  if (!timeName.test(name) && texts.some(({ format }) => format === 'date-time'))
    faults.push(`the name of the time ${name} does not end in at`);
  const ids = /(?:^|_)ids$/.test(name) ? values.flatMap(({ items }) => valuesOf(document, items)) : values;
  if (/(?:^|_)ids?$/.test(name) && ids.some(isUnassigned))
    faults.push(`the id ${name} is not a UUID, and no x-assigned-by names the caller or the engine`);
  return faults;
}

/** What a property can be: its schema, or the alternatives of its `oneOf`. What stands beside them is true of each. */
function valuesOf(document: OpenApiDocument, given: unknown): SchemaObject[] {
  if (!isRecord(given)) return [];
  const { oneOf, ...schema }: SchemaObject = { ...resolve<SchemaObject>(document, given), ...given };
  if (!Array.isArray(oneOf)) return [schema];
  return oneOf.map((branch) => ({ ...schema, ...(isRecord(branch) && resolve<SchemaObject>(document, branch)) }));
}

/** Whether an id is text or a number that nobody else assigns, and no UUID. */
function isUnassigned(schema: SchemaObject): boolean {
  const isScalar = statedTypes(schema).some((type) => type === 'string' || type === 'integer' || type === 'number');
  return isScalar && schema['format'] !== 'uuid' && !assigners.has(schema['x-assigned-by']);
}

function isNotOnlyNull(schema: SchemaObject): boolean {
  const types = statedTypes(schema);
  return types.length === 0 || types.some((type) => type !== 'null');
}

function isFailure(schema: SchemaObject): boolean {
  const { properties } = schema;
  return 'x-problem' in schema && isRecord(properties) && 'case' in properties;
}
