import { parse as parseQueryString } from 'node:querystring';
import { cookieValues } from './cookie-values.js';
import type { ParameterTable, ProblemReply, Validator } from './contract-types.js';
import { faultOfEmail } from './email-address.js';
import type { Exchange } from './exchange.js';
import { isLossyWhenDecoded, unusableText } from './unusable-text.js';
import { pointerSegment, validationProblem, violationsOfFaults, type Violation } from './violations.js';

/** The validated parts of a request; the generated request type of the operation types them. */
export interface ValidParts {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly cookies: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

const noParameters: Readonly<Record<string, never>> = Object.freeze({});

/**
 * Validates parameters and body against the contract and lists all violations.
 *
 * @returns the parts with defaults and converted parameters, or the problem (422)
 */
export function validate(exchange: Exchange, body: unknown): { parts: ValidParts } | { problem: ProblemReply } {
  const { request, route, rawParams } = exchange;
  const violations: Violation[] = [];
  const params = route.params === null ? noParameters : { ...rawParams };
  check(route.params, '/path', params, violations);
  const query = route.query === null ? noParameters : readQuery(request.url ?? '', route.query, violations);
  check(route.query, '/query', query, violations);
  const headers = route.headers === null ? noParameters : readHeaders(request.headers, route.headers);
  check(route.headers, '/header', headers, violations);
  const cookies = route.cookies === null ? noParameters : readCookies(request.headers.cookie ?? '', route.cookies);
  check(route.cookies, '/cookie', cookies, violations);
  if (route.body !== null) checkBody(route.body, body, violations);
  if (violations.length === 0) return { parts: { params, query, headers, cookies, body } };
  return { problem: validationProblem(violations) };
}

function check(
  table: ParameterTable | null,
  place: string,
  values: Readonly<Record<string, unknown>>,
  violations: Violation[],
): void {
  if (table === null) return;
  for (const [name, value] of Object.entries(values)) {
    for (const each of [value].flat()) {
      const unusable = typeof each === 'string' ? unusableText(each) : null;
      if (unusable !== null) violations.push({ path: `${place}/${pointerSegment(name)}`, ...unusable });
    }
  }
  if (!table.validate(values)) violations.push(...violationsOfFaults(table.validate, place));
}

function checkBody(
  table: { readonly required: boolean; readonly validate: Validator; readonly emails: readonly string[] },
  body: unknown,
  violations: Violation[],
): void {
  if (body === undefined) {
    if (table.required) violations.push({ path: '/body', rule: 'required', message: 'is required' });
    return;
  }
  if (!table.validate(body)) violations.push(...violationsOfFaults(table.validate, '/body'));
  for (const name of table.emails) {
    const path = `/body/${pointerSegment(name)}`;
    const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
    if (typeof value !== 'string' || violations.some((each) => each.path === path)) continue;
    const message = faultOfEmail(value);
    if (message !== null) violations.push({ path, rule: 'format', message });
  }
}

function readQuery(url: string, table: ParameterTable, violations: Violation[]): Record<string, unknown> {
  const start = url.indexOf('?');
  // No prototype, so that a parameter named __proto__ is unknown like any other.
  const values: Record<string, unknown> = Object.create(null) as Record<string, never>;
  if (start === -1) return values;
  const encoded = url.slice(start + 1);
  for (const [name, value] of Object.entries(parseQueryString(encoded))) {
    if (isLossyWhenDecoded(encoded, [value].flat().join())) {
      const message = 'must be percent-encoded UTF-8';
      violations.push({ path: `/query/${pointerSegment(name)}`, rule: 'characters', message });
    }
    if (table.lists.includes(name)) values[name] = Array.isArray(value) ? value : [value];
    else if (Array.isArray(value)) {
      violations.push({ path: `/query/${pointerSegment(name)}`, rule: 'maxItems', message: 'is given more than once' });
    } else values[name] = value;
  }
  return values;
}

function readHeaders(all: NodeJS.Dict<string | string[]>, table: ParameterTable): Record<string, unknown> {
  const present = table.names.filter((name) => all[name] !== undefined);
  return Object.fromEntries(present.map((name) => [name, all[name]]));
}

/**
 * A cookie that is sent with several values is left out: a sibling domain can add one of the same name, and the order
 * does not say which one this server set (RFC 6265, section 8.6).
 */
function readCookies(field: string, { names }: ParameterTable): Record<string, unknown> {
  const values = names.map((name) => [name, cookieValues(field, name, 2)] as const);
  return Object.fromEntries(values.filter(([, { length }]) => length === 1).map(([name, [value]]) => [name, value]));
}
