/** Limits and devices of a service. `deploy.resources` applies where the short keys are absent. */
import { failure } from '../../model/errors.js';
import { parseMemory } from '../../model/memory.js';
import type { Service, ThrottleDevice } from '../../model/service.js';
import type { DeviceRequest as RequestedDevice } from '../../model/workload.js';
import type { BlockIo, ContainerSpec, DeviceRequest, Resources, ThrottledDevice } from '../../runtime/spec.js';
import { given } from './given.js';

export function limits(service: Service): Resources {
  const { limits: limit, reservations } = service.deploy?.resources ?? {};
  const memory = service.mem_limit ?? limit?.memory;
  const reservation = service.mem_reservation ?? reservations?.memory;
  return {
    ...given('cpus', service.cpus ?? limit?.cpus),
    ...given('cpuShares', service.cpu_shares),
    ...given('cpuQuotaMicroseconds', service.cpu_quota),
    ...given('cpuPeriodMicroseconds', service.cpu_period),
    ...given('cpuRealtimeRuntimeMicroseconds', service.cpu_rt_runtime),
    ...given('cpuRealtimePeriodMicroseconds', service.cpu_rt_period),
    ...given('cpuset', service.cpuset),
    ...given('memoryBytes', memory === undefined ? undefined : memoryBytes(memory)),
    ...given('memoryReservationBytes', reservation === undefined ? undefined : memoryBytes(reservation)),
    ...given('memorySwapBytes', service.memswap_limit === undefined ? undefined : swapBytes(service.memswap_limit)),
    ...given('memorySwappiness', service.mem_swappiness),
    ...given('oomKillDisable', service.oom_kill_disable),
    ...given('oomScoreAdjustment', service.oom_score_adj),
    ...given('pids', service.pids_limit ?? limit?.pids),
    ...given('blockIo', blockIo(service)),
  };
}

export function deviceSettings(service: Service): Partial<ContainerSpec> {
  const requests = [...(service.gpus ?? []), ...(service.deploy?.resources?.reservations?.devices ?? [])];
  return {
    ...given(
      'devices',
      service.devices?.map(({ source, target, permissions }) => ({
        source,
        target: target ?? source,
        ...given('permissions', permissions),
      })),
    ),
    ...given('deviceCgroupRules', service.device_cgroup_rules),
    ...given('deviceRequests', requests.length === 0 ? undefined : requests.map(deviceRequest)),
  };
}

/**
 * A quantity in whole bytes. Loses precision beyond 2^53, which no machine's memory reaches.
 *
 * @throws ComposeFailure ComposeMemoryParseError
 */
export function memoryBytes(quantity: string): number {
  const bytes = parseMemory(quantity);
  if (typeof bytes === 'bigint') return Number(bytes);
  if (bytes === 'empty') throw failure('ComposeMemoryParseError', 'empty', {});
  throw failure('ComposeMemoryParseError', bytes, { input: quantity });
}

/** -1 means unlimited. */
function swapBytes(quantity: string): number {
  return quantity.trim() === '-1' ? -1 : memoryBytes(quantity);
}

function blockIo({ blkio_config: config }: Service): BlockIo | undefined {
  if (config === undefined) return undefined;
  const rates = (
    devices: readonly ThrottleDevice[] | undefined,
    rate: (text: string) => number,
  ): ThrottledDevice[] | undefined =>
    devices?.map((device) => ({ path: device.path ?? '', rate: rate(device.rate ?? '0') }));
  return {
    ...given('weight', config.weight),
    ...given(
      'weightDevices',
      config.weight_device?.map(({ path = '', weight = 0 }) => ({ path, weight })),
    ),
    ...given('readBytes', rates(config.device_read_bps, memoryBytes)),
    ...given('writeBytes', rates(config.device_write_bps, memoryBytes)),
    ...given('readOperations', rates(config.device_read_iops, Number)),
    ...given('writeOperations', rates(config.device_write_iops, Number)),
  };
}

/** Without a count or ids, selects all devices with the capabilities. */
function deviceRequest(request: RequestedDevice): DeviceRequest {
  const count = request.count ?? (request.device_ids === undefined ? -1 : undefined);
  return {
    capabilities: request.capabilities ?? ['gpu'],
    ...given('driver', request.driver),
    ...given('count', count),
    ...given('deviceIds', request.device_ids),
    ...given('options', request.options),
  };
}
