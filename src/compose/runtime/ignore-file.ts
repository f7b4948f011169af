/** `.dockerignore`: decides which paths of a build context are excluded. */

/** Whether the path (relative, with `/`) is excluded. */
export type IgnoreRule = (path: string) => boolean;

interface Pattern {
  readonly expression: RegExp;
  readonly excludes: boolean;
}

/**
 * Implements the Dockerfile reference: one pattern per line, `#` comments, `*`, `?`, `[a-z]` within a path segment,
 * `**` across segments, `!` for exceptions. The last match decides. A pattern that matches a directory matches
 * everything in it.
 */
export function ignoreRule(text: string): IgnoreRule {
  const patterns = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .filter((line) => !line.startsWith('#'))
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== '!')
    .map(patternOf);
  return (path) => {
    let ignored = false;
    for (const { expression, excludes } of patterns) if (expression.test(path)) ignored = excludes;
    return ignored;
  };
}

/** Whether the file has exceptions. An ignored directory may then contain included paths. */
export function hasExceptions(text: string): boolean {
  return /^\s*!/m.test(text);
}

function patternOf(line: string): Pattern {
  const excludes = !line.startsWith('!');
  const parts: string[] = [];
  for (const part of (excludes ? line : line.slice(1)).trim().split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  const source = parts.map((part, index) => expressionOf(part, index === parts.length - 1)).join('');
  // A pattern that matches a leading directory matches its contents.
  return { excludes, expression: new RegExp(`^${source}(?:/.*)?$`, 's') };
}

function expressionOf(part: string, last: boolean): string {
  if (part === '**') return last ? '.*' : '(?:.*/)?';
  let source = '';
  for (let at = 0; at < part.length; at++) {
    const character = part.charAt(at);
    const rest = part.slice(at);
    const set = /^\[(\^?)((?:\\.|[^\]\\])+)\]/.exec(rest);
    if (rest.startsWith('**')) {
      source += '.*';
      at++;
    } else if (character === '*') source += '[^/]*';
    else if (character === '?') source += '[^/]';
    else if (set !== null) {
      source += `[${set[1] ?? ''}${(set[2] ?? '').replace(/\[/g, '\\[')}]`;
      at += set[0].length - 1;
    } else if (character === '\\' && at + 1 < part.length) source += literal(part.charAt(++at));
    else source += literal(character);
  }
  return last ? source : `${source}/`;
}

function literal(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
}
