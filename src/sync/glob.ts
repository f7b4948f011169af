/** Matches patterns against names. Patterns are untrusted, so matching takes time proportional to both lengths. */

/** One step of a pattern: any items (`*`), or a test of one item: a character, or a folder of a path. */
export type GlobStep = '*' | ((item: string) => boolean);

/**
 * Whether a pattern matches a whole text. A star first matches the empty text. If the rest does not match, only the
 * last star is extended by one character; backtracking to an earlier star could find no additional match. So a pattern
 * with many stars takes at most (steps x characters) tests, where a regular expression may take exponentially many.
 */
export function matchesSteps(steps: readonly GlobStep[], text: string): boolean {
  return matchesItems(steps, Array.from(text));
}

/** The same for a list of items. */
export function matchesItems(steps: readonly GlobStep[], items: readonly string[]): boolean {
  let [step, at] = [0, 0];
  let star: { readonly next: number; readonly at: number } | undefined;
  while (at < items.length) {
    const current = steps[step];
    if (current === '*') {
      step += 1;
      star = { next: step, at };
    } else if (current?.(items[at] ?? '') === true) {
      step += 1;
      at += 1;
    } else {
      if (star === undefined) return false;
      star = { next: star.next, at: star.at + 1 };
      ({ next: step, at } = star);
    }
  }
  return steps.slice(step).every((rest) => rest === '*');
}

/** A case-insensitive test for one character. */
export function literal(character: string): GlobStep {
  const folded = character.toLowerCase();
  return (other) => other.toLowerCase() === folded;
}
