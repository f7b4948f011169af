import { openSchemas, type Check, type Schemas } from '../schemas.js';
import { record } from '../documents.js';
import { entriesAt, follow, type Pointer } from './pointers.js';

/**
 * The contract as the recorder reads it. Everything here works from the bundled OpenAPI document alone and shares no
 * code with the generator or the runtime, so that a fault of theirs cannot hide itself.
 */
export interface Contract {
  /** The name of the API, for example `platform`. */
  readonly name: string;
  readonly operations: readonly DocumentedOperation[];
  /** The path of the first server, before the paths of operations: `/v2`. Empty where it is `/`. */
  readonly basePath: string;
  /** The replies to requests that match no operation (`x-api-responses`), by status. */
  readonly unrouted: ReadonlyMap<string, DocumentedReply>;
}

export interface DocumentedOperation {
  readonly id: string;
  readonly method: string;
  /** The path as the contract writes it: `/things/{thing_id}`. */
  readonly path: string;
  /** Where it is in the document. */
  readonly pointer: Pointer;
  /** By status as documented: `200`, `4XX` or `default`. */
  readonly replies: ReadonlyMap<string, DocumentedReply>;
}

export interface DocumentedReply {
  /** The schemas by media type; empty for a reply without a body. */
  readonly bodies: ReadonlyMap<string, DocumentedBody>;
  readonly headers: readonly DocumentedHeader[];
}

export interface DocumentedBody {
  readonly check: Check;
  /** The values that `type` can have, where the body is a problem. */
  readonly problemTypes: readonly string[];
}

export interface DocumentedHeader {
  readonly name: string;
  readonly required: boolean;
  readonly check: Check;
}

/** Reads an OpenAPI 3.x document whose references stay within it (`loadDocument`). */
export function readDocument(name: string, original: unknown): Contract {
  const schemas = openSchemas(original, 'replies');
  const { document } = schemas;
  const operations: DocumentedOperation[] = [];
  for (const path of Object.keys(record(follow(document, ['paths']).value))) {
    const { value: item, pointer: place } = follow(document, ['paths', path]);
    for (const [method, operation] of Object.entries(record(item))) {
      if (!methods.has(method)) continue;
      const replies = readReplies(schemas, [...place, method, 'responses']);
      const named = record(operation)['operationId'];
      const id = typeof named === 'string' ? named : `${method.toUpperCase()} ${path}`;
      operations.push({ id, method: method.toUpperCase(), path, pointer: [...place, method], replies });
    }
  }
  return { name, operations, basePath: basePathOf(document), unrouted: readReplies(schemas, ['x-api-responses']) };
}

function basePathOf(document: unknown): string {
  const servers = record(document)['servers'];
  const { url = '/', variables } = record(Array.isArray(servers) ? servers[0] : undefined);
  if (typeof url !== 'string') return '';
  const address = url.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const initial = record(record(variables)[name])['default'];
    return typeof initial === 'string' ? initial : '';
  });
  const path = URL.canParse(address, 'http://localhost') ? new URL(address, 'http://localhost').pathname : '';
  return path.replace(/\/$/, '');
}

const methods = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);

/** The replies at a pointer, each with the pointer at which it really stands: `200`, `4XX` or `default`; no extensions. */
export function repliesAt(document: unknown, pointer: Pointer): [string, Pointer][] {
  return entriesAt(document, pointer).flatMap(([key, reply]): [string, Pointer][] => {
    if (key === 'default') return [[key, reply]];
    return /^[1-5](?:\d\d|XX)$/i.test(key) ? [[key.toUpperCase(), reply]] : [];
  });
}

function readReplies(schemas: Schemas, pointer: Pointer): Map<string, DocumentedReply> {
  return new Map(
    repliesAt(schemas.document, pointer).map(([status, reply]) => {
      const bodies = entriesAt(schemas.document, [...reply, 'content']).map(
        ([mediaType, content]): [string, DocumentedBody] => {
          const schema = [...content, 'schema'];
          return [
            mediaType.split(';')[0]?.trim().toLowerCase() ?? '',
            { check: schemas.compile(schema), problemTypes: problemTypesAt(schemas, schema) },
          ];
        },
      );
      const headers = entriesAt(schemas.document, [...reply, 'headers'])
        .filter(([name]) => name.toLowerCase() !== 'content-type') // the media types say it ("Response Object")
        .map(([name, header]) => readHeader(schemas, name, header));
      return [status, { bodies: new Map(bodies), headers }];
    }),
  );
}

function readHeader(schemas: Schemas, name: string, pointer: Pointer): DocumentedHeader {
  const { value: header } = follow(schemas.document, pointer);
  return {
    name,
    required: record(header)['required'] === true,
    check: schemas.compile(follow(schemas.document, [...pointer, 'schema']).pointer),
  };
}

/** The constants of `type` in a problem's schema, or in each branch of a `oneOf` of such. */
function problemTypesAt(schemas: Schemas, pointer: Pointer): string[] {
  const { value, pointer: place } = follow(schemas.document, pointer);
  const branches = record(value)['oneOf'];
  if (Array.isArray(branches)) {
    return branches.flatMap((_, index) => problemTypesAt(schemas, [...place, 'oneOf', String(index)]));
  }
  const type = record(record(record(value)['properties'])['type'])['const'];
  return typeof type === 'string' && type.startsWith('/problems/') ? [type] : [];
}
