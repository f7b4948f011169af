/** Parses error texts of engines. Docker and Podman are parsed in the same way, over a socket or as a program. */

/** Docker: `network x not found`; Podman: `unable to find network with name or ID x`. */
const networkIsMissing = /network (?:with name or ID )?([\w.-]+)(?: not found|: network not found)/i;

const isTaken = /already in use|already exists|already used/i;
const betweenWords = /[\s"'`:,;()/]+/;

/** The name of the missing network in the text. */
export function missingNetwork(text: string): string | undefined {
  return networkIsMissing.exec(text)?.[1];
}

/**
 * Whether the text says that the name is taken. The text must contain the name, because Podman reports an occupied
 * address range in nearly the same words (`subnet 10.0.0.0/24 is already used`).
 */
export function nameIsTaken(text: string, name: string): boolean {
  return isTaken.test(text) && text.split(betweenWords).includes(name);
}
