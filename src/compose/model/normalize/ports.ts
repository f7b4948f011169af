import { isIP } from 'node:net';
import { map, scalar, scalarText } from '../node.js';
import type { Node, Path } from '../node.js';
import { unexpected } from '../shape/shape.js';

const PROTOCOLS = new Set(['tcp', 'udp', 'sctp']);
const EXPECTED = 'a port such as 80, 8080:80, 127.0.0.1:8080:80/udp or a range of them';

interface Range {
  readonly first: number;
  readonly last: number;
}

/**
 * Expands the short port syntax `[[ip:][published]:]target[/protocol]`, including ranges, to one entry per container
 * port (Compose Specification, "ports"). A published range for a single target is kept: the engine picks a port from
 * it.
 */
export function expandPort(entry: Node, path: Path): readonly Node[] {
  if (entry.kind !== 'scalar') return [entry];
  const fail = (): Error => unexpected(EXPECTED, entry, path);
  if (entry.value === null || typeof entry.value === 'boolean') throw fail();
  const sections = scalarText(entry.value).split(':');
  const [targetPart = '', protocolPart = 'tcp', ...excess] = sections.at(-1)?.split('/') ?? [];
  const hostPart = sections.at(-2) ?? '';
  const address = sections
    .slice(0, -2)
    .join(':')
    .replace(/^\[(.*)\]$/, '$1');
  const isBareIpv6 = address.includes(':') && !sections.slice(0, -2).join(':').startsWith('[');
  const protocol = protocolPart.toLowerCase();
  const target = parseRange(targetPart);
  const published = hostPart === '' ? undefined : parseRange(hostPart);
  if (target === undefined || (hostPart !== '' && published === undefined)) throw fail();
  if (excess.length > 0 || isBareIpv6 || !PROTOCOLS.has(protocol) || (address !== '' && isIP(address) === 0))
    throw fail();
  const isSpread = target.first !== target.last;
  if (published !== undefined && isSpread && published.last - published.first !== target.last - target.first)
    throw fail();

  const ports: Node[] = [];
  for (let port = target.first; port <= target.last; port += 1) {
    ports.push(
      map(
        [
          ...(address === '' ? [] : [['host_ip', scalar(address, entry.place, entry.written)] as const]),
          ['target', scalar(port, entry.place, entry.written)],
          ...publishedEntry(entry, published, isSpread ? port - target.first : undefined),
          ['protocol', scalar(protocol, entry.place, entry.written)],
          ['mode', scalar('ingress', entry.place)],
        ],
        entry.place,
      ),
    );
  }
  return ports;
}

function publishedEntry(
  entry: Node,
  published: Range | undefined,
  offset: number | undefined,
): (readonly [string, Node])[] {
  if (published === undefined) return [];
  const { first, last } = published;
  const text =
    offset !== undefined || first === last ? String(first + (offset ?? 0)) : `${String(first)}-${String(last)}`;
  return [['published', scalar(text, entry.place)]];
}

/** One port or `first-last`, each up to 65535. */
export function parseRange(text: string): Range | undefined {
  const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text);
  if (match === null) return undefined;
  const first = Number(match[1]);
  const last = Number(match[2] ?? match[1]);
  return last < first || last > 65_535 ? undefined : { first, last };
}

/** Ports with equal address, published port, target and protocol are the same port. */
export function portKey(entry: Node): string {
  const field = (key: string, fallback: string): string => {
    const node = entry.kind === 'map' ? entry.entries.get(key)?.value : undefined;
    return node?.kind === 'scalar' && node.value !== null ? scalarText(node.value) : fallback;
  };
  return JSON.stringify([
    field('host_ip', '0.0.0.0'),
    field('published', ''),
    field('target', ''),
    field('protocol', 'tcp'),
  ]);
}
