import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';

/** The operating-system account that a root process runs PostgreSQL under. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Existing accounts in order of preference: the account that PostgreSQL's packages create, then the account that every
 * Unix has. No account is created, because starting a server should not change the machine's accounts.
 */
const ACCOUNT_NAMES = ['postgres', 'nobody'];

/**
 * Chooses the account for the server of `dataDirectory`; undefined: the account of this process.
 *
 * PostgreSQL refuses to run as root and requires that its account owns its data. So existing data determines the
 * account: its owner. For new data, it is the first account of the list above.
 *
 * @throws Error when the data belong to another user and this process cannot switch to it, or no account is found.
 */
export function serverAccount(dataDirectory: string): Account | undefined {
  const owner = statSync(dataDirectory, { throwIfNoEntry: false });
  const self = process.getuid?.();
  if (self === undefined) return undefined; // Windows has no uids, and PostgreSQL drops privileges itself.
  if (self !== 0) {
    if (owner === undefined || owner.uid === self) return undefined;
    throw new Error(
      `The database files in ${dataDirectory} belong to uid ${owner.uid}, but this process runs as uid ${self}. ` +
        'Run it as that user, give the files to this one (chown -R), or set PLUMBLINE_HOME to another directory.',
    );
  }
  if (owner === undefined) return unprivilegedAccount();
  if (owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const { uid, gid } = unprivilegedAccount();
  throw new Error(
    `The database files in ${dataDirectory} belong to root, and PostgreSQL does not run as root. ` +
      `Give them to an unprivileged account first: chown -R ${uid}:${gid} ${dataDirectory}`,
  );
}

function unprivilegedAccount(): Account {
  for (const name of ACCOUNT_NAMES) {
    const uid = identify('-u', name);
    const gid = identify('-g', name);
    if (uid !== undefined && uid !== 0 && gid !== undefined) return { uid, gid };
  }
  throw new Error(
    `PostgreSQL does not run as root, and this machine has none of the accounts ${ACCOUNT_NAMES.join(', ')}. ` +
      'Start as an ordinary user, create one of them, or set DATABASE_URI to another PostgreSQL server.',
  );
}

/** Runs `id`, which knows accounts from all sources of the machine, not only /etc/passwd. */
function identify(kind: '-u' | '-g', name: string): number | undefined {
  try {
    const id = Number(execFileSync('id', [kind, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
    return Number.isSafeInteger(id) ? id : undefined;
  } catch {
    return undefined; // `id` fails for an unknown account: the caller tries the next name.
  }
}
