/** The globs of rules and teams files. All are case-insensitive. */
import { literal, matchesItems, matchesSteps, type GlobStep } from '../../glob.js';

export type Matcher = (text: string) => boolean;

/** Matches a name (a label, a scope, a repository): `*` matches anything. */
export function nameMatcher(pattern: string): Matcher {
  const steps = Array.from(pattern, (character) => (character === '*' ? character : literal(character)));
  return (text) => matchesSteps(steps, text);
}

/**
 * Matches a path against the patterns (at least one): `*` matches any characters within one folder, `**` any number of
 * folders. A pattern without a slash matches in every folder.
 */
export function pathMatcher(...patterns: readonly string[]): Matcher {
  // One expression for all patterns, so that common parts are matched once.
  return tester(`^(?:${patterns.map(pathSource).join('|')})$`);
}

/** Matches the file name of a path against the patterns, without its folders. */
export function namePattern(...patterns: readonly string[]): Matcher {
  return tester(`^(?:${patterns.map(globSource).join('|')})$`);
}

/** How patterns become matchers. */
export interface Matchers {
  /** Labels and scopes. */
  readonly label: (pattern: string) => Matcher;
  readonly path: (...patterns: readonly string[]) => Matcher;
  readonly name: (...patterns: readonly string[]) => Matcher;
}

/** For patterns of the operator. Many of them are matched at once, but one with many stars can take very long. */
export const expressions: Matchers = { label: nameMatcher, path: pathMatcher, name: namePattern };

/** Hosts have no longer labels. */
const LONGEST_LABEL = 255;
/** No tree of a real repository is deeper. */
const DEEPEST_PATH = 64;

/**
 * For patterns of users. Longer labels and deeper paths match nothing, so that a thousand patterns against a hostile text
 * take milliseconds.
 */
export const linear: Matchers = {
  label: (pattern) => {
    const matches = linearName(pattern);
    return (text) => text.length <= LONGEST_LABEL && matches(text);
  },
  path: (...patterns) => anyOf(patterns.map(linearPath)),
  name: (...patterns) => anyOf(patterns.map(linearName)),
};

function anyOf(matchers: readonly Matcher[]): Matcher {
  return (text) => matchers.some((matches) => matches(text));
}

function linearPath(pattern: string): Matcher {
  const parts = partsOfPath(pattern);
  const steps = parts.flatMap((part, index): readonly GlobStep[] => {
    if (part !== '**') return [linearName(part)];
    // At the end it stands for at least one name: `docs/**` does not match a file `docs`.
    return index === parts.length - 1 ? [() => true, '*'] : ['*'];
  });
  return (path) => {
    const items = path.split('/');
    return items.length <= DEEPEST_PATH && matchesItems(steps, items);
  };
}

/** Each text between stars is found at its first place after the one before; no other choice could find more. */
function linearName(glob: string): Matcher {
  const [first = '', ...rest] = glob.toLowerCase().split('*');
  const last = rest.pop();
  return (text) => {
    const name = text.toLowerCase();
    if (last === undefined) return name === first;
    if (!name.startsWith(first)) return false;
    let at = first.length;
    for (const part of rest) {
      const found = name.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return name.length - last.length >= at && name.endsWith(last);
  };
}

function partsOfPath(pattern: string): readonly string[] {
  return (pattern.includes('/') ? pattern.replace(/^\//, '') : `**/${pattern}`).split('/');
}

function pathSource(pattern: string): string {
  const parts = partsOfPath(pattern);
  const source = parts.map((part, index) => {
    const isLast = index === parts.length - 1;
    if (part === '**') return isLast ? '.*' : '(?:.*/)?';
    return globSource(part) + (isLast ? '' : '/');
  });
  return source.join('');
}

function globSource(glob: string): string {
  return glob
    .split('*')
    .map((part) => part.replace(/[.+?^${}()|[\]\\/]/g, '\\$&'))
    .join('[^/]*');
}

function tester(source: string): Matcher {
  const expression = new RegExp(source, 'isu');
  return (text) => expression.test(text);
}
