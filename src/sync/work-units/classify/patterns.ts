/** The globs of rules and teams files. All are case-insensitive. */
import { literal, matchesSteps } from '../../glob.js';

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

function pathSource(pattern: string): string {
  const parts = (pattern.includes('/') ? pattern.replace(/^\//, '') : `**/${pattern}`).split('/');
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
