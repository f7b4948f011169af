/** Health, version and metrics of the server. */
import { arch } from 'node:process';
import type {
  GetInfoHandler,
  GetMetricsHandler,
  GetVersionHandler,
  PingHandler,
} from '../../../../generated/compose/operations.js';
import { hasEnded } from '../../runtime/lifecycle.js';
import type { ComposeDependencies } from '../dependencies.js';

const serverName = 'plumbline-compose';

export const ping: PingHandler<ComposeDependencies> = (_request, { version }) => ({
  status: 200,
  body: { ok: true, server: serverName, version },
});

export const getVersion: GetVersionHandler<ComposeDependencies> = (_request, { backend, version }) => ({
  status: 200,
  body: { api_version: 'v1', version, server_name: serverName, runtime_backend: backend.conformer, arch },
});

export const getInfo: GetInfoHandler<ComposeDependencies> = async ({ context }, dependencies) => {
  const { backend, clock, startedAt, version } = dependencies;
  const { signal } = context;
  const [info, containers] = await Promise.all([backend.system.info({ signal }), backend.containers.list({ signal })]);
  return {
    status: 200,
    body: {
      id: info.hostname,
      name: info.hostname,
      containers: containers.length,
      containers_running: containers.filter(({ status }) => status === 'running').length,
      containers_paused: 0,
      containers_stopped: containers.filter(({ status }) => hasEnded(status)).length,
      images: info.images,
      cpus: info.cpus,
      memory_bytes: info.memoryBytes,
      server_version: version,
      runtime_backend: backend.conformer,
      engine: info.engine,
      engine_version: info.version,
      os: info.os,
      arch: info.architecture,
      uptime_seconds: (clock.now().getTime() - startedAt.getTime()) / 1000,
    },
  };
};

export const getMetrics: GetMetricsHandler<ComposeDependencies> = async (_request, { metrics }) => ({
  status: 200,
  body: await metrics.text(),
});
