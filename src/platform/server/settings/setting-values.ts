import { isIP } from 'node:net';
import { parseAnalyticsUri } from '../../../analytics/address.js';
import { parseDatabaseAddress } from '../../../database/address.js';
import { isUuid } from '@plumbline/contract/system/uuid';
import { isLoopbackName } from '@plumbline/contract/local-request';

/** Parsers of setting values. Each throws an Error that describes a valid value, without the rejected value. */

export function text(value: string): string {
  return value;
}

export function wholeNumber(least: number, most: number): (value: string) => number {
  return (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= least && number <= most)) throw new Error(`must be a whole number from ${least} to ${most}`);
    return number;
  };
}

export function boolean(value: string): boolean {
  if (/^(true|1|yes|on)$/i.test(value)) return true;
  if (/^(false|0|no|off)$/i.test(value)) return false;
  throw new Error('must be true or false');
}

export function oneOf<const T extends string>(allowed: readonly T[]): (value: string) => T {
  return (value) => {
    const found = allowed.find((each) => each === value);
    if (found === undefined) throw new Error(`must be one of ${allowed.join(', ')}`);
    return found;
  };
}

export function httpUrl(value: string): string {
  return urlOf(value, ['http:', 'https:'], 'http://host or https://host').href.replace(/\/+$/, '');
}

export function smtpUrl(value: string): string {
  return urlOf(value, ['smtp:', 'smtps:'], 'smtp://user:password@host:587 or smtps://host').href;
}

export function postgresUri(value: string): string {
  try {
    // Only queries of the analytics are read-only.
    if (parseDatabaseAddress(value).prefersStandby) throw new Error('it prefers a standby');
  } catch {
    // The value may contain a password, so the message does not repeat it.
    throw new Error('must be a URL like postgres://user:password@host:5432/name');
  }
  return value;
}

export function analyticsUri(value: string): string {
  try {
    parseAnalyticsUri(value);
  } catch {
    throw new Error('must be like postgres://host/name, clickhouse://host:8123/name, chdb:folder or sqlite:file');
  }
  return value;
}

function urlOf(value: string, protocols: readonly string[], form: string): URL {
  // The value may contain a password, so the message does not repeat it.
  if (!URL.canParse(value)) throw new Error(`must be a URL like ${form}`);
  const url = new URL(value);
  if (!protocols.includes(url.protocol)) throw new Error(`must be a URL like ${form}`);
  return url;
}

export function secretsKey(value: string): string {
  if (Buffer.from(value, 'base64').length !== 32) throw new Error('must be 32 bytes in base64');
  return value;
}

function list(value: string): string[] {
  return value
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

export function addressList(value: string): string[] {
  return list(value).map((each) => {
    const [address = '', prefix] = each.split('/');
    const version = isIP(address);
    const bits = version === 4 ? 32 : 128;
    if (version === 0 || (prefix !== undefined && !(/^\d+$/.test(prefix) && Number(prefix) <= bits))) {
      throw new Error('must be addresses or networks such as 10.0.0.0/8, separated by commas');
    }
    return each;
  });
}

/** Addresses of DNS servers, as the resolver of Node takes them. */
export function dnsServerList(value: string): string[] {
  return list(value).map((each) => {
    const parts = /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(each);
    const address = parts?.[1] ?? parts?.[2] ?? each;
    const port = parts?.[3] ?? '53';
    if (isIP(address) === 0 || Number(port) > 65_535) {
      throw new Error(
        'must be addresses such as 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:5353, separated by commas',
      );
    }
    return each;
  });
}

export function uuidList(value: string): string[] {
  return list(value.toLowerCase()).map((each) => {
    if (!isUuid(each)) throw new Error('must be ids such as b6d3a7c8-1e2f-4b5a-8c9d-3e4f5a6b7c03, separated by commas');
    return each;
  });
}

export function originList(value: string): string[] {
  return list(value).map((each) => {
    if (!URL.canParse(each) || new URL(each).origin !== each) {
      throw new Error('must be origins such as https://app.example.com, separated by commas');
    }
    return each;
  });
}

/** The address of an identity provider. It gets secrets, so it needs https, except on this machine. */
export function issuerUrl(value: string): string {
  const url = urlOf(value, ['http:', 'https:'], 'https://id.example.com');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new Error('must be a URL without user, query and fragment');
  }
  if (url.protocol === 'http:' && !isLoopbackName(url.hostname))
    throw new Error('must be an https URL, except for localhost');
  return url.pathname === '/' ? url.origin : url.href;
}

export function webhookSecret(value: string): string {
  if (value.length < 16) throw new Error('must be at least 16 characters long');
  return value;
}

export function microsoftTenant(value: string): string {
  if (!/^[\w-]+(\.[\w-]+)*$/.test(value)) throw new Error('must be the id or domain of a tenant, or common');
  return value;
}

/** A name that pages show. */
export function shortName(value: string): string {
  if (!/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,39}$/u.test(value)) {
    throw new Error('must be at most 40 letters, digits, spaces, dots, hyphens and underscores');
  }
  return value;
}
