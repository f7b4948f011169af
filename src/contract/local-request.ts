import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/**
 * Whether a program on this machine sent the request, to a loopback name. A proxy on this machine forwards requests of
 * other machines; they are recognized by the headers that it adds. A page of another site can make its host name
 * resolve to loopback (DNS rebinding); `Host` reveals it.
 *
 * A proxy on this machine that adds no header and sends a loopback name as `Host` looks like a local program.
 */
export function isOnThisMachine({ socket, headers }: IncomingMessage): boolean {
  const { remoteAddress = '' } = socket;
  if (!ipaddr.isValid(remoteAddress) || ipaddr.process(remoteAddress).range() !== 'loopback') return false;
  return !isForwarded(headers) && isLoopbackName((headers.host ?? '').replace(/:\d+$/, ''));
}

/** Whether a host name in a URL refers to the same machine. */
export function isLoopbackName(name: string): boolean {
  return name.toLowerCase() === 'localhost' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);
}

/** Headers in which proxies name the client: RFC 7239, RFC 9110 section 7.6.3, and their predecessors. */
const forwardingHeader = /^(?:forwarded|via|x-forwarded(?:-.+)?|x-real-ip|x-client-ip|x-original-forwarded-for)$/;

function isForwarded(headers: IncomingHttpHeaders): boolean {
  return Object.keys(headers).some((name) => forwardingHeader.test(name));
}
