import {
  escapeSegment,
  httpMethods,
  isRecord,
  resolve,
  type OpenApiDocument,
  type SchemaObject,
} from './openapi-document.js';
import { verbs } from './verbs.js';

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
 * Lists what breaks the rules for names and formats in `openapi/README.md`: the version of OpenAPI, the verbs of
 * operations, the names of properties and events, the values of enums, the formats of times and ids.
 *
 * @returns one line per fault
 */
export function namingFaults(document: OpenApiDocument): string[] {
  const faults = document.openapi.startsWith('3.1.') ? [] : [`OpenAPI ${document.openapi} is not 3.1`];
  for (const item of Object.values(document.paths ?? {})) {
    for (const id of httpMethods.flatMap((method) => item[method]?.operationId ?? [])) {
      const [first = ''] = /^[a-z]*/.exec(id) ?? [];
      if (!verbs.has(first)) faults.push(`operationId ${id} does not begin with a verb of src/codegen/verbs.ts`);
    }
  }
  visit(document, document, '#', faults);
  return [...faults, ...eventFaults(document)];
}

/** The generator of webhooks demands that the payload has this name as its `type`. */
function eventFaults(document: OpenApiDocument): string[] {
  return Object.keys(document.webhooks ?? {})
    .filter((event) => !eventName.test(event))
    .map((event) => `#/webhooks/${event}: the event is not resource.action`);
}

function visit(document: OpenApiDocument, value: unknown, pointer: string, faults: string[]): void {
  if (Array.isArray(value)) {
    value.forEach((each, index) => {
      visit(document, each, `${pointer}/${index}`, faults);
    });
  }
  // Failures keep the names of the error catalogue.
  if (!isRecord(value) || isFailure(value)) return;
  if (isRecord(value['properties'])) {
    for (const [name, schema] of Object.entries(value['properties'])) {
      faults.push(...propertyFaults(document, name, schema).map((fault) => `${pointer}: ${fault}`));
    }
  }
  for (const each of Array.isArray(value['enum']) ? value['enum'] : []) {
    if (typeof each === 'string' && !enumValue.test(each))
      faults.push(`${pointer}: the enum value ${each} is not in lower snake_case`);
  }
  for (const [key, child] of Object.entries(value)) {
    if (['example', 'examples', 'enum', 'const', 'default'].includes(key)) continue;
    visit(document, child, `${pointer}/${escapeSegment(key)}`, faults);
  }
}

function propertyFaults(document: OpenApiDocument, name: string, given: unknown): string[] {
  if (!isRecord(given)) return [];
  const schema = { ...resolve<SchemaObject>(document, given), ...given };
  const faults: string[] = [];
  if (!snakeCase.test(name)) faults.push(`the property ${name} is not in snake_case`);
  if (!isText(schema)) return faults;
  if (/(?:^|_)at$/.test(name) && schema['format'] !== 'date-time')
    faults.push(`the time ${name} has no format date-time`);
  if (schema['format'] === 'date-time' && !timeName.test(name))
    faults.push(`the name of the time ${name} does not end in at`);
  if (/(?:^|_)id$/.test(name) && schema['format'] !== 'uuid' && !assigners.has(schema['x-assigned-by']))
    faults.push(`the id ${name} is not a UUID, and no x-assigned-by names the caller or the engine`);
  return faults;
}

function isText({ type }: SchemaObject): boolean {
  return type === 'string' || (Array.isArray(type) && type.includes('string'));
}

function isFailure(schema: SchemaObject): boolean {
  const { properties } = schema;
  return 'x-problem' in schema && isRecord(properties) && 'case' in properties;
}
