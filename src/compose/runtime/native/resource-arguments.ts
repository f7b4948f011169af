/** Converts limits to arguments of `podman create`. */
import type { ContainerSpec, ThrottledDevice } from '../spec.js';
import { option } from './options.js';

export function resourceArguments(spec: ContainerSpec): string[] {
  const resources = spec.resources ?? {};
  const blockIo = resources.blockIo ?? {};
  const throttles = (name: string, devices: readonly ThrottledDevice[] | undefined): string[] =>
    (devices ?? []).map(({ path, rate }) => `${name}=${path}:${rate}`);
  return [
    ...Object.entries(spec.ulimits ?? {}).map(([name, { soft, hard }]) => `--ulimit=${name}=${soft}:${hard}`),
    ...option('--shm-size', bytes(spec.shmSizeBytes)),
    ...option('--cpus', resources.cpus),
    ...option('--cpu-shares', resources.cpuShares),
    ...option('--cpu-quota', resources.cpuQuotaMicroseconds),
    ...option('--cpu-period', resources.cpuPeriodMicroseconds),
    ...option('--cpu-rt-runtime', resources.cpuRealtimeRuntimeMicroseconds),
    ...option('--cpu-rt-period', resources.cpuRealtimePeriodMicroseconds),
    ...option('--cpuset-cpus', resources.cpuset),
    ...option('--memory', bytes(resources.memoryBytes)),
    ...option('--memory-reservation', bytes(resources.memoryReservationBytes)),
    ...option('--memory-swap', bytes(resources.memorySwapBytes)),
    ...option('--memory-swappiness', resources.memorySwappiness),
    ...(resources.oomKillDisable ? ['--oom-kill-disable'] : []),
    ...option('--oom-score-adj', resources.oomScoreAdjustment),
    ...option('--pids-limit', resources.pids),
    ...option('--blkio-weight', blockIo.weight),
    ...(blockIo.weightDevices ?? []).map(({ path, weight }) => `--blkio-weight-device=${path}:${weight}`),
    ...throttles('--device-read-bps', blockIo.readBytes),
    ...throttles('--device-write-bps', blockIo.writeBytes),
    ...throttles('--device-read-iops', blockIo.readOperations),
    ...throttles('--device-write-iops', blockIo.writeOperations),
  ];
}

/** With an explicit unit, so that all versions parse it in the same way. -1 has no unit. */
function bytes(size: number | undefined): string | undefined {
  return size === undefined ? undefined : size < 0 ? String(size) : `${size}b`;
}
