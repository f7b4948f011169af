import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { endWithDockerCli, pluginMetadata, withoutPluginName } from '../../../src/compose/cli/docker-plugin.js';
import { folderWith } from '../model/project-folder.js';

const asPlugin = { DOCKER_CLI_PLUGIN_ORIGINAL_CLI_COMMAND: '/usr/bin/docker' };

it('answers the question of the Docker CLI, and no command', () => {
  expect(JSON.parse(pluginMetadata(['docker-cli-plugin-metadata'], '1.2.3') ?? '')).toMatchObject({
    SchemaVersion: '0.1.0',
    Vendor: 'Plumbline',
    Version: '1.2.3',
  });
  expect(pluginMetadata(['exec', 'web', 'docker-cli-plugin-metadata'], '1.2.3')).toBeUndefined();
});

it.each([
  ['compose up -d', 'up -d'],
  ['-c remote compose ps', '-c remote ps'],
  ['--context compose compose exec web compose', '--context compose exec web compose'],
  ['-D --log-level=debug compose ls', '-D --log-level=debug ls'],
  ['help compose up', 'help up'],
])('docker %s is %s', (words, expected) => {
  expect(withoutPluginName(words.split(' '), asPlugin)).toEqual(expected.split(' '));
});

it('takes the words as they are where no Docker CLI runs it', () => {
  expect(withoutPluginName(['run', 'compose', 'compose'], {})).toEqual(['run', 'compose', 'compose']);
});

it('is interrupted when the Docker CLI closes its connection', async () => {
  const address = join(await folderWith({}), 'docker_cli');
  const cli = createServer().listen(address);
  onTestFinished(() => void cli.close());
  const connected = once(cli, 'connection') as Promise<[Socket]>; // what `connection` passes
  endWithDockerCli({ DOCKER_CLI_PLUGIN_SOCKET: address });
  const [connection] = await connected;
  const interrupted = once(process, 'SIGINT');
  connection.destroy();
  await interrupted;
});

it.each([undefined, '', '@nobody'])('runs without the Docker CLI at %s', async (address) => {
  let interrupts = 0;
  const count = (): void => void (interrupts += 1);
  process.on('SIGINT', count);
  onTestFinished(() => void process.off('SIGINT', count));
  endWithDockerCli({ DOCKER_CLI_PLUGIN_SOCKET: address });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(interrupts).toBe(0);
});
