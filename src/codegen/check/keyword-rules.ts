/** Refuses keywords of a contract that the generator does not implement, where they stand in the sources. */
import type { Plugin } from '@redocly/openapi-core';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { refusalOf } from './contract-keywords.js';
import { isRecord, type SchemaObject } from '../read/openapi-document.js';
import { statedTypes } from './schema-places.js';

/** A fault of an object, and the keyword that is at fault. */
type KeywordFault = readonly [keyword: string, reason: string];

/** Follows the `$ref` of a schema. */
type Resolve = (schema: unknown) => unknown;

/** A path whose parameters are whole segments, in snake_case: what the router matches as OpenAPI says. */
const pathTemplate = /^(?:\/(?:\{[a-z][a-z0-9]*(?:_[a-z0-9]+)*\}|[\w.~-]+)?)+$/;

/** The name of a header (RFC 9110, section 5.6.2). */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Words that cannot name a function of a module (ECMA-262, section 12.7.2), of which some are verbs. */
const reservedWords: ReadonlySet<string> = new Set(
  `arguments await break case catch class const continue debugger default delete do else enum eval export extends false
  finally for function if implements import in instanceof interface let new null package private protected public return
  static super switch this throw true try typeof var void while with yield`.split(/\s+/),
);

/** Rules for the values of keywords, by the object that has them. */
const valueRules: Readonly<Record<string, (node: SchemaObject, resolve: Resolve) => KeywordFault[]>> = {
  Paths: (paths) =>
    Object.keys(paths)
      .filter((path) => !pathTemplate.test(path))
      .map((path) => [path, 'a segment is a {parameter} in snake_case, or consists of letters, digits, -, _, . and ~']),
  Responses: (responses) =>
    Object.keys(responses)
      .filter((status) => status !== 'default' && !/^[1-5]\d\d$/.test(status))
      .map((status) => [status, 'statuses are numbers']),
  Operation: ({ operationId }) =>
    reservedWords.has(String(operationId))
      ? [['operationId', `a function of the SDK cannot be named ${String(operationId)}`]]
      : [],
  Parameter: (parameter, resolve) => parameterFaults(parameter, resolve),
  Header: ({ style = 'simple', explode = false, schema }, resolve) => [
    ...serializationFaults({ style, explode }, { style: 'simple', explode: false }),
    ...valueFaults(typesIn(schema, resolve), []),
  ],
  Schema: ({ format }) =>
    typeof format !== 'string' || Object.hasOwn(fullFormats, format)
      ? []
      : [['format', `no validator knows the format ${format}`]],
};

function parameterFaults({ name, in: place, style, explode, schema }: SchemaObject, resolve: Resolve): KeywordFault[] {
  const isForm = place === 'query' || place === 'cookie';
  const usual = { style: isForm ? 'form' : 'simple', explode: isForm };
  const types = typesIn(schema, resolve);
  return [
    ...(place === 'header' && !token.test(String(name)) ? [['name', 'it is not the name of a header'] as const] : []),
    ...serializationFaults({ style: style ?? usual.style, explode: explode ?? usual.explode }, usual),
    ...valueFaults(types, place === 'query' ? ['array'] : []),
    ...(types.includes('array') ? valueFaults(typesIn(itemsOf(resolve(schema)), resolve), []) : []),
  ];
}

function serializationFaults(sent: Serialization, usual: Serialization): KeywordFault[] {
  return [
    ...(sent.style === usual.style ? [] : [['style', `only ${String(usual.style)} is supported here`] as const]),
    ...(sent.explode === usual.explode
      ? []
      : [['explode', `only ${String(usual.explode)} is supported here`] as const]),
  ];
}

interface Serialization {
  readonly style: unknown;
  readonly explode: unknown;
}

/** Lists and objects are read in queries alone: a list from the values of one name. */
function valueFaults(types: readonly string[], supported: readonly string[]): KeywordFault[] {
  return types
    .filter((type) => (type === 'array' || type === 'object') && !supported.includes(type))
    .map((type) => ['schema', `a value of the type ${type} is not supported here`]);
}

/** The types of a schema and of its alternatives. */
function typesIn(schema: unknown, resolve: Resolve): string[] {
  const resolved = resolve(schema);
  if (!isRecord(resolved)) return [];
  const { oneOf } = resolved;
  const branches: unknown[] = Array.isArray(oneOf) ? oneOf : [];
  return [...statedTypes(resolved), ...branches.flatMap((branch) => typesIn(branch, resolve))];
}

function itemsOf(schema: unknown): unknown {
  return isRecord(schema) ? schema['items'] : undefined;
}

function faultsOf(type: string, node: SchemaObject, resolve: Resolve): KeywordFault[] {
  const refused = Object.keys(node).flatMap((keyword): KeywordFault[] => {
    // These objects are maps: their keys are names, apart from `default`.
    if (type === 'Responses' && keyword !== 'default') return [];
    const reason = refusalOf(type, keyword);
    return reason === null ? [] : [[keyword, reason]];
  });
  return [...refused, ...(valueRules[type]?.(node, resolve) ?? [])];
}

/** Types of extensions that contain objects of OpenAPI, which are walked like those elsewhere. */
const extensions = {
  Root: { 'x-api-responses': 'Responses', 'x-derived-responses': 'DerivedRepliesList' },
  SecurityScheme: { 'x-principal': 'Principal' },
} as const;

/** The name of the plugin, and of its rule. */
export const keywordRule = 'plumbline/keywords';

/** A plugin that visits the sources before they are bundled, and reports what the generator refuses. */
export const keywordPlugin: Plugin = {
  id: 'plumbline',
  preprocessors: {
    oas3: {
      keywords: () => ({
        any: {
          enter(node: unknown, { type, location, report, resolve }) {
            if (!isRecord(node)) return;
            const follow: Resolve = (schema) => (isRecord(schema) ? resolve(schema).node : undefined);
            for (const [keyword, reason] of faultsOf(type.name, node, follow)) {
              const message = `${type.name}.${keyword} is refused (rule ${keywordRule}): ${reason}`;
              const { source, pointer } = location.child([keyword]);
              report({ message, location: { source, pointer, reportOnKey: true } });
            }
          },
        },
      }),
    },
  },
  typeExtension: {
    oas3: (types) => ({
      ...types,
      ...Object.fromEntries(
        Object.entries(extensions).map(([name, added]) => {
          const type = types[name];
          return [name, { ...type, properties: { ...type?.properties, ...added } }];
        }),
      ),
      DerivedRepliesList: { properties: {}, items: 'DerivedReplies' },
      DerivedReplies: {
        properties: { when: null, responses: 'Responses', adds: 'Responses', headers: 'HeadersMap' },
      },
      Principal: { properties: { name: null, schema: 'Schema' } },
    }),
  },
};
