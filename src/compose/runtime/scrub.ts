/**
 * Removes host paths and environment values from engine error texts. Neither may reach a caller of the REST API
 * (compose error catalogue: backendFailure).
 */

/** Replacing shorter values would make the text unreadable: "1", "on" and "en" occur in many sentences. */
const SHORTEST_VALUE = 4;

/** Matches paths, also inside quotes and after `unix://`, but not a lone `/` or the slashes inside an image name. */
const absolutePath = /(?<![\w.:@/-])(?:[a-z]+:\/\/)?(?:\/[^\s/:"'`,;)\]}]+)+\/?/gi;

/** The user information of a URL, which often contains a password. */
const userinfo = /:\/\/[^/\s@]+@/g;

/** Process variables whose names suggest secret values. */
const secretName = /token|secret|passw|pwd|key|credential|auth|dsn|ur[il]$/i;

const LONGEST_MESSAGE = 2000;

/** The text without passwords in URLs, which nobody should see. */
export function withoutUserinfo(text: string): string {
  return text.replaceAll(userinfo, '://***@').trim().slice(0, LONGEST_MESSAGE);
}

/**
 * @param text the engine's message
 * @param values environment values to remove, of the container and of the process
 */
export function scrub(text: string, values: Iterable<string> = []): string {
  const known = [...new Set(values)].filter((value) => value.length >= SHORTEST_VALUE);
  // Longest first, so that removing a short value does not leave parts of a longer one that contains it.
  known.sort((one, other) => other.length - one.length);
  let clean = text;
  for (const value of known) clean = clean.replaceAll(value, '***');
  clean = clean.replaceAll(userinfo, '://***@');
  return clean.replaceAll(absolutePath, '<path>').trim().slice(0, LONGEST_MESSAGE);
}

/** The values of a process environment to pass to scrub. */
export function secretValues(environment: NodeJS.ProcessEnv): string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && secretName.test(name) ? [value] : [],
  );
}
