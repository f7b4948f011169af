import { readObjectOrNull, readTextOrNull, type JsonObject } from '../read.js';
import type { GiteaClient } from './client.js';

/** A repository on the server, and the client to query it. */
export interface GiteaRepository {
  readonly client: GiteaClient;
  /** `owner/name` */
  readonly fullName: string;
  /** `/repos/owner/name` */
  readonly path: string;
  readonly defaultBranch: string;
  readonly isEmpty: boolean;
}

/** The login of the account in a property; null if it was deleted, for which the server writes `Ghost` (-1). */
export function loginIn(item: JsonObject, property: string): string | null {
  const user = readObjectOrNull(item[property], property);
  return user === null || user['id'] === -1 ? null : readTextOrNull(user['login'], `${property}.login`);
}
