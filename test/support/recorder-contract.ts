import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { entriesAt, follow, fragment, record, type Pointer } from './recorder-pointers.js';

/**
 * The contract as the recorder reads it. Everything here works from the bundled OpenAPI document alone and shares no
 * code with the generator or the runtime, so that a fault of theirs cannot hide itself.
 */
export interface Contract {
  /** The name of the API, for example `platform`. */
  readonly name: string;
  readonly operations: readonly DocumentedOperation[];
  /** The replies to requests that match no operation (`x-api-responses`), by status. */
  readonly unrouted: ReadonlyMap<number, DocumentedReply>;
}

export interface DocumentedOperation {
  readonly id: string;
  readonly method: string;
  /** As in the contract: `/things/{thing_id}`. */
  readonly path: string;
  readonly replies: ReadonlyMap<number, DocumentedReply>;
}

export interface DocumentedReply {
  /** The schemas by media type; empty for a reply without a body. */
  readonly bodies: ReadonlyMap<string, DocumentedBody>;
  readonly headers: readonly DocumentedHeader[];
}

/** Lists what of a value breaks a schema. */
export type Check = (value: unknown) => readonly ErrorObject[];

export interface DocumentedBody {
  readonly check: Check;
  /** The values that `type` can have, where the body is a problem. */
  readonly problemTypes: readonly string[];
}

export interface DocumentedHeader {
  readonly name: string;
  readonly required: boolean;
  readonly numeric: boolean;
  readonly check: Check;
}

/** Reads `generated/<api>/openapi.json` below `root`. */
export function loadContract(api: string, root: string): Contract {
  return readDocument(api, JSON.parse(readFileSync(`${root}/generated/${api}/openapi.json`, 'utf8')));
}

/** Reads a bundled OpenAPI document. */
export function readDocument(name: string, document: unknown): Contract {
  const schemas = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
  formats.default(schemas);
  schemas.addSchema({ ...record(document), $id: 'contract' });
  // Compiled when first used: a test sees a small part of the contract.
  const compile = (pointer: Pointer): Check => {
    let validate: ValidateFunction | undefined;
    return (value) => {
      validate ??= schemas.compile({ $ref: `contract${fragment(pointer)}` });
      return validate(value) ? [] : (validate.errors ?? []);
    };
  };
  const reader: Reader = { document, compile };
  const operations: DocumentedOperation[] = [];
  for (const [path, item] of Object.entries(record(record(document)['paths']))) {
    for (const [method, operation] of Object.entries(record(item))) {
      if (!methods.has(method)) continue;
      const replies = readReplies(reader, ['paths', path, method, 'responses']);
      operations.push({ id: String(record(operation)['operationId']), method: method.toUpperCase(), path, replies });
    }
  }
  return { name, operations, unrouted: readReplies(reader, ['x-api-responses']) };
}

const methods = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);

interface Reader {
  readonly document: unknown;
  compile(pointer: Pointer): Check;
}

function readReplies(reader: Reader, pointer: Pointer): Map<number, DocumentedReply> {
  return new Map(
    entriesAt(reader.document, pointer).map(([status, reply]) => {
      const bodies = entriesAt(reader.document, [...reply, 'content']).map(
        ([mediaType, content]): [string, DocumentedBody] => {
          const schema = [...content, 'schema'];
          return [mediaType, { check: reader.compile(schema), problemTypes: problemTypesAt(reader, schema) }];
        },
      );
      const headers = entriesAt(reader.document, [...reply, 'headers']).map(([name, header]) =>
        readHeader(reader, name, header),
      );
      return [Number(status), { bodies: new Map(bodies), headers }];
    }),
  );
}

function readHeader(reader: Reader, name: string, pointer: Pointer): DocumentedHeader {
  const { value: header } = follow(reader.document, pointer);
  const { value: schema } = follow(reader.document, [...pointer, 'schema']);
  const type = record(schema)['type'];
  return {
    name,
    required: record(header)['required'] === true,
    numeric: type === 'integer' || type === 'number',
    check: reader.compile(follow(reader.document, [...pointer, 'schema']).pointer),
  };
}

/** The constants of `type` in a problem's schema, or in each branch of a `oneOf` of such. */
function problemTypesAt(reader: Reader, pointer: Pointer): string[] {
  const { value, pointer: place } = follow(reader.document, pointer);
  const branches = record(value)['oneOf'];
  if (Array.isArray(branches)) {
    return branches.flatMap((_, index) => problemTypesAt(reader, [...place, 'oneOf', String(index)]));
  }
  const type = record(record(record(value)['properties'])['type'])['const'];
  return typeof type === 'string' && type.startsWith('/problems/') ? [type] : [];
}
