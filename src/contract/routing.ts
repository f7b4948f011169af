import findMyWay, { type HTTPMethod } from 'find-my-way';
import type { Route } from '../../generated/contract.js';

export type RouteMatch =
  | { readonly route: Route; readonly params: Readonly<Record<string, string | undefined>> }
  /** The path exists, but not with this method. */
  | { readonly allow: readonly string[]; readonly other: Route };

/** Longer than any request line that Node accepts, so that validation rejects long path parameters. */
const longestUrl = 16_384;

/** Finds the operation of a request. */
export type Router = (method: string, url: string) => RouteMatch | null;

/**
 * Builds the router: a radix tree, so that matching time depends on the length of the path, not on the number of
 * routes.
 */
export function createRouter(routes: readonly Route[]): Router {
  const tree = findMyWay({ maxParamLength: longestUrl });
  const byHandler = new Map<unknown, Route>();
  const methods = new Set<string>();
  // A path without parameters takes precedence over one with parameters (OpenAPI 3.1, "Paths Object").
  const fixedPaths = new Set(routes.map(({ path }) => path).filter((path) => !path.includes('{')));
  for (const route of routes) {
    const handler = (): void => undefined;
    byHandler.set(handler, route);
    methods.add(route.method);
    tree.on(route.method as HTTPMethod, route.path.replaceAll(/\{(\w+)\}/g, ':$1'), handler);
  }
  const find = (method: string, path: string): Extract<RouteMatch, { readonly route: Route }> | null => {
    const found = tree.find(method as HTTPMethod, path); // an unknown method is looked up and not found
    const route = found === null ? undefined : byHandler.get(found.handler);
    if (found === null || route === undefined || (fixedPaths.has(path) && route.path !== path)) return null;
    return { route, params: found.params };
  };
  return (method, url) => {
    const path = pathOf(url);
    // A HEAD request is answered as the GET would be, without the body (RFC 9110, section 9.3.2).
    const match = find(method === 'HEAD' ? 'GET' : method, path);
    if (match !== null) return match;
    const others = [...methods].map((each) => find(each, path)).filter((each) => each !== null);
    const [other] = others;
    if (other === undefined) return null;
    const allow = others.map(({ route }): string => route.method);
    if (allow.includes('GET')) allow.push('HEAD');
    return { allow, other: other.route };
  };
}

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}
