/** Parses `.mailmap` files (gitmailmap(5)), which map the names and e-mails in commits to people. */

/** The author as a commit names them. */
export interface Person {
  readonly name: string | null;
  readonly email: string | null;
}

interface Entry {
  name: string | null;
  email: string | null;
  /** For commits with this e-mail and a certain name, by the name in lower case. */
  readonly byName: Map<string, Person>;
}

/** Maximum size of the file; the largest known ones have a tenth of it. */
export const LARGEST_MAILMAP = 1024 * 1024;

/** Parses a `.mailmap`; skips invalid lines, as git does. */
export function parseMailmap(text: string): (person: Person) => Person {
  const entries = new Map<string, Entry>();
  for (const line of text.split('\n')) addLine(entries, line);
  return (person) => {
    const entry = entries.get(person.email?.toLowerCase() ?? '');
    if (entry === undefined) return person;
    const found = entry.byName.get(person.name?.toLowerCase() ?? '') ?? entry;
    return { name: found.name ?? person.name, email: found.email ?? person.email };
  };
}

/** `Name <email>`, `<email> <old>`, `Name <email> <old>` or `Name <email> Old name <old>`. */
const LINE = /^([^<#][^<]*)?<([^>]+)>(?:([^<]*)<([^>]*)>)?/;

function addLine(entries: Map<string, Entry>, line: string): void {
  const match = LINE.exec(line);
  if (match === null) return;
  const [, name = '', email = '', oldName = '', oldEmail] = match;
  const key = (oldEmail ?? email).trim().toLowerCase();
  const entry = entries.get(key) ?? { name: null, email: null, byName: new Map<string, Person>() };
  entries.set(key, entry);
  const mapped = { name: name.trim() || null, email: oldEmail === undefined ? null : email.trim() || null };
  if (oldName.trim() === '') {
    entry.name = mapped.name ?? entry.name;
    entry.email = mapped.email ?? entry.email;
  } else {
    entry.byName.set(oldName.trim().toLowerCase(), mapped);
  }
}
