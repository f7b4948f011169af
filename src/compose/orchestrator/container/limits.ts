/** Limits and devices of a service. `deploy.resources` applies where the short keys are absent. */
import { failure } from '../../model/errors.js';
import { parseMemory } from '../../model/normalize/memory.js';
import type { Service, ThrottleDevice } from '../../model/project/service.js';
import type { DeviceRequest as RequestedDevice } from '../../model/project/workload.js';
import type { BlockIo, ContainerSpec, DeviceRequest, Resources, ThrottledDevice } from '../../runtime/spec.js';
import { optionalField } from './optional-field.js';

export function limits(service: Service): Resources {
  const { limits: limit, reservations } = service.deploy?.resources ?? {};
  const memory = service.mem_limit ?? limit?.memory;
  const reservation = service.mem_reservation ?? reservations?.memory;
  return {
    ...optionalField('cpus', service.cpus ?? limit?.cpus),
    ...optionalField('cpuShares', service.cpu_shares),
    ...optionalField('cpuQuotaMicroseconds', service.cpu_quota),
    ...optionalField('cpuPeriodMicroseconds', service.cpu_period),
    ...optionalField('cpuRealtimeRuntimeMicroseconds', service.cpu_rt_runtime),
    ...optionalField('cpuRealtimePeriodMicroseconds', service.cpu_rt_period),
    ...optionalField('cpuset', service.cpuset),
    ...optionalField('memoryBytes', memory === undefined ? undefined : memoryBytes(memory)),
    ...optionalField('memoryReservationBytes', reservation === undefined ? undefined : memoryBytes(reservation)),
    ...optionalField(
      'memorySwapBytes',
      service.memswap_limit === undefined ? undefined : swapBytes(service.memswap_limit),
    ),
    ...optionalField('memorySwappiness', service.mem_swappiness),
    ...optionalField('oomKillDisable', service.oom_kill_disable),
    ...optionalField('oomScoreAdjustment', service.oom_score_adj),
    ...optionalField('pids', service.pids_limit ?? limit?.pids),
    ...optionalField('blockIo', blockIo(service)),
  };
}

export function deviceSettings(service: Service): Partial<ContainerSpec> {
  const requests = [...(service.gpus ?? []), ...(service.deploy?.resources?.reservations?.devices ?? [])];
  return {
    ...optionalField(
      'devices',
      service.devices?.map(({ source, target, permissions }) => ({
        source,
        target: target ?? source,
        ...optionalField('permissions', permissions),
      })),
    ),
    ...optionalField('deviceCgroupRules', service.device_cgroup_rules),
    ...optionalField('deviceRequests', requests.length === 0 ? undefined : requests.map(deviceRequest)),
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

/** `ulimits`: a number is both limits. */
export function ulimits(all: NonNullable<Service['ulimits']>): Record<string, { soft: number; hard: number }> {
  return Object.fromEntries(
    Object.entries(all).map(([name, limit]) => [
      name,
      typeof limit === 'number' ? { soft: limit, hard: limit } : { soft: limit.soft, hard: limit.hard },
    ]),
  );
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
    ...optionalField('weight', config.weight),
    ...optionalField(
      'weightDevices',
      config.weight_device?.map(({ path = '', weight = 0 }) => ({ path, weight })),
    ),
    ...optionalField('readBytes', rates(config.device_read_bps, memoryBytes)),
    ...optionalField('writeBytes', rates(config.device_write_bps, memoryBytes)),
    ...optionalField('readOperations', rates(config.device_read_iops, Number)),
    ...optionalField('writeOperations', rates(config.device_write_iops, Number)),
  };
}

/** Without a count or ids, selects all devices with the capabilities. */
function deviceRequest(request: RequestedDevice): DeviceRequest {
  const count = request.count ?? (request.device_ids === undefined ? -1 : undefined);
  return {
    capabilities: request.capabilities ?? ['gpu'],
    ...optionalField('driver', request.driver),
    ...optionalField('count', count),
    ...optionalField('deviceIds', request.device_ids),
    ...optionalField('options', request.options),
  };
}
