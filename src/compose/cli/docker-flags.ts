/** The flags of `docker` itself, which docker compose accepts before the command (https://github.com/docker/cli: `cli/flags/`). */
import { Option } from 'commander';
import { UsageError } from './failures.js';
import { Alias, ignored } from './hidden-flags.js';
import type { Io } from './io.js';

/** The values of the flags of `docker`. */
export interface DockerFlags {
  /** The directory of Docker's configuration. */
  readonly config?: string;
  readonly context?: string;
  readonly host?: string;
  readonly tlsverify?: boolean;
}

/** The options of these flags. Those about logs have no effect here. */
export function dockerFlags(): Option[] {
  const levels = ['trace', 'debug', 'info', 'warn', 'warning', 'error', 'fatal', 'panic'];
  return [
    new Option('--config <directory>').hideHelp(),
    new Alias('-c <name>', 'context'),
    ignored('-D, --debug'),
    new Option('-H, --host <address>').hideHelp(),
    ignored('-l, --log-level <level>').choices(levels),
    new Option('--tlsverify').hideHelp(),
  ];
}

/**
 * The environment of a command with the values of these flags, which precede the variables.
 *
 * @throws UsageError for an engine that is named twice
 */
export function withDockerFlags(io: Io, { config, context, host, tlsverify }: DockerFlags): Io {
  if (host !== undefined && context !== undefined)
    throw new UsageError('Name the engine by --host or by --context, not by both.');
  const variables = {
    ...(config !== undefined && { DOCKER_CONFIG: config }),
    ...(host !== undefined && { DOCKER_HOST: host }),
    ...(tlsverify === true && { DOCKER_TLS_VERIFY: '1' }),
  };
  return Object.keys(variables).length === 0 ? io : { ...io, environment: { ...io.environment, ...variables } };
}
