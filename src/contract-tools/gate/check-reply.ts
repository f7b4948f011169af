import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Contract, DocumentedBody, DocumentedReply } from './contract.js';
import { checkHeader } from './header-value.js';
import { matchOperation } from './match-operation.js';
import { record } from '../documents.js';
import type { Unit } from './observations.js';

/** A reply up to its body, and what it answers. */
export interface ReplyHead {
  readonly method: string;
  /** Absolute, or a path with or without a query. */
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
}

/** What a check saw, and what of it the contract does not have. */
export interface Findings {
  readonly units: readonly Unit[];
  readonly faults: readonly string[];
}

/** The label under which replies to requests that match no operation are counted. */
export const unroutedLabel = 'requests that match no operation';

const problemMediaType = 'application/problem+json';
const eventStream = 'text/event-stream';
export const streamMediaTypes: readonly string[] = ['application/x-ndjson', 'application/jsonl', eventStream];

/** Checks status, media type and headers of a reply against the contract. */
export function checkHead(contract: Contract, head: ReplyHead): Findings {
  const place = locate(contract, head);
  if (isOutside(contract, head, place)) return { units: [], faults: [] };
  if (place.reply === null) return { units: [], faults: [`${place.label} has no status ${head.status}`] };
  const units: Unit[] = [];
  const faults: string[] = [];
  const fault = checkMediaType(place.reply, head);
  if (fault !== null) faults.push(fault);
  for (const { name, required, check } of place.reply.headers) {
    const value = head.headers.get(name);
    if (value === null) {
      if (required) faults.push(`the header ${name} is missing`);
      continue;
    }
    const broken = checkHeader(check, value);
    if (broken.length > 0) faults.push(`the header ${name} ${explain(broken)}`);
    else if (head.method !== 'HEAD') units.push([place.label, place.status, `header ${name}`]);
  }
  if (place.allow !== null && head.status === 405) {
    const allow = new Set(head.headers.get('allow')?.split(/, */));
    if (allow.size !== place.allow.size || [...allow].some((each) => !place.allow?.has(each))) {
      faults.push(`Allow is ${[...allow].join(', ')} where the contract has ${[...place.allow].join(', ')}`);
    }
  }
  return { units, faults: faults.map((each) => `${place.label} ${head.status}: ${each}`) };
}

/** Checks the complete body of a reply whose head has no fault. */
export function checkBody(contract: Contract, head: ReplyHead, bytes: Uint8Array): Findings {
  const place = locate(contract, head);
  if (isOutside(contract, head, place)) return { units: [], faults: [] };
  const { label, reply, status } = place;
  const mediaType = mediaTypeOf(head.headers);
  const [documented, body] = bodyOf(reply, mediaType);
  const failed = (fault: string): Findings => ({ units: [], faults: [`${label} ${head.status}: ${fault}`] });
  if (head.method === 'HEAD' || mediaType === null || body === undefined) {
    if (bytes.length > 0) return failed('there must be no body');
    // A reply to HEAD shows no body, so it proves no unit.
    return { units: head.method === 'HEAD' ? [] : [[label, status, 'no body']], faults: [] };
  }
  const isJson = /[/+]json$/.test(mediaType);
  // Pictures, archives and the like: a schema says nothing about them.
  if (!isJson && !mediaType.startsWith('text/')) return { units: [[label, status, documented]], faults: [] };
  const text = decode(bytes);
  if (text === null) return failed('the body is not UTF-8');
  if (!isJson) return judge(body, text, [label, status, documented], failed);
  const value = parse(text);
  if (value === undefined) return failed('the body is not JSON');
  // Other contracts do not say by constants which problems there are.
  if (mediaType !== problemMediaType || body.problemTypes.length === 0) {
    return judge(body, value, [label, status, documented], failed);
  }
  const { type, status: stated, request_id: requestId } = record(value);
  if (!body.problemTypes.includes(String(type))) return failed(`the problem ${String(type)} is not documented here`);
  // Neither is a member of all problems (RFC 9457); where the contract demands them, its schema does.
  if (stated !== undefined && stated !== head.status)
    return failed(`the problem says that its status is ${JSON.stringify(stated)}`);
  const isTraced = requestId !== undefined && reply?.headers.some(({ name }) => name.toLowerCase() === 'x-request-id');
  if (isTraced === true && requestId !== head.headers.get('x-request-id')) {
    return failed('request_id differs from the header X-Request-Id');
  }
  return judge(body, value, [label, status, documented, String(type)], failed);
}

/**
 * Checks one line of a stream whose head has no fault. Of a stream of events only the lines with data are documented,
 * and each must hold a whole value.
 */
export function checkLine(contract: Contract, head: ReplyHead, wholeLine: string): Findings {
  const { label, reply, status } = locate(contract, head);
  const mediaType = mediaTypeOf(head.headers);
  const [documented, body] = bodyOf(reply, mediaType);
  const isEvents = mediaType === eventStream;
  if (isEvents && !wholeLine.startsWith('data:')) return { units: [], faults: [] };
  const line = isEvents ? wholeLine.slice('data:'.length) : wholeLine;
  const failed = (fault: string): Findings => ({ units: [], faults: [`${label} ${head.status}: a line: ${fault}`] });
  const value = parse(line);
  if (value === undefined || body === undefined) return failed('it is not JSON');
  return judge(body, value, [label, status, documented], failed);
}

/** The media type in Content-Type, without its parameters. */
export function mediaTypeOf(headers: Headers): string | null {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? null;
}

interface Place {
  readonly label: string;
  /** The documented status: `200`, `4XX` or `default`; the status itself where nothing documents it. */
  readonly status: string;
  /** null: the contract has no such status here. */
  readonly reply: DocumentedReply | null;
  /** The methods that an `Allow` header must list; null where the request matches an operation. */
  readonly allow: ReadonlySet<string> | null;
}

function locate(contract: Contract, { method, url, status }: ReplyHead): Place {
  const { operation, methods } = matchOperation(contract, method, url);
  // A foreign server need not answer HEAD where the contract has only GET.
  const lacksHead = contract.unrouted.size === 0 && method === 'HEAD' && operation?.method === 'GET' && status === 405;
  if (operation !== null && !(lacksHead && find(operation.replies, status).reply === null))
    return { label: operation.id, ...find(operation.replies, status), allow: null };
  const allow = new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : [])]);
  const unrouted = find(contract.unrouted, status);
  // Refused before its path was looked at.
  if (status === 400) return { label: unroutedLabel, ...unrouted, allow: null };
  const expected = methods.length === 0 ? 404 : 405;
  return { label: unroutedLabel, ...unrouted, reply: status === expected ? unrouted.reply : null, allow };
}

/** Finds what a status means: it, else its class, else `default` (OpenAPI, "Responses Object"). */
function find(replies: ReadonlyMap<string, DocumentedReply>, status: number): Pick<Place, 'status' | 'reply'> {
  for (const key of [String(status), `${String(status).charAt(0)}XX`, 'default']) {
    const reply = replies.get(key);
    if (reply !== undefined) return { status: key, reply };
  }
  return { status: String(status), reply: null };
}

/**
 * Whether the contract does not cover a reply: it has no operation for the request, says nothing about such requests
 * (`x-api-responses`), and the server refused it or answered a preflight request.
 */
function isOutside({ unrouted }: Contract, { method, status }: ReplyHead, { label }: Place): boolean {
  if (label !== unroutedLabel || unrouted.size > 0) return false;
  return status === 404 || status === 405 || method === 'OPTIONS';
}

/** The documented media type of a reply, `text/*` or the like if only that fits, and what it says. */
function bodyOf(reply: DocumentedReply | null, mediaType: string | null): [string, DocumentedBody | undefined] {
  const [main = ''] = mediaType?.split('/') ?? [];
  for (const key of mediaType === null ? [] : [mediaType, `${main}/*`, '*/*']) {
    const body = reply?.bodies.get(key);
    if (body !== undefined) return [key, body];
  }
  return [mediaType ?? '', undefined];
}

function checkMediaType(reply: DocumentedReply, { headers, method }: ReplyHead): string | null {
  const mediaType = mediaTypeOf(headers);
  const documented = [...reply.bodies.keys()];
  if (mediaType === null) return documented.length > 0 && method !== 'HEAD' ? 'there is no Content-Type' : null;
  if (bodyOf(reply, mediaType)[1] !== undefined) return null;
  return `the media type ${mediaType} is not documented (${documented.join(', ') || 'no body is'})`;
}

function judge(body: DocumentedBody, value: unknown, unit: Unit, failed: (fault: string) => Findings): Findings {
  const broken = body.check(value);
  return broken.length === 0 ? { units: [unit], faults: [] } : failed(`the body ${explain(broken)}`);
}

/** Says what is wrong without the values, which may be secrets. */
function explain(broken: readonly ErrorObject[]): string {
  const told = broken.map(({ instancePath, message, params }) => {
    const extra: unknown = params['additionalProperty'];
    return `${instancePath} ${message ?? 'is wrong'}${typeof extra === 'string' ? ` (${extra})` : ''}`.trim();
  });
  return `is not as documented: ${[...new Set(told)].join('; ')}`;
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The JSON value; undefined, which JSON does not have, when the text is none. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
