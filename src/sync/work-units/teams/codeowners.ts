/**
 * A repository's CODEOWNERS file, in the format of both hosts: each line has a pattern and its owners, and the last
 * line that matches a path applies. Patterns are those of .gitignore without negation. host_b's section headers are
 * skipped, but their default owners apply to lines below that name none.
 */

import type { Steps } from '@plumbline/contract/system/slices';

export interface OwnerRule {
  readonly matches: (path: string) => boolean;
  /** Owners as they are written: `@org/team`, `@login` or an e-mail; an empty list removes ownership. */
  readonly owners: readonly string[];
}

/** The paths that hosts search, in their order. */
export const CODEOWNERS_PATHS = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'] as const;

/** Bytes. host_a ignores larger files, so they are ignored for other hosts, too. */
export const LARGEST_CODEOWNERS = 3_000_000;

/**
 * Parses the text of the file; skips invalid lines, as the hosts do. A step is a line: the largest files have tens of
 * thousands of patterns.
 */
export function* parseCodeowners(text: string): Steps<readonly OwnerRule[]> {
  const rules: OwnerRule[] = [];
  let defaults: readonly string[] = [];
  for (const line of text.split(/\r?\n/)) {
    yield;
    const section = /^\^?\[[^\]]*\](?:\[\d+\])?\s*(.*)$/.exec(line.trim());
    if (section !== null) {
      defaults = words(section[1] ?? '').filter(isOwner);
      continue;
    }
    const [pattern, ...rest] = words(line);
    if (pattern === undefined) continue;
    const own = rest.filter(isOwner);
    rules.push({ matches: ownerPattern(pattern), owners: own.length > 0 ? own : defaults });
  }
  return rules;
}

/** Patterns whose comparison with a path is one step. */
const PATTERNS_PER_STEP = 100;

/** The owners of a path; empty if no rule matches. */
export function* ownersOf(rules: readonly OwnerRule[], path: string): Steps<readonly string[]> {
  for (let end = rules.length; end > 0; end -= PATTERNS_PER_STEP) {
    const some = rules.slice(Math.max(0, end - PATTERNS_PER_STEP), end);
    const found = some.findLast(({ matches }) => matches(path));
    if (found !== undefined) return found.owners;
    yield;
  }
  return [];
}

/** The words of a line without its comment; a backslash keeps a space or `#` in a pattern. */
function words(line: string): string[] {
  const found = line.match(/(?:\\.|[^\s\\])+/g) ?? [];
  const comment = found.findIndex((word) => word.startsWith('#'));
  return (comment < 0 ? found : found.slice(0, comment)).map((word) => word.replace(/\\(.)/g, '$1'));
}

function isOwner(word: string): boolean {
  return word.startsWith('@') || /^[^@\s]+@[^@\s]+$/.test(word);
}

/**
 * A .gitignore pattern. A pattern with a slash before its end is rooted; others match in any folder. A folder matches
 * everything in it.
 *
 * A star first matches the shortest text. Once the part up to the next star has matched, it is final: backtracking
 * could find no additional match, and would take exponential time with hostile patterns and paths.
 */
function ownerPattern(pattern: string): (path: string) => boolean {
  const isRooted = /^\/|\/(?!$)/.test(pattern);
  const isFolder = pattern.endsWith('/');
  const body = pattern.replace(/^\//, '').replace(/\/$/, '');
  const parts = (isRooted ? body : `**/${body}`).split('/');
  let groups = 0;
  // JavaScript has no atomic groups. A lookahead is atomic, and a back-reference to its named group consumes the match.
  const kept = (source: string): string => {
    groups += 1;
    return `(?=(?<kept${groups}>${source}))\\k<kept${groups}>`;
  };
  const nameSource = (name: string): string => {
    const [first = '', ...others] = name.split(/\*+/).map((text) => escaped(text).replaceAll('\\?', '[^/]'));
    const last = others.pop();
    return `${first}${others.map((text) => kept(`[^/]*?${text}`)).join('')}${last === undefined ? '' : `[^/]*${last}`}`;
  };
  const [start = [], ...runs] = between(parts, '**').map((names) => names.map(nameSource));
  const end = runs.pop();
  const folders = (names: readonly string[]): string => names.map((name) => `${name}/`).join('');
  const source =
    end === undefined
      ? start.join('/')
      : folders(start) +
        runs.map((names) => (names.length === 0 ? '' : kept(`(?:[^/]*/)*?${folders(names)}`))).join('') +
        (end.length === 0 ? '.*' : `(?:[^/]*/)*?${end.join('/')}`);
  // `docs/*` matches the files of a folder, but not deeper ones; a name without a star may be a folder.
  const last = parts.at(-1) ?? '';
  const tail = last === '**' ? '' : isFolder ? '/.*' : last === '*' && isRooted ? '' : '(?:/.*)?';
  const expression = new RegExp(`^${source}${tail}$`, 's');
  return (path) => expression.test(path);
}

function escaped(text: string): string {
  return text.replace(/[.+^${}()|[\]\\?]/g, '\\$&');
}

/** The sequences of items between separators. */
function between(items: readonly string[], separator: string): string[][] {
  const runs: string[][] = [[]];
  for (const item of items) {
    if (item === separator) runs.push([]);
    else runs.at(-1)?.push(item);
  }
  return runs;
}
