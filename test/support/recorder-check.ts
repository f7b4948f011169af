import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Contract, DocumentedBody, DocumentedReply } from './recorder-contract.js';
import { matchOperation } from './recorder-matching.js';
import { record } from './recorder-pointers.js';
import type { Unit } from './recorder-observations.js';

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
export const streamMediaTypes: readonly string[] = ['application/x-ndjson'];

/** Checks status, media type and headers of a reply against the contract. */
export function checkHead(contract: Contract, head: ReplyHead): Findings {
  const place = locate(contract, head);
  if (place.reply === null) return { units: [], faults: [`${place.label} has no status ${head.status}`] };
  const units: Unit[] = [];
  const faults: string[] = [];
  const fault = checkMediaType(place.reply, head);
  if (fault !== null) faults.push(fault);
  for (const { name, required, numeric, check } of place.reply.headers) {
    const value = head.headers.get(name);
    if (value === null) {
      if (required) faults.push(`the header ${name} is missing`);
      continue;
    }
    const broken = check(numeric && value !== '' ? Number(value) : value);
    if (broken.length > 0) faults.push(`the header ${name} ${explain(broken)}`);
    else if (head.method !== 'HEAD') units.push([place.label, String(head.status), `header ${name}`]);
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
  const { label, reply } = locate(contract, head);
  const status = String(head.status);
  const mediaType = mediaTypeOf(head.headers);
  const body = mediaType === null ? undefined : reply?.bodies.get(mediaType);
  const failed = (fault: string): Findings => ({ units: [], faults: [`${label} ${status}: ${fault}`] });
  if (head.method === 'HEAD' || mediaType === null || body === undefined) {
    if (bytes.length > 0) return failed('there must be no body');
    // A reply to HEAD shows no body, so it proves no unit.
    return { units: head.method === 'HEAD' ? [] : [[label, status, 'no body']], faults: [] };
  }
  const text = decode(bytes);
  if (text === null) return failed('the body is not UTF-8');
  if (mediaType.startsWith('text/')) return judge(body, text, [label, status, mediaType], failed);
  const value = parse(text);
  if (value === undefined) return failed('the body is not JSON');
  if (mediaType !== problemMediaType) return judge(body, value, [label, status, mediaType], failed);
  const { type, status: stated, request_id: requestId } = record(value);
  if (!body.problemTypes.includes(String(type))) return failed(`the problem ${String(type)} is not documented here`);
  if (stated !== head.status) return failed(`the problem says that its status is ${String(stated)}`);
  if (requestId !== head.headers.get('x-request-id')) return failed('request_id differs from the header X-Request-Id');
  return judge(body, value, [label, status, mediaType, String(type)], failed);
}

/** Checks one line of a stream whose head has no fault. */
export function checkLine(contract: Contract, head: ReplyHead, line: string): Findings {
  const { label, reply } = locate(contract, head);
  const mediaType = mediaTypeOf(head.headers) ?? '';
  const failed = (fault: string): Findings => ({ units: [], faults: [`${label} ${head.status}: a line: ${fault}`] });
  const body = reply?.bodies.get(mediaType);
  const value = parse(line);
  if (value === undefined || body === undefined) return failed('it is not JSON');
  return judge(body, value, [label, String(head.status), mediaType], failed);
}

/** The media type in Content-Type, without its parameters. */
export function mediaTypeOf(headers: Headers): string | null {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? null;
}

interface Place {
  readonly label: string;
  /** null: the contract has no such status here. */
  readonly reply: DocumentedReply | null;
  /** The methods that an `Allow` header must list; null where the request matches an operation. */
  readonly allow: ReadonlySet<string> | null;
}

function locate(contract: Contract, { method, url, status }: ReplyHead): Place {
  const { operation, methods } = matchOperation(contract, method, url);
  if (operation !== null) return { label: operation.id, reply: operation.replies.get(status) ?? null, allow: null };
  const allow = new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : [])]);
  // Refused before its path was looked at.
  if (status === 400) return { label: unroutedLabel, reply: contract.unrouted.get(status) ?? null, allow: null };
  const expected = methods.length === 0 ? 404 : 405;
  const reply = status === expected ? contract.unrouted.get(status) : undefined;
  return { label: unroutedLabel, reply: reply ?? null, allow };
}

function checkMediaType({ bodies }: DocumentedReply, { headers, method }: ReplyHead): string | null {
  const mediaType = mediaTypeOf(headers);
  const documented = [...bodies.keys()];
  if (mediaType === null) return documented.length > 0 && method !== 'HEAD' ? 'there is no Content-Type' : null;
  if (documented.includes(mediaType)) return null;
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
