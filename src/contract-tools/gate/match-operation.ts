import type { Contract, DocumentedOperation } from './contract.js';

/** What the contract says about a method and a URL. */
export interface Match {
  /** null: no operation has this path, or none has it with this method. */
  readonly operation: DocumentedOperation | null;
  /** The methods of the operations that have this path; empty when none has it. */
  readonly methods: readonly string[];
}

/**
 * Finds the operation of a request. A path without parameters goes before one with (OpenAPI 3.1, "Path Templating
 * Matching"), and `{id}:close` before `{id}`; HEAD is answered by the GET operation (RFC 9110, section 9.3.2).
 *
 * @param url absolute, or a path with or without a query
 */
export function matchOperation(contract: Contract, method: string, url: string): Match {
  const segments = segmentsOf(pathWithin(contract, url));
  const candidates = contract.operations.filter((each) => segments !== null && fits(each.path, segments));
  const fewest = Math.min(...candidates.map(({ path }) => parametersIn(path)));
  const withFewest = candidates.filter(({ path }) => parametersIn(path) === fewest);
  const longest = Math.max(...withFewest.map(({ path }) => textBesideParameters(path)));
  const onPath = withFewest.filter(({ path }) => textBesideParameters(path) === longest);
  const wanted = method === 'HEAD' && !onPath.some((each) => each.method === 'HEAD') ? 'GET' : method;
  return {
    operation: onPath.find((each) => each.method === wanted) ?? null,
    methods: [...new Set(onPath.map((each) => each.method))],
  };
}

/** The path of a URL below that of the server. */
export function pathWithin({ basePath }: Contract, url: string): string {
  const path = pathOf(url);
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
}

/** The path as it was sent: parsing the URL would resolve what `..` stands for, which a server must not do. */
function pathOf(url: string): string {
  return /^(?:[a-z]+:\/\/[^/?#]*)?([^?#]*)/i.exec(url)?.[1] ?? '';
}

/** The decoded segments of a path; null when one does not decode, which no operation's path can. */
function segmentsOf(path: string): string[] | null {
  try {
    return path.split('/').map((segment) => decodeURIComponent(segment));
  } catch {
    return null;
  }
}

function fits(template: string, segments: readonly string[]): boolean {
  const pattern = template.split('/');
  if (pattern.length !== segments.length) return false;
  return pattern.every((part, index) => matches(part, segments[index] ?? ''));
}

function parametersIn(template: string): number {
  return template.split('/').filter(isParameter).length;
}

/** The characters that stand in one segment with a parameter. */
function textBesideParameters(template: string): number {
  return template
    .split('/')
    .filter(isParameter)
    .join('')
    .replaceAll(/\{[^}]*\}/g, '').length;
}

/** Whether a segment fits, with at least one character for each parameter: `{id}`, `{id}.json` or a text. */
function matches(part: string, segment: string): boolean {
  if (!isParameter(part)) return part === segment;
  const texts = part.split(/\{[^}]*\}/).map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${texts.join('.+')}$`, 's').test(segment);
}

function isParameter(part: string): boolean {
  return /\{[^}]*\}/.test(part);
}
