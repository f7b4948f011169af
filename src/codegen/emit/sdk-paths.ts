import type { ApiContract, Operation } from '../read/contract-model.js';
import { quote } from '../derive/naming.js';
import { header } from './header.js';
import { streams } from './sdk-operations.js';

/**
 * Emits the functions of an API by path and method, for callers who write `client.GET(path)`. Streams are left out: what
 * their functions return is not what the contract says of the body.
 */
export function emitSdkPaths({ name, operations }: ApiContract): string {
  const callable = operations.filter((operation) => !isStream(operation));
  const entries = [...new Set(callable.map(({ path }) => path))].map((path) => {
    const functions = callable.flatMap(({ path: at, method, id }) =>
      at === path ? [`${method}: operations.${id}`] : [],
    );
    return `${quote(path)}: { ${functions.join(', ')} }`;
  });
  return [
    header(`openapi/${name}.yaml`),
    `import * as operations from './operations.js';\n\n`,
    `export const operationsByPath = { ${entries.join(', ')} } as const;\n`,
  ].join('');
}

function isStream({ replies }: Operation): boolean {
  return replies.some((reply) => reply.kind === 'success' && reply.mediaType !== null && streams.has(reply.mediaType));
}
