/** Prevents web pages from using a server that is reachable from the browser's machine and has no authentication. */
import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4, isIPv6 } from 'node:net';
import type { ProblemReply } from '@plumbline/contract/contract-types';
import { foreignRequest } from '../../../generated/problems.js';
import { foreignPageOf } from '@plumbline/contract/foreign-page';
import { isLoopback, type ListenAddress } from './listen-address.js';
import { ListenOptionsError } from './refusals.js';

export interface AdmissionOptions {
  readonly address: ListenAddress;
  /** Additional host names for requests, as given by `--allow-host`, without a port. */
  readonly allowedHosts: readonly string[];
  /** The server's certificate, PEM; null without TLS. */
  readonly certificate: string | null;
}

/** Returns the problem to reject a request with, or null to accept it. */
export interface Admission {
  request(request: IncomingMessage): ProblemReply | null;
  /** Checks only `Host`, for documents that other sites may link to. */
  host(request: IncomingMessage): ProblemReply | null;
}

/**
 * Decides by headers that only browsers send and that pages cannot forge (Fetch standard, forbidden request-headers):
 *
 * - `Origin` and `Sec-Fetch-Site` reveal a page of another site, whose simple POSTs are sent without preflight.
 * - `Host` reveals a page whose host name resolves to this server (DNS rebinding); for the browser it is same-origin.
 *   Browsers cannot reach a unix socket, and a proxy in front of one may use any host name.
 *
 * @throws ListenOptionsError for an invalid allowed host
 */
export function createAdmission({ address, allowedHosts, certificate }: AdmissionOptions): Admission {
  const allowed = new Set(allowedHosts.map(allowedHost));
  const named = certificate === null ? null : new X509Certificate(certificate);
  const isOwn = (host: string, { socket }: IncomingMessage): boolean =>
    address.scheme === 'unix' ||
    isLoopback(host) ||
    host === address.host.toLowerCase() ||
    host === withoutMapping(socket.localAddress ?? '') ||
    allowed.has(host) ||
    // Browsers reject a host name that is not in the certificate.
    isNamedBy(named, host);
  const admitHost: Admission['host'] = (request) => {
    const { host: hostField = '' } = request.headers;
    const host = hostOf(hostField);
    if (host !== null && isOwn(host, request)) return null;
    const message = `This server does not accept the host name '${hostField}'. Use its address, or start it with --allow-host.`;
    return foreignRequest({ message });
  };
  return {
    host: admitHost,
    request: (request) => {
      const page = foreignPageOf(request);
      if (page === null) return admitHost(request);
      return foreignRequest({ message: `Web pages of ${page} may not use this server.` });
    },
  };
}

/** The host of a Host header, in lower case, IPv6 without brackets; null if invalid. */
function hostOf(field: string): string | null {
  const [, bracketed, plain] = /^(?:\[([^[\]]*)\]|([^:[\]]+))(?::\d*)?$/.exec(field.toLowerCase()) ?? [];
  return bracketed ?? plain ?? null;
}

function allowedHost(given: string): string {
  const text = given.toLowerCase();
  if (isIPv6(text)) return text;
  const host = hostOf(text);
  if (host === null || /:\d*$/.test(text.replace(/^\[.*\]/, '')) || !/^[a-z0-9_.:-]+$/.test(host)) {
    throw new ListenOptionsError(`--allow-host: '${given}' is not a host. Give a name or an address without a port.`);
  }
  return host;
}

function isNamedBy(certificate: X509Certificate | null, host: string): boolean {
  if (certificate === null) return false;
  return (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;
}

/** An IPv4 connection to a dual-stack socket appears as `::ffff:192.0.2.1`. */
function withoutMapping(address: string): string {
  const mapped = address.startsWith('::ffff:') ? address.slice(7) : '';
  return isIPv4(mapped) ? mapped : address;
}
