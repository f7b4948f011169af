/** The globs of rules and teams files. Case never matters. */
import { literal, matchesSteps } from '../../glob.js';

export type Matcher = (text: string) => boolean;

/** Matches a name (a label, a scope, a repository): `*` matches anything. */
export function nameMatcher(pattern: string): Matcher {
  const steps = Array.from(pattern, (character) => (character === '*' ? character : literal(character)));
  return (text) => matchesSteps(steps, text);
}

/**
 * Matches a path that one of the patterns (at least one) names: `*` matches anything within one folder, `**` for any
 * number of folders. A pattern without a slash matches in every folder.
 */
export function pathMatcher(...patterns: readonly string[]): Matcher {
  // One expression for all patterns, so that shared parts are matched once.
  return tester(`^(?:${patterns.map(pathSource).join('|')})$`);
}

/** Matches a file's name, without its folders, that one of the patterns names. */
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
