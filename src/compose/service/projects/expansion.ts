/**
 * Bounds what a compose file that was sent grows to. A few bytes can stand for much: a range of ports is a port each,
 * and `extends` repeats a service. The size is counted before anything is expanded.
 */
import { failure } from '../../model/errors.js';
import { interpolate } from '../../model/interpolation/interpolate.js';
import { child, childMap, scalarText, textOf, type MapNode, type Node } from '../../model/node.js';

/** Above real projects: 500 services are about 50,000 nodes. */
const MOST_NODES = 100_000;

/** A port is a mapping with its address, target, published port, protocol and mode. */
const NODES_PER_PORT = 6;

/**
 * @param documents all documents of the file. Merging one goes through all before it, so these count again with each
 * @param name the project, for variables
 * @throws ComposeFailure YamlError.limitExceeded, InterpolationError
 */
export function requireBoundedExpansion(documents: readonly MapNode[], name: string): void {
  const lookup = (variable: string): string | undefined => (variable === 'COMPOSE_PROJECT_NAME' ? name : undefined);
  let model = 0;
  let total = 0;
  const add = (nodes: number, { place }: Pick<Node, 'place'>): void => {
    total += nodes;
    if (total <= MOST_NODES) return;
    throw failure('YamlError', 'limitExceeded', { limit: 'nodes after expansion', maximum: MOST_NODES }, place);
  };
  for (const document of documents) {
    add(model, document);
    // Ranges can come out of variables with default values.
    const services = childMap(
      interpolate(document, lookup, () => undefined),
      'services',
    );
    const sizes = new Map<string, number>();
    for (const [service, entry] of services?.entries ?? []) {
      const size = services === undefined ? 0 : sizeOf(service, services, sizes);
      model += size;
      add(size, entry);
    }
    const others = nodesOf(document) - (services === undefined ? 0 : nodesOf(services));
    model += others;
    add(others, document);
  }
}

/** Counts a service with what it extends. A cycle is refused when the file is loaded. */
function sizeOf(name: string, services: MapNode, sizes: Map<string, number>): number {
  // The bases first, one after the other: a chain can be longer than the stack is deep.
  const chain: { readonly name: string; readonly node: Node }[] = [];
  for (let next: string | undefined = name; next !== undefined && !sizes.has(next);) {
    const node: Node | undefined = child(services, next);
    if (node === undefined) break;
    sizes.set(next, 0);
    chain.push({ name: next, node });
    next = baseOf(node);
  }
  for (const { name: each, node } of chain.reverse()) {
    sizes.set(each, nodesOf(node) + portsOf(node) + (sizes.get(baseOf(node) ?? '') ?? 0));
  }
  return sizes.get(name) ?? 0;
}

function baseOf(service: Node): string | undefined {
  const reference = child(service, 'extends');
  if (reference === undefined) return undefined;
  return reference.kind === 'scalar' ? textOf(reference) : textOf(child(reference, 'service'));
}

function nodesOf(node: Node): number {
  if (node.kind === 'scalar') return 1;
  const inner = node.kind === 'list' ? node.items : [...node.entries.values()].map(({ value }) => value);
  return inner.reduce((sum, each) => sum + nodesOf(each), 1);
}

/** How many nodes the ranges of a service stand for. */
function portsOf(service: Node): number {
  let nodes = 0;
  for (const [key, each] of [
    ['ports', NODES_PER_PORT],
    ['expose', 1],
  ] as const) {
    const list = child(service, key);
    for (const item of list?.kind === 'list' ? list.items : []) {
      const text = item.kind === 'scalar' && item.value !== null ? scalarText(item.value) : '';
      const ranges = [...text.matchAll(/(\d{1,5})-(\d{1,5})/g)];
      nodes += each * Math.max(0, ...ranges.map(([, first, last]) => Number(last) - Number(first)));
    }
  }
  return nodes;
}
