import { record } from '../documents.js';
import { mediaTypeOf } from '../gate/check-reply.js';
import { entriesAt, follow, fragment, type Pointer } from '../gate/pointers.js';
import { isJson } from '../requests/check-request.js';
import { examplesAt } from '../requests/read-requests.js';
import type { Schemas } from '../schemas.js';
import type { Making } from '../values/arbitrary.js';
import { sample } from '../values/sample.js';
import type { ChosenReply } from './choose-reply.js';

/** A reply of the mock server. */
export interface MockReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** What writes replies: the schemas of a contract, and how values are made where there is no example. */
export interface Writer {
  readonly schemas: Schemas;
  readonly making: Making;
  /** What was made, by place. */
  readonly made: Map<string, unknown>;
}

export function createWriter(schemas: Schemas): Writer {
  const { document } = schemas;
  return {
    schemas,
    making: { document, texts: 'words', omitted: 'writeOnly', optional: 'some', made: new WeakMap() },
    made: new Map(),
  };
}

/** Media types for documented ranges. */
const ofRange: Readonly<Record<string, string>> = {
  '*/*': 'application/octet-stream',
  'text/*': 'text/plain',
  'image/*': 'image/png',
  'application/*': 'application/json',
};

/** The media types of a reply, as they are sent, each with its place in the document. */
export function mediaTypesOf({ schemas }: Writer, { pointer }: ChosenReply): Map<string, Pointer> {
  return new Map(
    entriesAt(schemas.document, [...pointer, 'content']).map(([range, place]) => [
      ofRange[range] ?? range.replace('/*', '/octet-stream'),
      place,
    ]),
  );
}

/** The media type in which a reply has an example of a name; null: in none. */
export function mediaTypeWithExample(writer: Writer, chosen: ChosenReply, name: string): string | null {
  for (const [mediaType, place] of mediaTypesOf(writer, chosen)) {
    if (examplesAt(writer.schemas.document, place).some((each) => each.name === name)) return mediaType;
  }
  return null;
}

/**
 * Writes a documented reply.
 *
 * @param mediaType null: the reply has no body
 * @param example name of the example; null: the first
 */
export function writeReply(
  writer: Writer,
  chosen: ChosenReply,
  mediaType: string | null,
  example: string | null,
): MockReply {
  const place = mediaType === null ? undefined : mediaTypesOf(writer, chosen).get(mediaType);
  const value = place === undefined ? undefined : valueAt(writer, place, example);
  const headers = writeHeaders(writer, chosen.pointer);
  if (mediaType === null) return { status: chosen.status, headers, body: '' };
  headers.set('Content-Type', mediaType);
  const requestId = record(value)['request_id'];
  // The same id in both places, as the contracts of this repository demand.
  if (headers.has('X-Request-Id') && typeof requestId === 'string') headers.set('X-Request-Id', requestId);
  return { status: chosen.status, headers, body: textOf(value, headers) };
}

/** An example, else a value that is made from the schema; undefined where none can be made. */
function valueAt({ schemas, making, made }: Writer, pointer: Pointer, name: string | null): unknown {
  const examples = examplesAt(schemas.document, pointer);
  const example = examples.find((each) => each.name === name) ?? examples[0];
  if (example !== undefined) return example.value;
  const { value: schema } = follow(schemas.document, [...pointer, 'schema']);
  const { examples: several, example: single } = record(schema);
  const ofSchema: unknown = Array.isArray(several) ? several[0] : single;
  if (ofSchema !== undefined) return ofSchema;
  const place = fragment(pointer);
  if (!made.has(place)) made.set(place, sample(making, schema, schemas.compile([...pointer, 'schema']))[0]);
  return made.get(place);
}

function writeHeaders(writer: Writer, pointer: Pointer): Headers {
  const headers = new Headers();
  for (const [name, place] of entriesAt(writer.schemas.document, [...pointer, 'headers'])) {
    // OpenAPI describes it by the media types ("Response Object").
    if (name.toLowerCase() === 'content-type') continue;
    const value = valueAt(writer, place, null);
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(',') : plain(value));
  }
  return headers;
}

function textOf(value: unknown, headers: Headers): string {
  const mediaType = mediaTypeOf(headers) ?? '';
  if (value === undefined) return '';
  if (isJson(mediaType)) return JSON.stringify(value);
  if (typeof value === 'string') return value;
  if (mediaType === 'application/x-www-form-urlencoded') {
    const pairs = Object.entries(record(value)).map(([key, each]): [string, string] => [key, plain(each)]);
    return String(new URLSearchParams(pairs));
  }
  if (mediaType === 'text/event-stream') return `id: mock\ndata: ${JSON.stringify(value)}\n\n`;
  // One line of a stream; for XML and the like, the closest possible without a text as example.
  return `${JSON.stringify(value)}\n`;
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
