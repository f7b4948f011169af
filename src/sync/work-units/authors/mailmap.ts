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
  for (const line of mailmapLines(text)) addLine(entries, line);
  return (person) => {
    const entry = entries.get(person.email?.toLowerCase() ?? '');
    if (entry === undefined) return person;
    const found = entry.byName.get(person.name?.toLowerCase() ?? '') ?? entry;
    return { name: found.name ?? person.name, email: found.email ?? person.email };
  };
}

/** `Name <email>`, `<email> <old>`, `Name <email> <old>` or `Name <email> Old name <old>`. */
const LINE = /^([^<#][^<]*)?<([^>]+)>(?:([^<]*)<([^>]*)>)?/;

/** A line of the file. What it lacks is empty. */
export interface MailmapLine extends Record<'name' | 'email' | 'oldName', string> {
  /** Undefined if the line has one e-mail. */
  readonly oldEmail: string | undefined;
}

/** The valid lines of a `.mailmap`. */
export function mailmapLines(text: string): readonly MailmapLine[] {
  return text.split('\n').flatMap((line) => {
    const match = LINE.exec(line);
    if (match === null) return [];
    const [, name = '', email = '', oldName = '', oldEmail] = match;
    return { name: name.trim(), email: email.trim(), oldName: oldName.trim(), oldEmail: oldEmail?.trim() };
  });
}

function addLine(entries: Map<string, Entry>, { name, email, oldName, oldEmail }: MailmapLine): void {
  const key = (oldEmail ?? email).toLowerCase();
  const entry = entries.get(key) ?? { name: null, email: null, byName: new Map<string, Person>() };
  entries.set(key, entry);
  const mapped = { name: name || null, email: oldEmail === undefined ? null : email || null };
  if (oldName === '') {
    entry.name = mapped.name ?? entry.name;
    entry.email = mapped.email ?? entry.email;
  } else {
    entry.byName.set(oldName.toLowerCase(), mapped);
  }
}
