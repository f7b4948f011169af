/** Patterns over names. People of an organization write them, so matching takes time in proportion to both lengths. */

/** One step of a pattern: any text (`*`), or a test of one character. */
export type GlobStep = '*' | ((character: string) => boolean);

/**
 * Whether a pattern matches a whole text. A star first stands for nothing. Where the rest does not match, only the last
 * star takes one more character: to go back to an earlier one could find nothing that this does not find. So a pattern
 * with many stars takes at most (steps x characters) tests, where a regular expression would take an exponential number.
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

/** A test for one character; case does not matter. */
export function literal(character: string): GlobStep {
  const folded = character.toLowerCase();
  return (other) => other.toLowerCase() === folded;
}
