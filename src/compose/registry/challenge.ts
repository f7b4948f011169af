import type { Json } from '../runtime/json.js';

/** How a registry wants to be told who asks (RFC 9110, section 11.6.1). */
export type Challenge =
  | { readonly scheme: 'basic' }
  | { readonly scheme: 'bearer'; readonly realm: string; readonly service: string; readonly scope: string };

/** @returns undefined for a header without a scheme that is known here */
export function readChallenge(header: string): Challenge | undefined {
  if (/^basic\b/i.test(header)) return { scheme: 'basic' };
  if (!/^bearer /i.test(header)) return undefined;
  const parameters: Json = Object.fromEntries(
    [...header.matchAll(/([a-z_]+)="([^"]*)"/gi)].map(([, name = '', value]) => [name.toLowerCase(), value]),
  );
  const { realm, service = '', scope = '' } = parameters;
  if (typeof realm !== 'string' || typeof service !== 'string' || typeof scope !== 'string') return undefined;
  return { scheme: 'bearer', realm, service, scope };
}
