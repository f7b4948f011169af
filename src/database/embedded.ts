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
  /** The directory that holds the platform's files (PLUMBLINE_HOME); the cluster lives in its `postgres/`. */
  readonly home: string;
  readonly logger: Log;
  /**
   * Whether a committed transaction survives a crash of the machine (`fsync`). Only a throw-away test cluster says
   * false. Default true.
   */
  readonly durable?: boolean;
}

export interface EmbeddedPostgres {
  /** Address and credentials of the `plumbline` database, for `openDatabase` and `migrate`. */
  readonly uri: string;
  /** Ends this process's use of the server; the last process that uses it stops it. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts the embedded PostgreSQL of `home`, or attaches to it when it is already running.
 *
 * The server outlives a killed Node process: it is a process group of its own, so that neither Ctrl-C nor the death
 * of its parent takes it away in the middle of a request. The next start finds it and adopts it. Several processes
 * may use one home at once; each holds a claim, and whoever gives up the last claim stops the server.
 *
 * A server that dies while it is in use is started again, on the same port.
 *
 * It listens on 127.0.0.1 only and always asks for the generated password, which is kept in `postgres/password`
 * (mode 0600). As root it runs under an unprivileged account, because PostgreSQL refuses to run as root.
 *
 * @throws Error naming the cause and the way out when no server can be run here; `DATABASE_URI` is always one.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const home = path.resolve(options.home);
  await mkdir(home, { recursive: true });
  const account = serverAccount(path.join(home, 'postgres', 'data'));
  const binaries = await usableBinaries(account);
  const cluster = await ensureCluster({ home, account, binaries, durable: options.durable ?? true });

  // The claim comes before the look at the server: a process that is just leaving either sees it and leaves the
  // server running, or has already begun to stop it, which `ensurePostmaster` waits out.
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
