/** A server hides its paths and secrets from callers. The same failure on the user's own terminal shows them. */
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../src/compose/runtime/clock.js';
import { nativeBackend } from '../../../src/compose/runtime/native/native.js';
import { durableStopMarks } from '../../../src/compose/runtime/state.js';
import { consoleOn, type Console } from '../cli/command-line.js';
import { folderWith } from '../model/project-folder.js';
import { allLines, runService, type RunningService } from './running-service.js';

const SECRET = 'the-registry-password';

/** What podman prints before and with a failure: progress, tries, and an error over several lines. */
const REASON = `1 error occurred while pulling:
    * initializing source: toomanyrequests: "/etc/containers/auth.json" of ${SECRET}`;
const PULL = `echo "Trying to pull web with /run/user/0/auth.json..."
echo 'time="now" level=warning msg="Failed, retrying in 1s ... (1/3). Error: not yet"' >&2
echo 'Error: ${REASON}' >&2
exit 125`;

interface Both {
  readonly service: RunningService;
  readonly terminal: Console;
}

/** A server and a command line on a podman that has no images and whose other commands fail as given. */
async function both(commands: Readonly<Record<string, string>>): Promise<Both> {
  const folder = await folderWith({ 'compose.yaml': 'services: { web: { image: web } }' });
  const executable = path.join(folder, 'podman');
  const cases = Object.entries({
    ...commands,
    'image inspect': "echo 'Error: web: image not known' >&2; exit 125",
  }).map(([name, body]) => `'${name}'*) ${body};;`);
  await writeFile(executable, `#!/bin/sh\ncase "$*" in\n${cases.join('\n')}\n*) echo '[]';;\nesac\n`);
  await chmod(executable, 0o755);
  vi.stubEnv('REGISTRY_PASSWORD', SECRET);
  const backend = nativeBackend({
    executable,
    marks: durableStopMarks(path.join(folder, 'stops')),
    clock: systemClock,
    environment: process.env,
  });
  const service = await runService({ wrap: () => backend });
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await service.stop();
  });
  return { service, terminal: consoleOn(backend, { folder, clock: systemClock }) };
}

test('why a pull failed is in the reply of up without paths, and on the terminal with them', async () => {
  const { service, terminal } = await both({ pull: PULL });
  await service.expect(201, 'POST', '/projects/folder', 'services: { web: { image: web } }');
  const problem = await service.expect(404, 'POST', '/projects/folder/up');
  expect(problem).toMatchObject({
    case: 'imageNotFound',
    message: expect.stringMatching(
      /cannot be pulled\. 1 error occurred while pulling: \* initializing source: toomanyrequests: "<path>" of \*\*\*$/,
    ) as string,
  });
  expect(JSON.stringify(problem)).not.toMatch(/auth\.json|the-registry/);

  const { code, stderr } = await terminal.run('up', '-d');
  expect(code).toBe(1);
  expect(stderr).toContain(`toomanyrequests: "/etc/containers/auth.json" of ${SECRET}`);
});

test.each([
  ['/projects/folder/pull', {}],
  ['/images/pull', { reference: 'web' }],
])('no line of %s has a path', async (url, body) => {
  const { service, terminal } = await both({ pull: PULL });
  await service.expect(201, 'POST', '/projects/folder', 'services: { web: { image: web } }');
  const lines = JSON.stringify(await allLines(await service.call('POST', url, body)));
  expect(lines).toContain('Trying to pull web with <path>');
  expect(lines).toContain('toomanyrequests: \\"<path>\\" of ***');
  expect(lines).not.toMatch(/auth\.json|the-registry/);
  expect((await terminal.run('--progress', 'plain', 'pull')).stderr).toContain('/etc/containers/auth.json');
});

test('a failure of the engine has no path in a reply', async () => {
  const { service, terminal } = await both({ ps: "echo 'Error: no space in /var/lib/containers' >&2; exit 125" });
  expect(await service.expect(502, 'GET', '/containers')).toMatchObject({ message: 'no space in <path>' });
  expect((await terminal.run('ps')).stderr).toContain('no space in /var/lib/containers');
});
