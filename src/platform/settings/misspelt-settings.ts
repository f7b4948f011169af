import leven from 'leven';

/** Variables with our prefix that other parts of Plumbline or its tests read. */
const otherNames = /^PLUMBLINE_(?:CONFIG|(?:CI|TEST|COMPOSE)_\w+)$/;

/** Short names are close to many variables of other programs (`HOST` and `LOST`): only longer ones are compared. */
const leastCompared = 7;

/**
 * Lines about variables that look like settings and are none, such as `DATABASE_URL`.
 *
 * @param names the variables that exist
 */
export function misspeltSettings(
  environment: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): string[] {
  const known = new Set(names);
  return Object.keys(environment)
    .filter((name) => !known.has(name) && !otherNames.test(name))
    .flatMap((name) => {
      const similar = similarName(name, names);
      if (similar !== null) {
        if ((environment[similar] ?? '') !== '') return []; // set as well: the other variable belongs to another program
        return `${name} is not a setting of Plumbline. Did you mean ${similar}?`;
      }
      return name.startsWith('PLUMBLINE_') ? `${name} is not a setting of Plumbline.` : [];
    })
    .sort();
}

/** The closest of the names, if it is at most a slip of the keyboard or our prefix away; else null. */
export function similarName(name: string, names: readonly string[]): string | null {
  const plain = name.toUpperCase().replaceAll('-', '_');
  const withoutPrefix = plain.replace(/^PLUMBLINE_/, '');
  if (withoutPrefix !== plain && names.includes(withoutPrefix)) return withoutPrefix;
  if (plain.length < leastCompared) return null;
  const close = names
    .filter((each) => each.length >= leastCompared)
    .map((each) => ({ each, distance: leven(plain, each) }))
    .filter(({ each, distance }) => distance <= (each.length < 10 ? 1 : 2))
    .sort((one, other) => one.distance - other.distance);
  return close[0]?.each ?? null;
}
