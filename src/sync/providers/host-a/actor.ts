import { readObjectOrNull, readTextOrNull } from '../read.js';

/** The login of an actor with `__typename`; GraphQL leaves out the `[bot]` that REST ends the logins of apps with. */
export function loginOfActor(value: unknown, name: string): string | null {
  const actor = readObjectOrNull(value, name);
  const login = readTextOrNull(actor?.['login'], `${name}.login`);
  return login === null || actor?.['__typename'] !== 'Bot' || login.endsWith('[bot]') ? login : `${login}[bot]`;
}
