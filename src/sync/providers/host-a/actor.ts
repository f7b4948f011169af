import { readObjectOrNull, readTextOrNull } from '../read.js';

/** The login of an actor with `__typename`. GraphQL omits the suffix `[bot]` that logins of apps have in REST. */
export function loginOfActor(value: unknown, name: string): string | null {
  const actor = readObjectOrNull(value, name);
  const login = readTextOrNull(actor?.['login'], `${name}.login`);
  return login === null || actor?.['__typename'] !== 'Bot' || login.endsWith('[bot]') ? login : `${login}[bot]`;
}
