/**
 * dockerode without what is never used of it here. It loads a gRPC stack (for BuildKit sessions) and an SSH client (for
 * `ssh://` addresses) whether they are needed or not, and that takes longer than most commands do: 130 of 200 ms.
 */
import type DockerConstructor from 'dockerode';
import Module, { createRequire } from 'node:module';

const UNUSED = [
  { by: 'dockerode', name: '@grpc/grpc-js' },
  { by: 'dockerode', name: '@grpc/proto-loader' },
  { by: 'docker-modem', name: 'ssh2' },
] as const;

/** The library, ready to be constructed. */
export const Docker: typeof DockerConstructor = loadDocker();

function loadDocker(): typeof DockerConstructor {
  const require = createRequire(import.meta.url);
  const fromDockerode = createRequire(require.resolve('dockerode'));
  const requirers = { dockerode: fromDockerode, 'docker-modem': createRequire(fromDockerode.resolve('docker-modem')) };
  const placeholders = UNUSED.map(({ by, name }) => requirers[by].resolve(name)).filter(
    (path) => require.cache[path] === undefined,
  );
  for (const path of placeholders) require.cache[path] = Object.assign(new Module(path), { loaded: true });
  try {
    // What `require` answers is untyped; these are the package's own types.
    return require('dockerode') as typeof DockerConstructor;
  } finally {
    // Whoever else asks for one of them gets the real one.
    for (const path of placeholders) Reflect.deleteProperty(require.cache, path);
  }
}
