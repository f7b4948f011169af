import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/**
 * Whether a program on this machine sent the request, to a loopback name. A proxy on this machine forwards requests of
 * others: it is recognized by the headers that it adds. A page of another site can make its host name point to loopback
 * (DNS rebinding): it is recognized by `Host`.
 *
 * A proxy on this machine that adds no header and sends a loopback name as `Host` cannot be told from a local program.
 */
export function isOnThisMachine({ socket, headers }: IncomingMessage): boolean {
  const { remoteAddress = '' } = socket;
  if (!ipaddr.isValid(remoteAddress) || ipaddr.process(remoteAddress).range() !== 'loopback') return false;
  return !isForwarded(headers) && isLoopbackName((headers.host ?? '').replace(/:\d+$/, ''));
}

/** Whether a host name of a URL leads to the machine that asks. */
export function isLoopbackName(name: string): boolean {
  return name.toLowerCase() === 'localhost' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);
}

/** Headers with which proxies say for whom they ask: RFC 7239, RFC 9110 section 7.6.3, and those in use before. */
const forwardingHeader = /^(?:forwarded|via|x-forwarded(?:-.+)?|x-real-ip|x-client-ip|x-original-forwarded-for)$/;

function isForwarded(headers: IncomingHttpHeaders): boolean {
  return Object.keys(headers).some((name) => forwardingHeader.test(name));
}
