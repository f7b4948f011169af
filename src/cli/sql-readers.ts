import { createRole } from '../analytics/sql/postgres-readers.js';
import { openReaders } from '../analytics/sql/open.js';
import { ReaderRefused, type NewReader, type Readers } from '../analytics/sql/readers.js';
import { systemRandom } from '../platform/random.js';
import { parseConnection, type DatabaseAddress } from '../sync/sinks/connection-string.js';
import { nonEmpty } from '../sync/request.js';
import { commandEnvironment, type ConfigOption } from './environment.js';
import { createLog } from './log.js';
import { readInput } from './read-input.js';
import { UsageError } from './usage-error.js';
import { withRecords } from './work-units.js';

/** The options of all commands about readers. */
export interface ReadersOptions extends ConfigOption {
  readonly db?: string;
}

export interface GrantOptions extends ReadersOptions {
  readonly organization: string;
  readonly role: string;
  readonly passwordFile?: string;
  readonly connections: string;
  readonly timeout: string;
  readonly existing?: true;
  readonly print?: true;
}

/** 144 bits. */
const PASSWORD_BYTES = 18;

/** Makes a role a reader of an organization, or prints the statements that create the role. */
export async function grant(options: GrantOptions): Promise<void> {
  const { organization, role, existing, print, passwordFile } = options;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(role))
    throw new UsageError(
      '--role has lower-case letters, digits and _, and begins with no digit; at most 63 characters',
    );
  // PostgreSQL reserves these names.
  if (role.startsWith('pg_') || role === 'public' || role === 'none')
    throw new UsageError(`--role cannot be ${role}, which PostgreSQL reserves`);
  if (existing === true && (print === true || passwordFile !== undefined))
    throw new UsageError('--existing excludes --print and --password-file');
  const limits = {
    connections: wholeNumber('--connections', options.connections, 1000),
    timeoutSeconds: wholeNumber('--timeout', options.timeout, 86_400),
  };
  const { db, address } = await storeOf(options);
  const password = existing === true ? undefined : await passwordOf(passwordFile);
  const reader: NewReader | undefined = password === undefined ? undefined : { ...limits, password };
  if (print === true && reader !== undefined) {
    if (address.kind === 'clickhouse')
      throw new UsageError('--print is for PostgreSQL: a user of ClickHouse that may create users runs sql grant');
    console.log(printed(organization, role, reader));
  } else await withReaders(db, options, (readers) => readers.grant(organization, role, reader));
  if (print !== true) console.log(`${role} reads organization ${organization}.`);
  if (password === undefined || passwordFile !== undefined) return;
  // The statements alone go to standard output, and have no password.
  if (print === true) console.error(`Password, which is shown once: ${password}`);
  else console.log(`Password, which is shown once: ${password}`);
}

function printed(organization: string, role: string, reader: NewReader): string {
  return [
    '-- Run as a role that may create roles. The password is stored as a verifier.',
    ...createRole(role, reader).map((statement) => `${statement};`),
    `-- Then: plumbline sql grant --organization ${organization} --role ${role} --existing`,
  ].join('\n');
}

export async function revoke({ role, ...options }: ReadersOptions & { readonly role: string }): Promise<void> {
  const { db } = await storeOf(options);
  const revoked = await withReaders(db, options, (readers) => readers.revoke(role));
  if (revoked === undefined) throw new UsageError(`${role} is not a reader; plumbline sql list shows them`);
  console.log(
    revoked.isDropped
      ? `${role} is dropped.`
      : `${role} reads nothing any more. The role remains, because Plumbline may not drop it, or it has other rights: drop role ${role}`,
  );
}

export async function list({ json, ...options }: ReadersOptions & { readonly json?: true }): Promise<void> {
  const { db } = await storeOf(options);
  for (const { role, orgId, grantedAt, exists } of await withReaders(db, options, (readers) => readers.list())) {
    if (json === true) {
      console.log(JSON.stringify({ organization: orgId, role, granted_at: grantedAt, exists }));
      continue;
    }
    const granted = grantedAt === null ? '' : `  granted ${grantedAt.toISOString().slice(0, 10)}`;
    console.log(`${orgId}  ${role}${granted}${exists ? '' : '  the role is missing: grant it again'}`);
  }
}

export async function replaceViews(options: ReadersOptions): Promise<void> {
  const { db } = await storeOf(options);
  await withReaders(db, options, (readers) => readers.replaceViews());
  console.log('The views are those of this release.');
}

interface Store {
  readonly db: string;
  readonly address: DatabaseAddress;
}

/**
 * The database of the work units, as a server finds it.
 *
 * @throws UsageError for one whose engine has no roles
 */
async function storeOf(options: ReadersOptions): Promise<Store> {
  const environment = await commandEnvironment(options);
  const db =
    nonEmpty(options.db) ??
    nonEmpty(environment['ANALYTICS_URI']) ??
    nonEmpty(environment['DATABASE_URI']) ??
    'embedded:';
  const address = parseConnection(db);
  if ('problem' in address) throw new UsageError(`the address of the database ${address.problem}`);
  const { kind } = address;
  if (kind === 'sqlite' || kind === 'mongo')
    throw new UsageError(
      `readers with SQL are not available on ${kind === 'sqlite' ? 'SQLite, which has no roles' : 'MongoDB'}: ` +
        'use PostgreSQL or a ClickHouse server',
    );
  if (kind === 'clickhouse' && address.address.startsWith('chdb:'))
    throw new UsageError('readers with SQL are not available on chdb, which has no users: use a ClickHouse server');
  return { db, address };
}

/** Creates the tables that are missing, because the views need all of them. */
function withReaders<Result>(
  db: string,
  options: ReadersOptions,
  work: (readers: Readers) => Promise<Result>,
): Promise<Result> {
  return withRecords({ ...options, db }, async ({ sink }) => {
    if (sink.unitsAddress === undefined) throw new UsageError('the database has no work units');
    const readers = openReaders(sink.unitsAddress, createLog('warn', 2));
    try {
      return await work(readers);
    } catch (error) {
      if (error instanceof ReaderRefused) throw new UsageError(error.message);
      throw error;
    } finally {
      await readers.close();
    }
  });
}

async function passwordOf(file: string | undefined): Promise<string> {
  if (file === undefined) return systemRandom.bytes(PASSWORD_BYTES).toString('base64url');
  const password = (await readInput(file, '--password-file')).replace(/\r?\n$/, '');
  if (!/^[\x20-\x7e]{12,200}$/.test(password))
    throw new UsageError('the password in --password-file must have 12 to 200 printable ASCII characters, on one line');
  return password;
}

function wholeNumber(option: string, text: string, most: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > most)
    throw new UsageError(`${option} must be a whole number from 1 to ${most}`);
  return value;
}
