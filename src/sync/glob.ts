/** Matches patterns against names. Patterns are untrusted, so matching takes time proportional to both lengths. */

/** One step of a pattern: any text (`*`), or a test of one character. */
export type GlobStep = '*' | ((character: string) => boolean);

/**
 * Whether a pattern matches a whole text. A star first matches the empty text. If the rest does not match, only the
 * last star is extended by one character; backtracking to an earlier star could find no additional match. So a pattern
 * with many stars takes at most (steps x characters) tests, where a regular expression may take exponentially many.
 */
export function matchesSteps(steps: readonly GlobStep[], text: string): boolean {
  const characters = Array.from(text);
  let [step, at] = [0, 0];
  let star: { readonly next: number; readonly at: number } | undefined;
  while (at < characters.length) {
    const current = steps[step];
    if (current === '*') {
      step += 1;
      star = { next: step, at };
    } else if (current?.(characters[at] ?? '') === true) {
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
