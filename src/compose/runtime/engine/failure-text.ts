/** What engines say when they refuse, where Docker and Podman, over a socket or as a program, are read alike. */

/** Docker says `network x not found`, Podman `unable to find network with name or ID x`. */
const networkIsMissing = /network (?:with name or ID )?([\w.-]+)(?: not found|: network not found)/i;

const isTaken = /already in use|already exists|already used/i;
const betweenWords = /[\s"'`:,;()/]+/;

/** The network that the text says is not there. */
export function missingNetwork(text: string): string | undefined {
  return networkIsMissing.exec(text)?.[1];
}

/**
 * Does the text say that this name belongs to something else? It must name it: Podman says in nearly the same words
 * that a network's range of addresses is taken (`subnet 10.0.0.0/24 is already used`).
 */
export function nameIsTaken(text: string, name: string): boolean {
  return isTaken.test(text) && text.split(betweenWords).includes(name);
}
