import postgres from 'postgres';

import type { DatabaseAddress } from './address.js';
import type { Log } from './log.js';
import { databaseSocket } from './socket.js';

/**
 * A driver instance with one connection, for long transactions such as migrations and backups. The caller closes it.
 *
 * @param name the name under which PostgreSQL lists the connection
 */
export function openSingleConnection(address: DatabaseAddress, name: string, logger: Log): postgres.Sql {
  return postgres(address.uri, {
    max: 1,
    ...databaseSocket(address),
    connect_timeout: 5,
    idle_timeout: 0,
    max_lifetime: null,
    prepare: !address.isPooled,
    fetch_types: false,
    onnotice: (notice) => {
      logger.debug({ notice: notice['message'] }, 'PostgreSQL notice');
    },
    connection: { application_name: name },
  });
}
