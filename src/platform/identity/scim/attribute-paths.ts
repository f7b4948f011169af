/** Names of attributes and paths of PATCH (RFC 7644, section 3.5.2), which identity providers write in many ways. */
import { filter, parse, type Filter } from 'scim2-parse-filter';

/** A path: `emails[type eq "work"].value` has the attribute `emails` and the part `value`. In lower case. */
export interface AttributePath {
  readonly attribute: string;
  /** '' for the whole attribute. */
  readonly part: string;
  /** Which values of a list are meant; null: all. */
  readonly selects: ((value: unknown) => boolean) | null;
  /** The same as text, without brackets. */
  readonly filter: string;
}

const form = /^([a-z$][\w$-]*)(?:\[([^\]]*)\])?(?:\.([a-z$][\w$-]*))?$/i;

/**
 * Reads a path or the name of an attribute. Core attributes may have the URN of their schema before them.
 *
 * @returns null for text that is not a path; attribute '' for one of a schema that this server does not have
 */
export function readPath(text: string): AttributePath | null {
  const name = text.replace(/^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/i, '');
  if (/^urn:/i.test(name)) return { attribute: '', part: '', selects: null, filter: '' };
  const [, attribute, filterText, part = ''] = form.exec(name) ?? [];
  if (attribute === undefined) return null;
  const parsed = filterText === undefined ? null : readFilter(filterText);
  if (filterText !== undefined && parsed === null) return null;
  return {
    attribute: attribute.toLowerCase(),
    part: part.toLowerCase(),
    selects: parsed === null ? null : filter(parsed),
    filter: filterText ?? '',
  };
}

/** Parses a filter. @returns null when it is none, or has more than 50 comparisons */
export function readFilter(text: string): Filter | null {
  if (text.length > 1000 || (text.match(/\(/g) ?? []).length > 50) return null;
  try {
    return parse(text);
  } catch {
    return null;
  }
}
