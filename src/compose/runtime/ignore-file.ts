/** `.dockerignore`: decides which paths of a build context are excluded. */

/** Whether the path (relative, with `/`) is excluded. */
export type IgnoreRule = (path: string) => boolean;

/** One element of a pattern. */
type Token =
  | { readonly kind: 'one'; readonly matches: (character: string) => boolean }
  /** Any number of characters: within a segment, or also across segments. */
  | { readonly kind: 'any'; readonly crosses: boolean }
  /** `**` + `/`: nothing, or any number of whole segments. */
  | { readonly kind: 'segments' };

interface Pattern {
  readonly tokens: readonly Token[];
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
    for (const { tokens, excludes } of patterns) if (excludes !== ignored && matches(tokens, path)) ignored = excludes;
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
  return { excludes, tokens: parts.flatMap((part, index) => tokensOf(part, index === parts.length - 1)) };
}

function tokensOf(part: string, last: boolean): readonly Token[] {
  if (part === '**') return [last ? { kind: 'any', crosses: true } : { kind: 'segments' }];
  const tokens: Token[] = [];
  for (let at = 0; at < part.length; at++) {
    const character = part.charAt(at);
    const rest = part.slice(at);
    const set = /^\[(\^?)((?:\\.|[^\]\\])+)\]/.exec(rest);
    if (rest.startsWith('**')) {
      tokens.push({ kind: 'any', crosses: true });
      at++;
    } else if (character === '*') tokens.push({ kind: 'any', crosses: false });
    else if (character === '?') tokens.push({ kind: 'one', matches: (other) => other !== '/' });
    else if (set !== null) {
      const expression = new RegExp(`^[${set[1] ?? ''}${(set[2] ?? '').replace(/\[/g, '\\[')}]$`, 's');
      tokens.push({ kind: 'one', matches: (other) => expression.test(other) });
      at += set[0].length - 1;
    } else tokens.push(literal(character === '\\' && at + 1 < part.length ? part.charAt(++at) : character));
  }
  return last ? tokens : [...tokens, literal('/')];
}

function literal(character: string): Token {
  return { kind: 'one', matches: (other) => other === character };
}

/**
 * Whether the tokens match the path, or a directory that contains it.
 *
 * Tracks all possible matches in parallel, character by character (an NFA simulation). The time is at most the length
 * of the path times the number of tokens; a regular expression could take exponential time for a pattern with many
 * stars.
 */
function matches(tokens: readonly Token[], path: string): boolean {
  let places = reachable(tokens, [0]);
  for (let at = 0; at < path.length && places.size > 0; at++) {
    const character = path.charAt(at);
    if (character === '/' && places.has(tokens.length)) return true;
    const next: number[] = [];
    const inside: number[] = [];
    for (const place of places) {
      const token = tokens[place];
      if (token?.kind === 'one') {
        if (token.matches(character)) next.push(place + 1);
      } else if (token?.kind === 'any') {
        if (token.crosses || character !== '/') next.push(place);
      } else if (token?.kind === 'segments') {
        // Within a segment, the rest of the pattern cannot match before the next slash.
        if (character === '/') next.push(place);
        else inside.push(place);
      }
    }
    places = reachable(tokens, next);
    for (const place of inside) places.add(place);
  }
  return places.has(tokens.length);
}

/** The given positions, and those reachable through tokens that can match the empty text. */
function reachable(tokens: readonly Token[], from: readonly number[]): Set<number> {
  const places = new Set<number>();
  for (const start of from) {
    let place = start;
    places.add(place);
    while (place < tokens.length && tokens[place]?.kind !== 'one') places.add(++place);
  }
  return places;
}
