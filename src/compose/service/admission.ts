/** Keeps web pages from using a server that the browser's machine reaches: nobody is asked who they are there. */
import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4, isIPv6 } from 'node:net';
import type { ProblemReply } from '../../../generated/contract.js';
import { foreignRequest } from '../../../generated/problems.js';
import { foreignPageOf } from '../../contract/foreign-page.js';
import { isLoopback, type ListenAddress } from './listen-address.js';
import { ListenOptionsError } from './refusals.js';

export interface AdmissionOptions {
  readonly address: ListenAddress;
  /** Further names that requests may call the server by, as `--allow-host` has them: without a port. */
  readonly allowedHosts: readonly string[];
  /** The server's certificate, PEM; null without TLS. */
  readonly certificate: string | null;
}

/** The problem that a request is refused with; null: it may go on. */
export interface Admission {
  request(request: IncomingMessage): ProblemReply | null;
  /** By its `Host` alone: a document that a link of another site may lead to. */
  host(request: IncomingMessage): ProblemReply | null;
}

/**
 * Decides by what only a browser says, and what a page cannot forge (Fetch standard, forbidden request-headers):
 *
 * - `Origin` and `Sec-Fetch-Site` tell of a page of another site, whose simple POSTs no browser asks leave for.
 * - `Host` tells of a page whose own name was made to lead here (DNS rebinding): to the browser it is of this site.
 *   A unix socket is beyond a browser; what stands before one may call it by any name.
 *
 * @throws ListenOptionsError when an allowed host is none
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
    // A browser lets no page call itself by a name that the certificate lacks.
    isNamedBy(named, host);
  const admitHost: Admission['host'] = (request) => {
    const { host: hostField = '' } = request.headers;
    const host = hostOf(hostField);
    if (host !== null && isOwn(host, request)) return null;
    const message = `This server does not go by the name '${hostField}'. Call it by its address, or start it with --allow-host.`;
    return foreignRequest({ message });
  };
  return {
    host: admitHost,
    request: (request) => {
      const page = foreignPageOf(request);
      if (page === null) return admitHost(request);
      return foreignRequest({ message: `A web page of ${page} asks this, which may not use this server.` });
    },
  };
}

/** The host in a Host header, lower case, IPv6 without its brackets; null for what is no host. */
function hostOf(field: string): string | null {
  const [, bracketed, plain] = /^(?:\[([^[\]]*)\]|([^:[\]]+))(?::\d*)?$/.exec(field.toLowerCase()) ?? [];
  return bracketed ?? plain ?? null;
}

function allowedHost(given: string): string {
  const text = given.toLowerCase();
  if (isIPv6(text)) return text;
  const host = hostOf(text);
  if (host === null || /:\d*$/.test(text.replace(/^\[.*\]/, '')) || !/^[a-z0-9_.:-]+$/.test(host)) {
    throw new ListenOptionsError(`--allow-host: '${given}' is no host; give a name or an address, without a port.`);
  }
  return host;
}

function isNamedBy(certificate: X509Certificate | null, host: string): boolean {
  if (certificate === null) return false;
  return (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;
}

/** An IPv4 connection to a socket for both versions shows as `::ffff:192.0.2.1`. */
function withoutMapping(address: string): string {
  const mapped = address.startsWith('::ffff:') ? address.slice(7) : '';
  return isIPv4(mapped) ? mapped : address;
}
