/** Parses the address of the analytics store. */

import { parseDatabaseAddress } from '../database/address.js';
import { clickHouseUrl } from './clickhouse/hosts.js';

/** `address` is the input of the engine's driver: a URL (of ClickHouse as `hostsOf` splits it), or a path for `sqlite` and `chdb`. */
export interface AnalyticsAddress {
  readonly kind: 'postgres' | 'clickhouse' | 'chdb' | 'sqlite';
  readonly address: string;
}

const FORMS =
  'postgres://user:password@host:5432/name, clickhouse://user:password@host:8123/name (clickhouse+https:// with TLS; several hosts with ?cluster=name), chdb:path or sqlite:path';

/**
 * Parses ANALYTICS_URI.
 *
 * @param uri the value of the setting
 * @throws Error with the valid forms; without the address, which may contain a password
 */
export function parseAnalyticsUri(uri: string): AnalyticsAddress {
  const [, scheme, rest] = /^([a-z+]+):(.*)$/s.exec(uri) ?? [];
  const address = scheme === undefined || rest === undefined ? undefined : read(scheme, rest);
  if (address === undefined) throw new Error(`The analytics address is invalid. Use one of ${FORMS}.`);
  return address;
}

function read(scheme: string, rest: string): AnalyticsAddress | undefined {
  switch (scheme) {
    case 'postgres':
    case 'postgresql':
      return rest.startsWith('//') ? of('postgres', postgresUrl(`postgres:${rest}`)) : undefined;
    case 'clickhouse':
    case 'clickhouse+http':
    case 'clickhouse+https':
      return of('clickhouse', clickHouseUrl(rest, scheme === 'clickhouse+https'));
    case 'chdb':
    case 'sqlite':
      return of(scheme, filePath(rest));
    default:
      return undefined;
  }
}

function postgresUrl(address: string): string | undefined {
  try {
    parseDatabaseAddress(address);
    return address;
  } catch {
    return undefined; // The message of the caller has the valid forms.
  }
}

function of(kind: AnalyticsAddress['kind'], address: string | undefined): AnalyticsAddress | undefined {
  return address === undefined ? undefined : { kind, address };
}

/**
 * The path after the scheme: `sqlite:path`, `sqlite:///relative` and `sqlite:////absolute`, the forms of other tools.
 * Undefined if it is empty, or not encoded like a URL.
 */
export function filePath(rest: string): string | undefined {
  const path = rest.startsWith('///') ? rest.slice(3) : rest.startsWith('//') ? rest.slice(2) : rest;
  const clean = decoded(path.replace(/\?.*$/s, ''));
  return clean === '' ? undefined : clean;
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
