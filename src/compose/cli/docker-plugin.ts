/**
 * The compose tool as the plug-in `docker-compose` of the Docker CLI (https://github.com/docker/cli: `cli-plugins/`).
 * It loads nothing else, because the Docker CLI asks each of its plug-ins for its metadata.
 */

/** The command by which the Docker CLI asks what its plug-ins are. */
const METADATA = 'docker-cli-plugin-metadata';

/** The flags of `docker` that have a value, which may be `compose`. */
const WITH_VALUE: ReadonlySet<string> = new Set([
  ...['--config', '-c', '--context', '-H', '--host', '-l', '--log-level', '--tlscacert', '--tlscert', '--tlskey'],
]);

/** @returns the answer to the Docker CLI's question; undefined if the arguments are those of a command */
export function pluginMetadata(args: readonly string[], version: string): string | undefined {
  if (args[0] !== METADATA) return undefined;
  // The version of the form, by which the Docker CLI rejects plug-ins that it does not know.
  const SchemaVersion = '0.1.0';
  return JSON.stringify({
    ...{ SchemaVersion, Vendor: 'Plumbline', Version: version, ShortDescription: 'Plumbline Compose' },
    URL: 'https://www.npmjs.com/package/@plumbline/compose',
  });
}

/**
 * The arguments of the compose tool. The Docker CLI passes all of its own to a plug-in, such as
 * `--context remote compose up -d`, and says so by a variable.
 */
export function withoutPluginName(args: readonly string[], environment: NodeJS.ProcessEnv): readonly string[] {
  if (environment.DOCKER_CLI_PLUGIN_ORIGINAL_CLI_COMMAND === undefined) return args;
  const at = args.findIndex((word, index) => word === 'compose' && !WITH_VALUE.has(args[index - 1] ?? ''));
  return args.filter((_, index) => index !== at);
}
