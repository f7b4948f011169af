import type { Conversion } from './conversion.js';

const NAME = /^(?:[a-z0-9][-a-z0-9_.]{0,61})?[a-z0-9]$/i;
/** A domain name (RFC 1123). */
const PREFIX = /^(?=.{1,253}$)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/i;

/**
 * Labels as annotations, which may have any value, but not any name. What cannot be one is left out and noted.
 *
 * @param path of the labels in the compose file
 * @returns undefined if there are none
 */
export function annotationsOf(
  { notes }: Conversion,
  path: string,
  labels: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | undefined {
  const kept = Object.entries(labels).filter(([name]) => {
    if (isAnnotation(name)) return true;
    notes.add(`${path}.${name}`, 'is left out: annotations cannot have this name');
    return false;
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function isAnnotation(name: string): boolean {
  const parts = name.split('/');
  if (parts.length > 2) return false;
  const prefix = parts.length === 2 ? parts[0] : undefined;
  return NAME.test(parts.at(-1) ?? '') && (prefix === undefined || PREFIX.test(prefix));
}
