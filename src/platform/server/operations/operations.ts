import type {
  GetJwksHandler,
  GetLivenessHandler,
  GetMetricsHandler,
  GetReadinessHandler,
} from '../../../../generated/platform/operations.js';
import { serviceUnavailable } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';

export const getLiveness: GetLivenessHandler<PlatformDependencies> = () => ({ status: 200, body: { status: 'alive' } });

export const getReadiness: GetReadinessHandler<PlatformDependencies> = async (_request, { unreadiness }) => {
  const reason = await unreadiness();
  if (reason !== null) return serviceUnavailable({ message: reason, retry_after_seconds: 5 });
  return { status: 200, body: { status: 'ready' } };
};

export const getMetrics: GetMetricsHandler<PlatformDependencies> = async (_request, { metrics }) => ({
  status: 200,
  body: await metrics(),
});

/** How long other services may cache the keys. A rotated key stays in the set for days. */
const cacheSeconds = 300;

export const getJwks: GetJwksHandler<PlatformDependencies> = async (_request, { keyRing }) => {
  const { publicKeys } = await keyRing();
  return {
    status: 200,
    headers: { 'Cache-Control': `public, max-age=${cacheSeconds}` },
    body: publicKeys,
  };
};
