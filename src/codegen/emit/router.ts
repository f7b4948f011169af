import type { ApiContract, Operation } from '../read/contract-model.js';
import { camelCase, pascalCase, quote } from '../derive/naming.js';
import { header } from './header.js';

/** Emits the function that registers every operation on @koa/router: a router per capability, with its prefix. */
export function emitRouter(contract: ApiContract): string {
  const handlers = `${pascalCase(contract.name)}Handlers`;
  const capabilities = [...new Set(contract.operations.map(({ tag }) => tag))];
  const routers = capabilities.map((capability) =>
    emitCapability(
      routerName(capability),
      contract.operations.filter(({ tag }) => tag === capability),
    ),
  );
  return [
    header(`openapi/${contract.name}.yaml`),
    `import Router from '@koa/router';\n`,
    `import type { Middleware } from 'koa';\n`,
    `import type { ${handlers} } from './operations.js';\n\n`,
    `/**\n * Registers every operation on a router for its capability.\n *\n`,
    ` * @param operation creates the middleware of an operation\n */\n`,
    `export function createRouters(operation: (id: keyof ${handlers}<unknown>) => Middleware): readonly Router[] {\n`,
    ...routers,
    `return [${capabilities.map(routerName).join(', ')}];\n}\n`,
  ].join('');
}

function emitCapability(variable: string, operations: readonly Operation[]): string {
  const prefix = commonPrefix(operations.map(({ path }) => path));
  const options = `{ sensitive: true${prefix === '' ? '' : `, prefix: ${quote(routerPath(prefix))}`} }`;
  const registrations = byPrecedence(operations).map(({ id, method, path }) => {
    const rest = quote(routerPath(path.slice(prefix.length)) || '/');
    return `${variable}.${method.toLowerCase()}(${quote(id)}, ${rest}, operation(${quote(id)}));\n`;
  });
  return `const ${variable} = new Router(${options});\n${registrations.join('')}\n`;
}

/** A path without parameters takes precedence over one with parameters (OpenAPI 3.1, "Paths Object"). */
function byPrecedence(operations: readonly Operation[]): Operation[] {
  const isFixed = ({ path }: Operation): boolean => !path.includes('{');
  return [...operations.filter(isFixed), ...operations.filter((operation) => !isFixed(operation))];
}

/** The segments that all paths begin with. */
function commonPrefix(paths: readonly string[]): string {
  const [first = [], ...others] = paths.map((path) => path.split('/'));
  const end = first.findIndex((segment, index) => others.some((other) => other[index] !== segment));
  return first.slice(0, end === -1 ? first.length : end).join('/');
}

/** The notation of @koa/router: `:thing_id` for `{thing_id}`. */
function routerPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** `service tokens` -> `serviceTokensRouter`. */
function routerName(capability: string): string {
  return camelCase(`${capability.split(/\W+/).map(pascalCase).join('')}Router`);
}
