import type { ErrorObject } from 'ajv/dist/2020.js';
import { isAllowed, isPresent } from './parameter-values.js';
import {
  withoutParameters,
  type Content,
  type DocumentedRequest,
  type Location,
  type Scheme,
} from './read-requests.js';

/** A request as it came in. */
export interface ReceivedRequest {
  /** Decoded names and values of the path, the query and the cookies; the names of headers are in lower case. */
  readonly pairs: Readonly<Record<Location, readonly (readonly [string, string])[]>>;
  /** Empty where none was sent. */
  readonly body: Uint8Array;
}

/** Why the contract does not allow a request. */
export interface Refusal {
  readonly kind: RefusalKind;
  readonly reason: string;
}

export type RefusalKind = 'not acceptable' | 'media type' | 'credentials' | 'unreadable' | 'invalid' | 'too long';

/** Finds what the contract does not allow in a request; null: it is allowed. */
export function refusalOf(documented: DocumentedRequest, received: ReceivedRequest): Refusal | null {
  return (
    wrongMediaType(documented, received) ??
    missingCredentials(documented, received) ??
    wrongBodySyntax(documented, received) ??
    wrongParameter(documented, received) ??
    wrongBody(documented, received)
  );
}

function contentOf({ body }: DocumentedRequest, received: ReceivedRequest): [string, Content | undefined] {
  const [, header = ''] = received.pairs.header.find(([name]) => name === 'content-type') ?? [];
  const mediaType = withoutParameters(header);
  const [main = ''] = mediaType.split('/');
  const keys = [mediaType, `${main}/*`, '*/*'];
  return [mediaType, keys.flatMap((key) => body?.contents.get(key) ?? []).at(0)];
}

function wrongMediaType(documented: DocumentedRequest, received: ReceivedRequest): Refusal | null {
  if (documented.body === null || received.body.length === 0) return null;
  const [mediaType, content] = contentOf(documented, received);
  if (content !== undefined) return null;
  const allowed = [...documented.body.contents.keys()].join(', ');
  const sent = mediaType === '' ? 'has no Content-Type' : `is ${mediaType}`;
  return { kind: 'media type', reason: `the body ${sent}; documented: ${allowed}` };
}

function missingCredentials({ security }: DocumentedRequest, received: ReceivedRequest): Refusal | null {
  if (security.length === 0 || security.some((schemes) => schemes.every((each) => hasCredential(each, received)))) {
    return null;
  }
  const alternatives = security.map((schemes) => schemes.map(({ name }) => name).join(' and '));
  return { kind: 'credentials', reason: `there are no credentials: ${alternatives.join(', or ')}` };
}

function hasCredential({ in: location, parameter, scheme }: Scheme, { pairs }: ReceivedRequest): boolean {
  const name = location === 'header' ? parameter.toLowerCase() : parameter;
  return pairs[location].some(
    ([key, value]) => key === name && (scheme === null || value.toLowerCase().startsWith(`${scheme} `)),
  );
}

function wrongBodySyntax(documented: DocumentedRequest, received: ReceivedRequest): Refusal | null {
  if (documented.body === null) return null;
  if (received.body.length === 0) {
    return documented.body.required ? { kind: 'unreadable', reason: 'there is no body' } : null;
  }
  const [mediaType] = contentOf(documented, received);
  if (!isJson(mediaType) || parse(received.body) !== undefined) return null;
  return { kind: 'unreadable', reason: 'the body is not JSON' };
}

function wrongParameter({ parameters }: DocumentedRequest, { pairs }: ReceivedRequest): Refusal | null {
  for (const parameter of parameters) {
    const { in: location, name, required } = parameter;
    if (!isPresent(parameter, pairs[location])) {
      if (required) return { kind: 'invalid', reason: `the ${location} parameter ${name} is missing` };
      continue;
    }
    if (!isAllowed(parameter, pairs[location])) {
      return { kind: 'invalid', reason: `the ${location} parameter ${name} is not as documented` };
    }
  }
  return null;
}

function wrongBody(documented: DocumentedRequest, received: ReceivedRequest): Refusal | null {
  if (received.body.length === 0) return null;
  const [mediaType, content] = contentOf(documented, received);
  if (content === undefined) return null;
  const faults = readingsOf(mediaType, received.body).map((value) => content.check(value));
  if (faults.length === 0 || faults.some((each) => each.length === 0)) return null;
  return { kind: 'invalid', reason: `the body ${describeFaults(faults[0] ?? [])}` };
}

/** Says what breaks a schema, without the values. */
export function describeFaults(faults: readonly ErrorObject[]): string {
  return [...new Set(faults.map(({ instancePath, message = 'is wrong' }) => `${instancePath} ${message}`.trim()))].join(
    '; ',
  );
}

/** The values that a body can mean; none where the media type is not checked. */
function readingsOf(mediaType: string, body: Uint8Array): unknown[] {
  if (isJson(mediaType)) return [parse(body)];
  if (mediaType.startsWith('text/')) return [Buffer.from(body).toString('utf8')];
  return [];
}

/** Whether bodies of a media type are JSON. */
export function isJson(mediaType: string): boolean {
  return /[/+]json$/.test(mediaType);
}

/** The JSON value; undefined where the body is none. */
function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
