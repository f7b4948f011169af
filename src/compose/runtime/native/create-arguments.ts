/** Converts a container specification to arguments of `podman create`. */
import type { ContainerSpec, Healthcheck, NetworkAttachment, PublishedPort } from '../spec.js';
import { notSupported } from '../errors.js';
import { mountArguments } from './mount-arguments.js';
import { resourceArguments } from './resource-arguments.js';
import { each, option, pairs, variableArguments } from './options.js';

export interface CreateCommand {
  readonly args: readonly string[];
  /** Environment variables of the podman process, from which it copies the container's values. */
  readonly environment: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

/** @throws RuntimeError.notSupported for a value that podman would split */
export function createCommand(spec: ContainerSpec): CreateCommand {
  const variables = variableArguments(spec.environment ?? {});
  const options = [
    ...option('--runtime', spec.ociRuntime),
    'create',
    '--pull=never',
    // Match Docker, which does not pass the host's proxies to containers and mounts no writable directories into a
    // read-only container.
    '--http-proxy=false',
    ...(spec.readOnly ? ['--read-only', '--read-only-tmpfs=false'] : []),
    `--name=${spec.name}`,
    ...option('--platform', spec.platform),
    ...(spec.entrypoint ? [`--entrypoint=${spec.entrypoint.length === 0 ? '' : JSON.stringify(spec.entrypoint)}`] : []),
    ...pairs('--label', spec.labels),
    ...pairs('--annotation', spec.annotations),
    ...variables.args,
    ...each('--unsetenv', unsetVariables(spec)),
    ...mountArguments(spec.mounts ?? []),
    ...each('--volumes-from', spec.volumesFrom),
    ...(spec.ports ?? []).map((port) => `--publish=${publishText(port)}`),
    ...(spec.expose ?? []).map(({ port, protocol }) => `--expose=${port}/${protocol ?? 'tcp'}`),
    ...networkArguments(spec),
    ...option('--hostname', spec.hostname),
    ...(spec.extraHosts ?? []).map(({ host, address }) => `--add-host=${host}:${address}`),
    ...each('--dns', spec.dns),
    ...each('--dns-search', spec.dnsSearch),
    ...each('--dns-option', spec.dnsOptions),
    ...(spec.healthcheck ? healthArguments(spec.healthcheck) : []),
    ...(spec.restart ? [`--restart=${restartText(spec.restart)}`] : []),
    ...processArguments(spec),
    ...isolationArguments(spec),
    ...resourceArguments(spec),
  ];
  options.forEach(assertOneValue);
  const args = [...options, spec.image, ...(spec.command ?? [])];
  return { args, environment: variables.environment, warnings: warningsOf(spec) };
}

function unsetVariables({ environment = {}, unsetVariables: names = [] }: ContainerSpec): string[] {
  return names.filter((name) => !Object.hasOwn(environment, name));
}

/** Options whose value podman parses as a line of CSV (RFC 4180). */
const separated =
  /^--(?:log-opt|group-add|sysctl|storage-opt|publish|expose|add-host|dns|dns-search|dns-option|cap-add|cap-drop|ulimit|device|device-cgroup-rule|volumes-from|blkio-weight-device)=/;

/** A comma would start another value of the option, for example after the path of a log file. */
function assertOneValue(argument: string): void {
  const [name] = separated.exec(argument) ?? [];
  if (name === undefined || !/[",\r\n]/.test(argument)) return;
  throw notSupported(`${name.slice(2, -1)} with ',' or '"'`, 'native');
}

function publishText({ containerPort, protocol, hostAddress, hostPort }: PublishedPort): string {
  const address = hostAddress === undefined ? '' : hostAddress.includes(':') ? `[${hostAddress}]:` : `${hostAddress}:`;
  const host = hostPort === undefined ? (address === '' ? '' : ':') : `${hostPort}:`;
  return `${address}${host}${containerPort}/${protocol ?? 'tcp'}`;
}

function networkArguments(spec: ContainerSpec): string[] {
  if (spec.networkMode !== undefined) return [`--network=${spec.networkMode}`];
  const networks = (spec.networks ?? []).map((attachment, index) => {
    const macAddress = attachment.macAddress ?? (index === 0 ? spec.macAddress : undefined);
    return `--network=${networkText(attachment, macAddress)}`;
  });
  return networks.length > 0 ? networks : option('--mac-address', spec.macAddress);
}

/** @throws RuntimeError.notSupported for a value that podman would read as several options */
function networkText(attachment: NetworkAttachment, macAddress: string | undefined): string {
  const settings = [
    ...(attachment.aliases ?? []).map((alias) => `alias=${alias}`),
    ...(attachment.ipv4Address === undefined ? [] : [`ip=${attachment.ipv4Address}`]),
    ...(attachment.ipv6Address === undefined ? [] : [`ip6=${attachment.ipv6Address}`]),
    ...(macAddress === undefined ? [] : [`mac=${macAddress}`]),
    ...(attachment.interfaceName === undefined ? [] : [`interface_name=${attachment.interfaceName}`]),
  ];
  if (settings.some((setting) => /[",\r\n]/.test(setting))) throw notSupported(`network with ',' or '"'`, 'native');
  return settings.length === 0 ? attachment.network : `${attachment.network}:${settings.join(',')}`;
}

function healthArguments(check: Healthcheck): string[] {
  if (check.test[0] === 'NONE') return ['--no-healthcheck'];
  const milliseconds = (name: string, value: number | undefined): string[] =>
    value === undefined ? [] : [`${name}=${value}ms`];
  return [
    `--health-cmd=${healthCommand(check.test)}`,
    ...milliseconds('--health-interval', check.intervalMs),
    ...milliseconds('--health-timeout', check.timeoutMs),
    ...option('--health-retries', check.retries),
    ...milliseconds('--health-start-period', check.startPeriodMs),
  ];
}

/**
 * Podman accepts three forms: words after `CMD`, a JSON list of two or more words, or a shell command line. A list that
 * begins with `CMD` is none of them (Podman 4.3 reads it as one word).
 */
function healthCommand([kind, ...words]: readonly string[]): string {
  if (kind === 'CMD-SHELL') return words.join(' ');
  const plain = words.every((word) => word !== '' && !/\s/.test(word));
  return plain ? ['CMD', ...words].join(' ') : JSON.stringify(words);
}

function restartText({ name, maximumRetries }: NonNullable<ContainerSpec['restart']>): string {
  return name === 'on-failure' && maximumRetries !== undefined ? `${name}:${maximumRetries}` : name;
}

function processArguments(spec: ContainerSpec): string[] {
  return [
    ...option('--user', spec.user),
    ...each('--group-add', spec.groups),
    ...option('--workdir', spec.workingDirectory),
    ...option('--stop-signal', spec.stopSignal),
    ...option('--stop-timeout', spec.stopTimeoutSeconds),
    ...(spec.tty ? ['--tty'] : []),
    ...(spec.openStdin ? ['--interactive'] : []),
    ...(spec.init ? ['--init'] : []),
    ...option('--log-driver', spec.logging?.driver),
    ...pairs('--log-opt', spec.logging?.options),
  ];
}

function isolationArguments(spec: ContainerSpec): string[] {
  return [
    ...(spec.privileged ? ['--privileged'] : []),
    ...each('--cap-add', spec.capAdd),
    ...each('--cap-drop', spec.capDrop),
    ...each('--security-opt', spec.securityOptions),
    ...(spec.devices ?? []).map(
      ({ source, target, permissions }) => `--device=${source}:${target}:${permissions ?? 'rwm'}`,
    ),
    ...each('--device-cgroup-rule', spec.deviceCgroupRules),
    ...pairs('--sysctl', spec.sysctls),
    ...option('--pid', spec.pidMode),
    ...option('--ipc', spec.ipcMode),
    ...option('--uts', spec.utsMode),
    ...option('--userns', spec.userNamespaceMode),
    ...option('--cgroupns', spec.cgroupNamespaceMode),
    ...option('--cgroup-parent', spec.cgroupParent),
    ...pairs('--storage-opt', spec.storageOptions),
  ];
}

function warningsOf(spec: ContainerSpec): string[] {
  const leftOut = (what: string): string => `${what} is not supported by Podman and is ignored.`;
  return [
    ...(spec.domainName === undefined ? [] : [leftOut('domainname')]),
    ...(spec.healthcheck?.startIntervalMs === undefined ? [] : [leftOut('healthcheck.start_interval')]),
    ...(spec.deviceRequests?.length ? [leftOut('A device request (gpus)')] : []),
    ...(spec.networks?.some(({ driverOptions }) => driverOptions)
      ? [leftOut("A network's driver_opts on a service")]
      : []),
    ...(spec.networks?.some(({ linkLocalAddresses }) => linkLocalAddresses) ? [leftOut('link_local_ips')] : []),
  ];
}
