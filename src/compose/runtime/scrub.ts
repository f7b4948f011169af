/**
 * An engine's error text may quote host paths and environment values. Neither may reach a caller of the REST
 * API (compose error catalogue: backendFailure), so both are cut out before the text becomes a message.
 */

/** Shorter values would only mangle the text: "1", "on" and "en" stand in every sentence. */
const SHORTEST_VALUE = 4;

/** Paths, also inside quotes and after `unix://`; a lone `/` and the slashes inside an image name stay. */
const absolutePath = /(?<![\w.:@/-])(?:[a-z]+:\/\/)?(?:\/[^\s/:"'`,;)\]}]+)+\/?/gi;

/** Of a URL: who, and often with which password. */
const userinfo = /:\/\/[^/\s@]+@/g;

/** Process variables whose values are secrets by the look of their names. */
const secretName = /token|secret|passw|pwd|key|credential|auth|dsn|ur[il]$/i;

const LONGEST_MESSAGE = 2000;

/**
 * @param text what the engine said
 * @param values environment values that must not appear, of the container and of the process
 */
export function scrub(text: string, values: Iterable<string> = []): string {
  const known = [...new Set(values)].filter((value) => value.length >= SHORTEST_VALUE);
  // Longest first, so that a value inside another does not leave the other's ends behind.
  known.sort((one, other) => other.length - one.length);
  let clean = text;
  for (const value of known) clean = clean.replaceAll(value, '***');
  clean = clean.replaceAll(userinfo, '://***@');
  return clean.replaceAll(absolutePath, '<path>').trim().slice(0, LONGEST_MESSAGE);
}

/** The values of a process environment that scrub must know. */
export function secretValues(environment: NodeJS.ProcessEnv): string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && secretName.test(name) ? [value] : [],
  );
}
