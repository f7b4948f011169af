import { labelFilters } from '../engine/labels.js';
import { notFound } from '../errors.js';

/** `--name=value`, or nothing for undefined. */
export function option(name: string, value: string | number | undefined): string[] {
  return value === undefined ? [] : [`${name}=${value}`];
}

export function each(name: string, values: readonly string[] | undefined): string[] {
  return (values ?? []).map((value) => `${name}=${value}`);
}

export function pairs(name: string, values: Readonly<Record<string, string>> | undefined): string[] {
  return Object.entries(values ?? {}).map(([key, value]) => `${name}=${key}=${value}`);
}

/** `--filter=label=...`, once for each label of a `LabelFilter`. */
export function labelArguments(labels: Readonly<Record<string, string>>): string[] {
  return labelFilters(labels).map((label) => `--filter=label=${label}`);
}

/**
 * Values do not appear among the arguments, where every local user can read them. Podman receives the names and copies
 * the values from its own environment. The few names that would affect podman itself are passed with their values.
 */
export function variableArguments(
  variables: Readonly<Record<string, string>>,
  option: '--env' | '--build-arg' = '--env',
): {
  readonly args: string[];
  readonly environment: Record<string, string>;
} {
  const args: string[] = [];
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) {
    // Podman treats an asterisk as a pattern and trims the name, then reads its own environment.
    if (heeded.test(name) || /[*=\s]/.test(name)) args.push(`${option}=${name}=${value}`);
    else {
      args.push(`${option}=${name}`);
      environment[name] = value;
    }
  }
  return { args, environment };
}

/** Variables that podman or its runtime would interpret. */
const heeded =
  /^(?:PATH|HOME|USER|LOGNAME|TMPDIR|LANG|LC_.*|LD_.*|XDG_.*|CONTAINERS?_.*|REGISTRY_.*|REGISTRIES_.*|STORAGE_.*|BUILDAH_.*|PODMAN_.*|LIBPOD_.*|DOCKER_.*|NETAVARK_.*|AARDVARK_.*|_.*|DBUS_.*|LISTEN_.*|NOTIFY_SOCKET|GO.*|SSL_.*|SSH_.*|GLIBC_.*|GCONV_PATH|LOCPATH|NLSPATH|HOSTALIASES|LOCALDOMAIN|RES_OPTIONS|RESOLV_.*|MALLOC_.*|TZDIR|.*_PROXY|.*_proxy|DISABLE_HC_SYSTEMD|SUPPRESS_BOLTDB_WARNING|INVOCATION_ID)$/;

/** Ensures that an id from outside is not read as an option. */
export function operand(id: string): string {
  if (id === '' || id.startsWith('-')) throw notFound(id);
  return id;
}
