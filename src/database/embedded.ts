import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import { serverAccount } from './embedded/account.js';
import { usableBinaries } from './embedded/binaries.js';
import { claimCluster } from './embedded/claims.js';
import { ensureCluster } from './embedded/cluster.js';
import { ensurePostmaster, stopPostmaster } from './embedded/postmaster.js';
import { supervise } from './embedded/supervisor.js';
import type { Log } from './log.js';

export interface EmbeddedPostgresOptions {
  /** The directory of the platform's files (PLUMBLINE_HOME); the cluster is in its `postgres/`. */
  readonly home: string;
  readonly logger: Log;
  /**
   * Whether a committed transaction survives a crash of the machine (`fsync`). Only disposable test clusters use false.
   * Default true.
   */
  readonly durable?: boolean;
}

export interface EmbeddedPostgres {
  /** Address and credentials of the `plumbline` database, for `openDatabase` and `migrate`. */
  readonly uri: string;
  /** Releases the server; the last process that releases it stops it. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts the embedded PostgreSQL of `home`, or attaches to it if it is already running.
 *
 * The server survives a killed Node process: it has a separate process group, so that neither Ctrl-C nor the death of
 * its parent ends it during a request. The next start finds and adopts it. Several processes may use one home at the
 * same time. Each holds a claim, and the process that releases the last claim stops the server.
 *
 * A server that dies while in use is restarted on the same port.
 *
 * It listens on 127.0.0.1 only and requires the generated password, which is stored in `postgres/password` (mode 0600).
 * If this process is root, the server runs under an unprivileged account, because PostgreSQL refuses to run as root.
 *
 * @throws Error with the cause and a remedy when the server cannot run here; setting `DATABASE_URI` is always a remedy.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const home = path.resolve(options.home);
  await mkdir(home, { recursive: true });
  const account = serverAccount(path.join(home, 'postgres', 'data'));
  const binaries = await usableBinaries(account);
  const cluster = await ensureCluster({ home, account, binaries, durable: options.durable ?? true });

  // Claim before the inspection: a process that is about to leave either sees the claim and leaves the server running,
  // or has already begun to stop it, which `ensurePostmaster` waits for.
  const claim = claimCluster(cluster.directory);
  try {
    const postmasterOptions = { cluster, account, binaries, logger: options.logger };
    const postmaster = await ensurePostmaster(postmasterOptions);
    const supervisor = supervise(postmasterOptions, postmaster);
    const stop = async (): Promise<void> => {
      await supervisor.stop();
      if (claim.release()) await stopPostmaster(cluster, options.logger);
    };
    let stopped: Promise<void> | undefined;
    return { uri: postmaster.uri, stop: () => (stopped ??= stop()) };
  } catch (error) {
    claim.release();
    throw error;
  }
}
