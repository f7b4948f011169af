/**
 * The compose tool as the plug-in `docker-compose` of the Docker CLI (https://github.com/docker/cli: `cli-plugins/`).
 * It loads little, because the Docker CLI asks each of its plug-ins for its metadata.
 */
import { connect } from 'node:net';

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
 * The arguments of the compose tool. The Docker CLI passes all that it got to a plug-in, such as
 * `--context remote compose up -d`, and says so by a variable.
 */
export function withoutPluginName(args: readonly string[], environment: NodeJS.ProcessEnv): readonly string[] {
  if (environment.DOCKER_CLI_PLUGIN_ORIGINAL_CLI_COMMAND === undefined) return args;
  const at = args.findIndex((word, index) => word === 'compose' && !WITH_VALUE.has(args[index - 1] ?? ''));
  return args.filter((_, index) => index !== at);
}

/**
 * Interrupts this process when the Docker CLI that runs it is to end. Unless its output is a terminal, the Docker
 * CLI passes no signal on: it listens at a socket, and closes the connections of its plug-ins.
 */
export function endWithDockerCli({ DOCKER_CLI_PLUGIN_SOCKET: address }: NodeJS.ProcessEnv): void {
  if (!address) return;
  // An abstract socket of Linux begins with @ in Go and with NUL in Node.js.
  const connection = connect(address.replace(/^@/, '\0'));
  connection.unref(); // a command ends without it
  connection.on('error', () => undefined); // it is not there, as for the earlier releases of the Docker CLI
  connection.once('connect', () => {
    connection.resume().once('close', () => process.kill(process.pid, 'SIGINT'));
  });
}
