/** `auth`: manages the clients of `compose serve` over mutual TLS. */
import { join, resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { stateFolder } from '@plumbline/contract/system/state-folder';
import { readRegularFile, UnreadableFileError } from '@plumbline/contract/system/regular-file';
import { addClient, removeClient } from '../../service/auth-store-edits.js';
import { readAuthStore } from '../../service/auth-store.js';
import { define } from '../command.js';
import { UsageError } from '../failures.js';
import type { Io } from '../io.js';
import type { Session } from '../session.js';
import { table } from '../text.js';

interface StoreFlags {
  readonly authStore?: string;
}

const STORE = [
  '--auth-store <file>',
  'the auth store (default: COMPOSE_AUTH_STORE, else in the state directory)',
] as const;

export function authCommand(compose: Command, io: Io): void {
  const auth = compose.command('auth').description('manage the client certificates that "compose serve" accepts');
  define<StoreFlags & { cert: string }>(auth, io, {
    usage: 'add <name>',
    description: 'accept a client certificate; running servers apply it at once',
    remote: 'here',
    hasNoDryRun: true,
    options: (command) =>
      command.requiredOption('--cert <file>', "the client's certificate, PEM or DER").option(...STORE),
    examples: ['compose auth add ci --cert ci.pem --auth-store clients.json'],
    run: async (session, args, { cert, authStore }) => {
      const [name = ''] = args;
      const path = storePath(session, authStore);
      const client = await addClient(path, { name, certificate: await readCertificate(session, cert) }, io.clock);
      await session.print(`Added '${name}' (${client.fingerprint256}) to ${path}\n`);
      return 0;
    },
  });
  define<StoreFlags & { format: 'table' | 'json' }>(auth, io, {
    usage: 'list',
    description: 'list the accepted clients',
    remote: 'here',
    options: (command) =>
      command
        .option(...STORE)
        .addOption(new Option('--format <format>', 'output format').choices(['table', 'json']).default('table')),
    run: async (session, _args, { authStore, format }) => {
      const clients = await readAuthStore(storePath(session, authStore));
      if (format === 'json') await session.printJson(clients);
      else {
        const rows = clients.map(({ name, created_at, fingerprint256 }) => [name, created_at, fingerprint256]);
        await session.print(table(['NAME', 'ADDED', 'FINGERPRINT (SHA-256)'], rows));
      }
      return 0;
    },
  });
  define<StoreFlags>(auth, io, {
    usage: 'remove <name>',
    description: 'stop accepting a client; running servers apply it at once',
    remote: 'here',
    hasNoDryRun: true,
    options: (command) => command.option(...STORE),
    run: async (session, args, { authStore }) => {
      const [name = ''] = args;
      await removeClient(storePath(session, authStore), name, io.clock);
      await session.print(`Removed '${name}'\n`);
      return 0;
    },
  });
}

/** Stored in the state directory: see `select.ts` of the runtime. */
function storePath({ io }: Session, given: string | undefined): string {
  const { environment, workingDirectory } = io;
  const named = given ?? environment['COMPOSE_AUTH_STORE'];
  if (named) return resolve(workingDirectory, named);
  return join(stateFolder(environment, workingDirectory), 'compose', 'clients.json');
}

async function readCertificate({ io }: Session, path: string): Promise<Uint8Array> {
  return readRegularFile(resolve(io.workingDirectory, path)).catch((error: unknown) => {
    if (!(error instanceof UnreadableFileError)) throw error;
    throw new UsageError(`--cert: '${path}' ${error.reason}.`);
  });
}
