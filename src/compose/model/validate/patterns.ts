/** Whether a path of keys matches a pattern in which `*` matches any one key. */
export function matchesPattern(path: readonly string[], pattern: readonly string[]): boolean {
  return pattern.length === path.length && pattern.every((part, index) => part === '*' || part === path[index]);
}
