import { entries, record, resolve } from '../documents.js';
import type { DocumentedOperation } from '../gate/contract.js';
import { entriesAt, follow, type Pointer } from '../gate/pointers.js';
import type { Check, Schemas } from '../schemas.js';

/** What a contract says about the requests of one operation. */
export interface DocumentedRequest {
  readonly parameters: readonly Parameter[];
  /** null: the operation takes no body. */
  readonly body: RequestBody | null;
  /** The alternatives; a request must satisfy all schemes of one. Empty: anyone may call. */
  readonly security: readonly (readonly Scheme[])[];
}

export type Location = 'path' | 'query' | 'header' | 'cookie';

export interface Parameter {
  readonly name: string;
  readonly in: Location;
  readonly required: boolean;
  readonly style: string;
  readonly explode: boolean;
  /** Whether the value is written as JSON (`content`) instead of by `style`. */
  readonly isJson: boolean;
  /** The properties of an object; null: any, apart from `others`. */
  readonly properties: readonly string[] | null;
  /** The names of the other parameters of its location. */
  readonly others: readonly string[];
  readonly schema: unknown;
  readonly check: Check;
  readonly examples: readonly unknown[];
  /** Where the parameter is in the document. */
  readonly pointer: Pointer;
}

export interface RequestBody {
  readonly required: boolean;
  /** By media type, without its parameters. */
  readonly contents: ReadonlyMap<string, Content>;
}

export interface Content {
  readonly schema: unknown;
  readonly check: Check;
  readonly examples: readonly unknown[];
}

/** Where a credential is sent. */
export interface Scheme {
  readonly name: string;
  readonly in: Location;
  /** The name of the header, cookie or query parameter. */
  readonly parameter: string;
  /** The scheme of `Authorization`, in lower case; null where any value may be a credential. */
  readonly scheme: string | null;
}

/** Headers that OpenAPI describes elsewhere, so that parameters of these names are ignored ("Parameter Object"). */
const ignoredHeaders = new Set(['accept', 'content-type', 'authorization']);

/** Reads what the requests of an operation must be like. */
export function readRequest(schemas: Schemas, { pointer }: DocumentedOperation): DocumentedRequest {
  const { document } = schemas;
  const operation = record(follow(document, pointer).value);
  const shared = parametersAt(schemas, [...pointer.slice(0, -1), 'parameters']);
  const own = parametersAt(schemas, [...pointer, 'parameters']);
  const all = [...own, ...shared.filter((each) => !own.some((other) => isSame(each, other)))];
  const parameters = all.map((each) => ({ ...each, others: namesOfOthers(each, all) }));
  return {
    parameters: parameters.filter((each) => each.in !== 'header' || !ignoredHeaders.has(each.name.toLowerCase())),
    body: bodyAt(schemas, [...pointer, 'requestBody']),
    security: securityOf(document, operation['security'] ?? record(document)['security']),
  };
}

function isSame(one: Parameter, other: Parameter): boolean {
  return one.name === other.name && one.in === other.in;
}

function namesOfOthers(parameter: Parameter, all: readonly Parameter[]): string[] {
  return all
    .filter((each) => each !== parameter && each.in === parameter.in)
    .flatMap((each) => [each.name, ...(each.properties ?? [])]);
}

/** The properties that a schema names, in its branches and references too; null: it is a map with any names. */
function propertiesOf(document: unknown, value: unknown): string[] | null {
  const found = new Set<string>();
  const visited = new Set<unknown>();
  const visit = (each: unknown): void => {
    const schema = record(resolve(document, each));
    if (visited.has(schema['properties'] ?? schema)) return;
    visited.add(schema['properties'] ?? schema);
    for (const name of Object.keys(record(schema['properties']))) found.add(name);
    for (const keyword of ['allOf', 'oneOf', 'anyOf']) entries(schema[keyword]).forEach(visit);
  };
  visit(value);
  const { type, additionalProperties } = record(resolve(document, value));
  return found.size === 0 && type === 'object' && additionalProperties !== false ? null : [...found];
}

function parametersAt(schemas: Schemas, pointer: Pointer): Parameter[] {
  return entries(follow(schemas.document, pointer).value).flatMap((_, index) => {
    const { value, pointer: place } = follow(schemas.document, [...pointer, String(index)]);
    const parameter = record(value);
    const { name, in: location } = parameter;
    if (typeof name !== 'string' || !isLocation(location)) return [];
    const [mediaType] = Object.keys(record(parameter['content']));
    const described = mediaType === undefined ? place : [...place, 'content', mediaType];
    const usual = location === 'path' || location === 'header' ? 'simple' : 'form';
    const style = typeof parameter['style'] === 'string' ? parameter['style'] : usual;
    return {
      name,
      in: location,
      required: location === 'path' || parameter['required'] === true,
      style,
      explode: (parameter['explode'] ?? style === 'form') === true,
      isJson: mediaType !== undefined,
      properties: propertiesOf(schemas.document, record(follow(schemas.document, described).value)['schema']),
      others: [],
      pointer: place,
      ...contentAt(schemas, described),
    };
  });
}

function isLocation(value: unknown): value is Location {
  return ['path', 'query', 'header', 'cookie'].some((each) => each === value);
}

function bodyAt(schemas: Schemas, pointer: Pointer): RequestBody | null {
  const { value, pointer: place } = follow(schemas.document, pointer);
  if (value === undefined) return null;
  const contents = entriesAt(schemas.document, [...place, 'content']).map(([mediaType, content]): [string, Content] => [
    withoutParameters(mediaType),
    contentAt(schemas, content),
  ]);
  return { required: record(value)['required'] === true, contents: new Map(contents) };
}

/** A media type without its parameters, in lower case. */
export function withoutParameters(mediaType: string): string {
  return mediaType.split(';')[0]?.trim().toLowerCase() ?? '';
}

function contentAt(schemas: Schemas, pointer: Pointer): Content {
  const schema = [...pointer, 'schema'];
  return {
    schema: follow(schemas.document, schema).value,
    check: schemas.compile(schema),
    examples: examplesAt(schemas.document, pointer).map(({ value }) => value),
  };
}

/** A documented value; `name` is null where it has none. */
export interface Example {
  readonly name: string | null;
  readonly value: unknown;
}

/** The examples of a parameter, a header or a media type, in the order of the document; those outside it are omitted. */
export function examplesAt(document: unknown, pointer: Pointer): Example[] {
  const place = record(follow(document, pointer).value);
  const named = Object.entries(record(place['examples'])).flatMap(([name, reference]): Example[] => {
    const example = record(resolve(document, reference));
    return 'value' in example ? [{ name, value: example['value'] }] : [];
  });
  const single = 'example' in place ? [{ name: null, value: place['example'] }] : [];
  return [...single, ...named];
}

function securityOf(document: unknown, requirements: unknown): Scheme[][] {
  const schemes = record(record(record(document)['components'])['securitySchemes']);
  const alternatives = entries(requirements).map((requirement) =>
    Object.keys(record(requirement)).flatMap((name) => readScheme(name, resolve(document, schemes[name]))),
  );
  return alternatives.some((each) => each.length === 0) ? [] : alternatives;
}

/** Empty for a client certificate, which no request shows. */
function readScheme(name: string, value: unknown): Scheme[] {
  const scheme = record(value);
  const { type, in: location } = scheme;
  if (type === 'mutualTLS') return [];
  if (type === 'apiKey' && isLocation(location)) {
    return [{ name, in: location, parameter: String(scheme['name']), scheme: null }];
  }
  const authorization = type === 'http' ? String(scheme['scheme']).toLowerCase() : 'bearer';
  return [{ name, in: 'header', parameter: 'Authorization', scheme: authorization }];
}
