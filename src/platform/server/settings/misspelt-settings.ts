import leven from 'leven';

/** Variables with our prefix that other parts of Plumbline or its tests read. */
const otherNames = /^PLUMBLINE_(?:CONFIG|SERVER|TOKEN|(?:CI|TEST|COMPOSE)_\w+)$/;

/** What other programs call a setting of ours. */
const otherWords: Readonly<Record<string, string>> = { SMTP_URL: 'MAIL_URL', POSTGRES_URL: 'DATABASE_URI' };

/** Short names resemble many variables of other programs (`HOST` and `LOST`), so only longer names are compared. */
const leastCompared = 7;

/**
 * Messages about variables that resemble settings but are not, such as `DATABASE_URL`.
 *
 * @param names the names of all settings
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
        if ((environment[similar] ?? '') !== '') return []; // set as well, so the other variable belongs to another program
        return `${name} is not a setting of Plumbline. Did you mean ${similar}?`;
      }
      return name.startsWith('PLUMBLINE_') ? `${name} is not a setting of Plumbline.` : [];
    })
    .sort();
}

/** The setting that is meant, if the name differs by a typing error or our prefix, or is another usual one; otherwise null. */
export function similarName(name: string, names: readonly string[]): string | null {
  const plain = name.toUpperCase().replaceAll('-', '_');
  const withoutPrefix = plain.replace(/^PLUMBLINE_/, '');
  if (withoutPrefix !== plain && names.includes(withoutPrefix)) return withoutPrefix;
  const known = otherWords[withoutPrefix];
  if (known !== undefined) return known;
  if (plain.length < leastCompared) return null;
  const close = names
    .filter((each) => each.length >= leastCompared)
    .map((each) => ({ each, distance: leven(plain, each) }))
    .filter(({ each, distance }) => distance <= (each.length < 10 ? 1 : 2))
    .sort((one, other) => one.distance - other.distance);
  return close[0]?.each ?? null;
}
