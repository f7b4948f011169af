/**
 * Loads dockerode without dependencies that are unused here. dockerode always loads a gRPC stack (for BuildKit
 * sessions), an SSH client (for `ssh://` addresses), an archiver (for build contexts) and streams for older versions of
 * Node.js. Loading them takes longer than most commands run.
 */
import type DockerConstructor from 'dockerode';
import Module, { createRequire } from 'node:module';
import stream from 'node:stream';

/** Modules to skip. An empty module replaces each one unless another is named. */
const UNUSED: readonly {
  readonly by: 'dockerode' | 'docker-modem';
  readonly name: string;
  readonly instead?: object;
}[] = [
  { by: 'dockerode', name: '@grpc/grpc-js' },
  { by: 'dockerode', name: '@grpc/proto-loader' },
  { by: 'dockerode', name: 'tar-fs' },
  { by: 'docker-modem', name: 'ssh2' },
  { by: 'docker-modem', name: 'readable-stream', instead: stream },
];

/** The constructor of dockerode. */
export const Docker: typeof DockerConstructor = loadDocker();

function loadDocker(): typeof DockerConstructor {
  const require = createRequire(import.meta.url);
  const fromDockerode = createRequire(require.resolve('dockerode'));
  const requirers = { dockerode: fromDockerode, 'docker-modem': createRequire(fromDockerode.resolve('docker-modem')) };
  const placeholders = UNUSED.map(({ by, name, instead = {} }) => {
    const path = requirers[by].resolve(name);
    return { path, module: Object.assign(new Module(path), { loaded: true, exports: instead }) };
  }).filter(({ path }) => require.cache[path] === undefined);
  for (const { path, module } of placeholders) require.cache[path] = module;
  try {
    // `require` returns an untyped value; these are the package's own types.
    return require('dockerode') as typeof DockerConstructor;
  } finally {
    // Other importers get the real modules.
    for (const { path } of placeholders) Reflect.deleteProperty(require.cache, path);
  }
}
