/**
 * Finds the first rule that matches a path. Each distinct path of a history is looked up once, and most patterns are
 * plain: a name (`go.mod`), an ending (`*.md`) or a folder (`docs/**`). Those are looked up by the parts of the path.
 * The rest are expressions; one combined expression first checks whether any of them can match.
 */
import type { Matcher, Matchers } from './patterns.js';

const NO_RULE = -1;

/** The lowest rule number by name, ending or folder, in lower case. */
type Index = Map<string, number>;

interface Globs {
  readonly isNamed: Matcher;
  readonly each: readonly { readonly matches: Matcher; readonly rule: number }[];
}

/** One pattern and the number of its rule. */
interface Entry {
  readonly pattern: string;
  readonly rule: number;
}

export class PathRules {
  readonly #names: Index = new Map();
  readonly #endings: Index = new Map();
  readonly #topFolders: Index = new Map();
  readonly #folders: Index = new Map();
  readonly #nameGlobs: Globs | undefined;
  readonly #pathGlobs: Globs | undefined;

  /** @param rules the rules with their patterns, in order */
  constructor(rules: readonly { readonly paths: readonly string[] }[], matchers: Matchers) {
    const entries = rules.flatMap(({ paths }, rule) => paths.map((pattern) => ({ pattern, rule })));
    const rest = entries.filter((entry) => !this.#index(entry));
    this.#nameGlobs = globs(
      rest.filter(({ pattern }) => !pattern.includes('/')),
      matchers.name,
    );
    this.#pathGlobs = globs(
      rest.filter(({ pattern }) => pattern.includes('/')),
      matchers.path,
    );
  }

  /** The number of the first rule with a matching pattern, or {@link NO_RULE}. */
  find(path: string): number {
    const parts = path.toLowerCase().split('/');
    const name = parts.pop() ?? '';
    let first = this.#names.get(name) ?? Infinity;
    const consider = (rule: number | undefined): void => {
      if (rule !== undefined && rule < first) first = rule;
    };
    for (let dot = name.indexOf('.'); dot >= 0 && dot < MOST_ENDING; dot = name.indexOf('.', dot + 1))
      consider(this.#endings.get(name.slice(dot)));
    if (parts[0] !== undefined) consider(this.#topFolders.get(parts[0]));
    for (const folder of parts) consider(this.#folders.get(folder));
    consider(firstOf(this.#nameGlobs, name, first));
    consider(firstOf(this.#pathGlobs, path, first));
    return first === Infinity ? NO_RULE : first;
  }

  /** @returns whether the pattern is plain */
  #index({ pattern, rule }: Entry): boolean {
    for (const [form, index] of [
      [/^([^/*]+)$/, this.#names],
      [/^\*(\.[^/*]+)$/, this.#endings],
      [/^\/?([^/*]+)\/\*\*$/, this.#topFolders],
      [/^\*\*\/([^/*]+)\/\*\*$/, this.#folders],
    ] as const) {
      const key = form.exec(pattern)?.[1]?.toLowerCase();
      if (key === undefined) continue;
      if (!index.has(key)) index.set(key, rule);
      return true;
    }
    return false;
  }
}

/** Longer endings are not looked up: names with very many dots would otherwise be expensive. */
const MOST_ENDING = 255;

function globs(entries: readonly Entry[], matcher: (...patterns: readonly string[]) => Matcher): Globs | undefined {
  if (entries.length === 0) return undefined;
  return {
    isNamed: matcher(...entries.map(({ pattern }) => pattern)),
    each: entries.map(({ pattern, rule }) => ({ matches: matcher(pattern), rule })),
  };
}

/** @param before the number of a rule that already matches; later rules need not be checked */
function firstOf(found: Globs | undefined, text: string, before: number): number | undefined {
  if (found === undefined || !found.isNamed(text)) return undefined;
  return found.each.find(({ matches, rule }) => rule < before && matches(text))?.rule;
}
