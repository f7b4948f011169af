/** The address of a database, as an operator writes it, and what the driver gets of it. */
export interface DatabaseAddress {
  /** Without the parameters that are ours. */
  readonly uri: string;
  /**
   * Whether statements reach PostgreSQL through a pooler in transaction mode, such as PgBouncer: a session ends with
   * each transaction. Nothing that belongs to a session may be used then: startup parameters, named prepared
   * statements, `set`, session-level advisory locks.
   */
  readonly isPooled: boolean;
}

const EXAMPLE = 'postgres://user:password@host:5432/name';

/**
 * Reads the address of a single PostgreSQL server, or of a pooler in front of it: `?pooler=transaction` says that.
 *
 * @throws Error that says what is wrong with the address
 */
export function parseDatabaseAddress(text: string): DatabaseAddress {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw unusable('it is not a URL');
  if (!['postgres:', 'postgresql:'].includes(url.protocol)) throw unusable('it does not begin with postgres://');
  // The driver would try the hosts in a loop that never ends while all of them are down.
  if (url.hostname.includes(',')) throw unusable('it names several hosts');
  const pooler = url.searchParams.get('pooler') ?? 'none';
  if (pooler !== 'none' && pooler !== 'transaction') throw unusable('pooler must be transaction or none');
  // An address without the parameter stays as it was written: `URL` would encode parts of it again.
  if (!url.searchParams.has('pooler')) return { uri: text, isPooled: false };
  url.searchParams.delete('pooler');
  return { uri: url.href, isPooled: pooler === 'transaction' };
}

function unusable(problem: string): Error {
  return new Error(`The database address cannot be used: ${problem}. Use ${EXAMPLE}`);
}
