/** The address of a database, and its parsed form. */
export interface DatabaseAddress {
  /** Without Plumbline's parameters. */
  readonly uri: string;
  /**
   * Whether a pooler in transaction mode, such as PgBouncer, is in front of PostgreSQL: sessions end with each
   * transaction. Session state must not be used: startup parameters, named prepared statements, `set`, session-level
   * advisory locks.
   */
  readonly isPooled: boolean;
}

const EXAMPLE = 'postgres://user:password@host:5432/name';

/**
 * Parses the address of a single PostgreSQL server, or of a pooler in front of it (`?pooler=transaction`).
 *
 * @throws Error with the problem of the address
 */
export function parseDatabaseAddress(text: string): DatabaseAddress {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw unusable('it is not a URL');
  if (!['postgres:', 'postgresql:'].includes(url.protocol)) throw unusable('it does not begin with postgres://');
  // The driver would retry several hosts in an endless loop while all of them are down.
  if (url.hostname.includes(',')) throw unusable('it names several hosts');
  const pooler = url.searchParams.get('pooler') ?? 'none';
  if (pooler !== 'none' && pooler !== 'transaction') throw unusable('pooler must be transaction or none');
  // An address without the parameter stays unchanged: `URL` would re-encode parts of it.
  if (!url.searchParams.has('pooler')) return { uri: text, isPooled: false };
  url.searchParams.delete('pooler');
  return { uri: url.href, isPooled: pooler === 'transaction' };
}

function unusable(problem: string): Error {
  return new Error(`The database address cannot be used: ${problem}. Use ${EXAMPLE}`);
}
