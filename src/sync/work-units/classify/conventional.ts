/** Conventional-commit titles (conventionalcommits.org): `type(scope)!: description`. */

export interface ConventionalTitle {
  /** Lower case. */
  readonly type: string;
  /** Lower case; several where they are separated by commas or slashes. */
  readonly scopes: readonly string[];
  /** What stands after the colon. */
  readonly description: string;
}

/** Reads a title; undefined where it has no type. git's own `Revert "..."` counts as the type `revert`. */
export function conventionalTitle(title: string): ConventionalTitle | undefined {
  const match = /^\s*([a-z][a-z0-9_-]{0,30})(?:\(([^()]{0,100})\))?!?:(?:\s|$)/i.exec(title);
  if (match?.[1] === undefined)
    return /^Revert "/.test(title) ? { type: 'revert', scopes: [], description: title } : undefined;
  const scopes = (match[2] ?? '')
    .toLowerCase()
    .split(/[,/\s]+/)
    .filter((scope) => scope !== '');
  return { type: match[1].toLowerCase(), scopes, description: title.slice(match[0].length) };
}
