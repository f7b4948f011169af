import { matchOperation } from '../gate/match-operation.js';
import type { Location, Parameter } from '../requests/read-requests.js';
import type { Subject } from './subject.js';

/** A request that can be changed: what is sent for each parameter, before percent-encoding. */
export interface Draft {
  readonly parameters: ReadonlyMap<Parameter, readonly [string, string][]>;
  readonly body: { readonly mediaType: string; readonly text: string; readonly value: unknown } | null;
  readonly withCredentials: boolean;
}

/** What of a request the contract forbids. */
export interface Violation {
  /** Equal for requests that break the same rule. */
  readonly rule: string;
  /** For people. */
  readonly text: string;
}

/** A request that is ready to be sent. */
export interface PlannedRequest {
  readonly method: string;
  /** Path and query below the server, percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly withCredentials: boolean;
  /** null: the contract allows the request. */
  readonly violation: Violation | null;
}

/** Whether a text can be sent in a place as it is: clients and proxies change or refuse the others. */
export function isSendable(location: Location, text: string): boolean {
  if (location === 'path') return !/^\.{0,2}$/.test(text) && !/[/\\]/.test(text);
  if (location === 'header') return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text);
  return location === 'query' || /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+$/.test(text);
}

/**
 * Makes a request of a draft.
 *
 * @returns null: it cannot be sent, or its path is that of another operation
 */
export function planRequest(subject: Subject, draft: Draft, violation: Violation | null): PlannedRequest | null {
  const { contract, operation } = subject;
  const sent = [...draft.parameters].flatMap(([parameter, pairs]) =>
    pairs.map(([name, value]) => ({ location: parameter.in, parameter, name, value })),
  );
  if (!sent.every(({ location, value }) => isSendable(location, value))) return null;
  const ofLocation = (location: Location): [string, string][] =>
    sent.flatMap((each): [string, string][] => (each.location === location ? [[each.name, each.value]] : []));
  const inPath = new Map(
    sent.flatMap(({ location, parameter, name, value }) =>
      location === 'path' ? [[name, encodedSegment(parameter, value)] as const] : [],
    ),
  );
  const path = operation.path.replaceAll(/\{([^}]*)\}/g, (_, name: string) => inPath.get(name) ?? '');
  if (matchOperation(contract, operation.method, path).operation !== operation) return null;
  const query = ofLocation('query').map((pair) => pair.map(encodeURIComponent).join('='));
  const cookies = ofLocation('cookie').map((pair) => pair.join('='));
  return {
    method: operation.method,
    path: query.length === 0 ? path : `${path}?${query.join('&')}`,
    headers: {
      ...Object.fromEntries(ofLocation('header')),
      ...(cookies.length === 0 ? {} : { Cookie: cookies.join('; ') }),
      ...(draft.body === null ? {} : { 'Content-Type': draft.body.mediaType }),
    },
    body: draft.body?.text ?? null,
    withCredentials: draft.withCredentials,
    violation,
  };
}

/** Servers look for the separators of a style before they decode (RFC 6570). */
function encodedSegment({ style }: Parameter, value: string): string {
  const encoded = encodeURIComponent(value).replaceAll('%2C', ',').replaceAll('%3D', '=');
  return style === 'matrix' ? encoded.replaceAll('%3B', ';') : encoded;
}
