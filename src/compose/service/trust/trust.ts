/** Holds what was sent against the decisions: the first key that is not allowed is refused by its place. */
import { failure } from '../../model/errors.js';
import { isNull, plain, shownPath, type MapNode, type Node, type Path, type Place } from '../../model/node.js';
import type { Allowance } from './allowances.js';
import { RESERVED_LABELS, type Need } from './decision.js';
import { DECISIONS, FREE_MAPPINGS } from './decisions.js';
import { isReservedLabel } from './values.js';

/** What the operator allows, and the directory of the project: absolute, and empty. */
export interface Trust {
  readonly allowances: ReadonlySet<Allowance>;
  readonly directory: string;
}

/** Keys whose files loading would read before there is a merged model. */
const READ_EARLY: ReadonlySet<string> = new Set(['include', 'services.*.extends.file']);

/**
 * Checks one document as written: what must not even be read.
 *
 * @throws ComposeFailure ComposeValidationError.notAllowed
 */
export function requireReadable(document: MapNode, trust: Trust): void {
  check(document, [], [], { ...trust, root: document, patterns: READ_EARLY });
}

/**
 * Checks the merged model, before anything that it names is read.
 *
 * @throws ComposeFailure ComposeValidationError.notAllowed
 */
export function requireAllowed(model: MapNode, trust: Trust): void {
  check(model, [], [], { ...trust, root: model, patterns: null });
}

/** What `requireAllowance` throws, as handlers document it. */
export const NOT_ALLOWED = ['ComposeValidationError.notAllowed'] as const;

/**
 * Checks a part of a request that every caller would need an allowance for.
 *
 * @param path its place in the body
 * @throws ComposeFailure ComposeValidationError.notAllowed
 */
export function requireAllowance(allowance: Allowance, path: Path, allowances: ReadonlySet<Allowance>): void {
  if (!allowances.has(allowance)) throw notAllowed(path, allowance, ALLOWED_BY_OPERATOR);
}

const ALLOWED_BY_OPERATOR = 'the operator of the server does not allow it';

/**
 * Checks labels that a caller gives to a resource.
 *
 * @throws ComposeFailure ComposeValidationError.notAllowed
 */
export function requireOwnLabels(labels: Readonly<Record<string, string>> = {}): void {
  const reserved = Object.keys(labels).find(isReservedLabel);
  if (reserved !== undefined) throw notAllowed(['labels', reserved], 'never', RESERVED_LABELS);
}

/** The failure for a key, or for a part of a request. */
export function notAllowed(path: Path, need: Need, why: string, place?: Place): Error {
  const reason = need === 'never' ? why : `${why}; 'serve --allow ${need}' accepts it`;
  const allowance = need === 'never' ? 'none' : need;
  return failure('ComposeValidationError', 'notAllowed', { path: [...path], reason, allowance }, place);
}

interface Check extends Trust {
  readonly root: MapNode;
  /** Only these keys; null: all. */
  readonly patterns: ReadonlySet<string> | null;
}

function check(node: Node, path: Path, place: readonly string[], checking: Check): void {
  if (isNull(node) || node.directive === 'reset') return;
  const pattern = place.join('.');
  const decision = DECISIONS[pattern];
  if (decision !== undefined && decision !== 'allowed' && checking.patterns?.has(pattern) !== false) {
    const need = decision.need(plain(node), checking.directory);
    if (need !== undefined && !isGiven(need, checking)) {
      throw notAllowed(shownPath(checking.root, path), need, decision.reason, node.place);
    }
  }
  // Such a decision is about everything inside; so is one about a mapping whose keys authors choose.
  if (!parents.has(pattern) && ((decision ?? 'allowed') !== 'allowed' || FREE_MAPPINGS.has(pattern))) return;
  if (node.kind === 'list') {
    node.items.forEach((item, index) => {
      check(item, [...path, index], [...place, '*'], checking);
    });
  } else if (node.kind === 'map') {
    for (const [key, entry] of node.entries) {
      if (key.startsWith('x-') && !authorsChoose(place)) continue;
      requireDecided([...path, key], [...place, keyIn(place, key)], entry.place, checking);
      check(entry.value, [...path, key], [...place, keyIn(place, key)], checking);
    }
  }
}

/** A key without a decision is refused: a later version of the specification may have added it. */
function requireDecided(path: Path, place: readonly string[], at: Place, { root, patterns }: Check): void {
  if (patterns !== null || knownKeys.has(place.join('.'))) return;
  throw notAllowed(shownPath(root, path), 'never', 'this server does not know the key', at);
}

function authorsChoose(place: readonly string[]): boolean {
  return knownKeys.has([...place, '*'].join('.'));
}

function isGiven(need: Need, { allowances }: Trust): boolean {
  return need !== 'never' && allowances.has(need);
}

/** A key as decisions have it: itself where the specification names it, `*` where authors choose it. */
function keyIn(place: readonly string[], key: string): string {
  return knownKeys.has([...place, key].join('.')) ? key : '*';
}

/** Every place that a decision is about, and those above it. */
const knownKeys: ReadonlySet<string> = new Set(
  Object.keys(DECISIONS).flatMap((pattern) => {
    const parts = pattern.split('.');
    return parts.map((_, index) => parts.slice(0, index + 1).join('.'));
  }),
);

/** The places that have others inside. */
const parents: ReadonlySet<string> = new Set(
  [...knownKeys].map((key) => key.slice(0, Math.max(0, key.lastIndexOf('.')))),
);
