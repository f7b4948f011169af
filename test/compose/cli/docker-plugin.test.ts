import { expect, it } from 'vitest';
import { pluginMetadata, withoutPluginName } from '../../../src/compose/cli/docker-plugin.js';

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
