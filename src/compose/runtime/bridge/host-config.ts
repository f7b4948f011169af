/** Builds the host part of the Engine API's create call: mounts, ports, limits, isolation. */
import type Docker from 'dockerode';
import type { BlockIo, ContainerSpec, Mount, PublishedPort, Resources, ThrottledDevice } from '../spec.js';
import { mountSettings } from './mount-settings.js';

export function hostConfig(spec: ContainerSpec): Docker.HostConfig {
  const mounts = spec.mounts ?? [];
  const named = mounts.filter((mount) => mount.type !== 'volume' || mount.source !== undefined);
  return {
    Binds: named.filter(isBind).map(bindText),
    Mounts: named.filter((mount) => !isBind(mount)).map(mountSettings),
    PortBindings: portBindings(spec.ports ?? []),
    NetworkMode: spec.networkMode ?? spec.networks?.[0]?.network ?? 'default',
    ...(spec.volumesFrom && { VolumesFrom: [...spec.volumesFrom] }),
    ...(spec.restart && {
      RestartPolicy: { Name: spec.restart.name, MaximumRetryCount: spec.restart.maximumRetries ?? 0 },
    }),
    ...(spec.extraHosts && { ExtraHosts: spec.extraHosts.map(({ host, address }) => `${host}:${address}`) }),
    ...(spec.dns && { Dns: [...spec.dns] }),
    ...(spec.dnsSearch && { DnsSearch: [...spec.dnsSearch] }),
    ...(spec.dnsOptions && { DnsOptions: [...spec.dnsOptions] }),
    ...(spec.groups && { GroupAdd: [...spec.groups] }),
    ...(spec.init !== undefined && { Init: spec.init }),
    ...(spec.annotations && { Annotations: { ...spec.annotations } }),
    ...(spec.logging && { LogConfig: { Type: spec.logging.driver ?? '', Config: { ...spec.logging.options } } }),
    ...isolation(spec),
    ...devices(spec),
    ...limits(spec.resources ?? {}),
  };
}

/** Only the short form creates a missing host directory and relabels for SELinux. */
function isBind(mount: Mount): mount is Extract<Mount, { type: 'bind' }> {
  return mount.type === 'bind' && (mount.createHostPath === true || mount.selinux !== undefined);
}

function bindText(mount: Extract<Mount, { type: 'bind' }>): string {
  const options = [mount.readOnly ? 'ro' : 'rw', mount.propagation, mount.selinux].filter((option) => option);
  return `${mount.source}:${mount.target}:${options.join(',')}`;
}

function portBindings(ports: readonly PublishedPort[]): Record<string, { HostIp: string; HostPort: string }[]> {
  const bindings: Record<string, { HostIp: string; HostPort: string }[]> = {};
  for (const port of ports) {
    const key = `${port.containerPort}/${port.protocol ?? 'tcp'}`;
    const binding = { HostIp: port.hostAddress ?? '', HostPort: port.hostPort === undefined ? '' : `${port.hostPort}` };
    bindings[key] = [...(bindings[key] ?? []), binding];
  }
  return bindings;
}

function isolation(spec: ContainerSpec): Docker.HostConfig & { CgroupnsMode?: string } {
  return {
    Privileged: spec.privileged ?? false,
    ReadonlyRootfs: spec.readOnly ?? false,
    ...(spec.capAdd && { CapAdd: [...spec.capAdd] }),
    ...(spec.capDrop && { CapDrop: [...spec.capDrop] }),
    ...(spec.securityOptions && { SecurityOpt: [...spec.securityOptions] }),
    ...(spec.sysctls && { Sysctls: { ...spec.sysctls } }),
    ...(spec.pidMode !== undefined && { PidMode: spec.pidMode }),
    ...(spec.ipcMode !== undefined && { IpcMode: spec.ipcMode }),
    ...(spec.utsMode !== undefined && { UTSMode: spec.utsMode }),
    ...(spec.userNamespaceMode !== undefined && { UsernsMode: spec.userNamespaceMode }),
    ...(spec.cgroupNamespaceMode !== undefined && { CgroupnsMode: spec.cgroupNamespaceMode }),
    ...(spec.cgroupParent !== undefined && { CgroupParent: spec.cgroupParent }),
    ...(spec.ociRuntime !== undefined && { Runtime: spec.ociRuntime }),
    ...(spec.storageOptions && { StorageOpt: { ...spec.storageOptions } }),
    ...(spec.shmSizeBytes !== undefined && { ShmSize: spec.shmSizeBytes }),
    ...(spec.ulimits && {
      Ulimits: Object.entries(spec.ulimits).map(([Name, { soft, hard }]) => ({ Name, Soft: soft, Hard: hard })),
    }),
  };
}

function devices(spec: ContainerSpec): Docker.HostConfig {
  return {
    ...(spec.devices && {
      Devices: spec.devices.map(({ source, target, permissions }) => ({
        PathOnHost: source,
        PathInContainer: target,
        CgroupPermissions: permissions ?? 'rwm',
      })),
    }),
    ...(spec.deviceCgroupRules && { DeviceCgroupRules: [...spec.deviceCgroupRules] }),
    ...(spec.deviceRequests && {
      DeviceRequests: spec.deviceRequests.map((request) => ({
        Driver: request.driver ?? '',
        Count: request.count ?? 0,
        DeviceIDs: [...(request.deviceIds ?? [])],
        Capabilities: [[...request.capabilities]],
        Options: { ...request.options },
      })),
    }),
  };
}

function limits(resources: Resources): Docker.HostConfig {
  return {
    ...(resources.cpus !== undefined && { NanoCpus: Math.round(resources.cpus * 1e9) }),
    ...(resources.cpuShares !== undefined && { CpuShares: resources.cpuShares }),
    ...(resources.cpuQuotaMicroseconds !== undefined && { CpuQuota: resources.cpuQuotaMicroseconds }),
    ...(resources.cpuPeriodMicroseconds !== undefined && { CpuPeriod: resources.cpuPeriodMicroseconds }),
    ...(resources.cpuRealtimeRuntimeMicroseconds !== undefined && {
      CpuRealtimeRuntime: resources.cpuRealtimeRuntimeMicroseconds,
    }),
    ...(resources.cpuRealtimePeriodMicroseconds !== undefined && {
      CpuRealtimePeriod: resources.cpuRealtimePeriodMicroseconds,
    }),
    ...(resources.cpuset !== undefined && { CpusetCpus: resources.cpuset }),
    ...(resources.memoryBytes !== undefined && { Memory: resources.memoryBytes }),
    ...(resources.memoryReservationBytes !== undefined && { MemoryReservation: resources.memoryReservationBytes }),
    ...(resources.memorySwapBytes !== undefined && { MemorySwap: resources.memorySwapBytes }),
    ...(resources.memorySwappiness !== undefined && { MemorySwappiness: resources.memorySwappiness }),
    ...(resources.oomKillDisable !== undefined && { OomKillDisable: resources.oomKillDisable }),
    ...(resources.oomScoreAdjustment !== undefined && { OomScoreAdj: resources.oomScoreAdjustment }),
    ...(resources.pids !== undefined && { PidsLimit: resources.pids }),
    ...(resources.blockIo && blockIo(resources.blockIo)),
  };
}

function blockIo(limit: BlockIo): Docker.HostConfig {
  const throttles = (devices: readonly ThrottledDevice[]): { Path: string; Rate: number }[] =>
    devices.map(({ path, rate }) => ({ Path: path, Rate: rate }));
  return {
    ...(limit.weight !== undefined && { BlkioWeight: limit.weight }),
    ...(limit.weightDevices && {
      BlkioWeightDevice: limit.weightDevices.map(({ path, weight }) => ({ Path: path, Weight: weight })),
    }),
    ...(limit.readBytes && { BlkioDeviceReadBps: throttles(limit.readBytes) }),
    ...(limit.writeBytes && { BlkioDeviceWriteBps: throttles(limit.writeBytes) }),
    ...(limit.readOperations && { BlkioDeviceReadIOps: throttles(limit.readOperations) }),
    ...(limit.writeOperations && { BlkioDeviceWriteIOps: throttles(limit.writeOperations) }),
  };
}
