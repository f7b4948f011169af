/** Images of a registry that wants credentials: push, pull and digests. */
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { objectOf, objectsOf, textOf } from '../../../src/compose/runtime/json.js';
import type { TestEngine } from '../../support/engines.js';
import { registryIsMissing, startRegistry, type TestRegistry } from '../../support/registry.js';
import { folderWith } from '../model/project-folder.js';
import { skipped } from './builds.js';
import { engineProject, type EngineProject } from './engine-project.js';

const ACCOUNT = { user: 'me', password: 'correct: horse' };

export function registries(engine: TestEngine): void {
  const title = `a registry with accounts${registryIsMissing ? ` (skipped: ${registryIsMissing})` : ''}`;
  describe.skipIf(registryIsMissing !== undefined)(title, () => {
    let registry: TestRegistry;
    beforeAll(async () => {
      registry = await startRegistry(ACCOUNT);
    });
    afterAll(() => registry.stop());

    /** What `docker login` writes. */
    const login = async ({ folder }: EngineProject, password: string): Promise<void> => {
      const auth = Buffer.from(`${ACCOUNT.user}:${password}`).toString('base64');
      await writeFile(
        path.join(folder, '.docker/config.json'),
        JSON.stringify({ auths: { [registry.name]: { auth } } }),
      );
    };
    const projectWith = (image: string, on = engine, line = ''): Promise<EngineProject> => {
      const dockerfile = `FROM ${engine.image}\nENV PUSHED=${image}\n${line}\n`;
      const build = { dockerfile_inline: dockerfile, network: 'none' };
      return engineProject(on, { services: { app: { image, build } } }, { '.docker/config.json': '{}' });
    };
    const run = async ({ spawn }: EngineProject, ...args: string[]): Promise<{ code: unknown; text: string }> => {
      const process = await spawn(...args);
      const code = await process.ended;
      return { code, text: process.printed() };
    };

    it('takes and gives an image to its users only', async () => {
      const image = `${registry.name}/team/app:1`;
      const project = await projectWith(image);
      expect(await run(project, 'build')).toMatchObject({ code: 0 });

      expect(await run(project, 'push')).toMatchObject({ code: 1 });
      await login(project, 'wrong');
      expect(await run(project, 'push')).toMatchObject({ code: 1 });
      await expect(tagsOf(registry, 'team/app')).resolves.toEqual([]);

      await login(project, ACCOUNT.password);
      expect(await run(project, 'push')).toMatchObject({ code: 0 });
      await expect(tagsOf(registry, 'team/app')).resolves.toEqual(['1']);

      await project.backend.images.remove(image, { force: true });
      await login(project, 'wrong');
      expect(await run(project, 'pull')).toMatchObject({ code: 1 });
      await expect(project.backend.images.inspect(image)).rejects.toMatchObject({ failure: { case: 'imageNotFound' } });

      await login(project, ACCOUNT.password);
      expect(await run(project, 'pull')).toMatchObject({ code: 0 });
      expect(await run(project, 'run', '--rm', '-T', 'app', 'sh', '-c', 'echo "has $PUSHED"')).toMatchObject({
        code: 0,
        text: expect.stringContaining(`has ${image}`) as string,
      });
    });

    it('tells the digest of what was pushed, which an engine takes', async () => {
      const image = `${registry.name}/team/pinned:1`;
      const project = await projectWith(image);
      await login(project, ACCOUNT.password);
      expect(await run(project, 'build')).toMatchObject({ code: 0 });
      expect(await run(project, 'push')).toMatchObject({ code: 0 });
      const { digest } = await registry.manifest('team/pinned', '1');
      const { text } = await run(project, 'config', '--lock-image-digests');
      expect(text).toBe(`services:\n  app:\n    image: ${image}@${digest}\n`);

      await project.backend.images.remove(image, { force: true });
      await writeFile(path.join(project.folder, 'lock.yaml'), text);
      expect(await run(project, '-f', 'compose.yaml', '-f', 'lock.yaml', 'pull')).toMatchObject({ code: 0 });
      await project.backend.images.remove(`${registry.name}/team/pinned@${digest}`, { force: true });

      await login(project, 'wrong');
      const refused = await run(project, 'config', '--lock-image-digests');
      expect(refused).toEqual({
        code: 1,
        text: `${registry.name} refuses the credentials of this user. Run 'docker login ${registry.name}'.\n`,
      });
    });

    const noBuildKit = engine.builder === 'buildx' ? undefined : 'nothing builds with BuildKit here';
    it.skipIf(noBuildKit)(`takes an image that BuildKit has built${skipped(noBuildKit)}`, async () => {
      const image = `${registry.name}/team/buildkit:1`;
      const project = await projectWith(image, engine, 'RUN --mount=type=tmpfs,target=/t test -d /t');
      await login(project, 'wrong');
      expect(await run(project, 'build', '--push')).toMatchObject({ code: 1 });
      await expect(tagsOf(registry, 'team/buildkit')).resolves.toEqual([]);

      await login(project, ACCOUNT.password);
      expect(await run(project, 'build')).toMatchObject({ code: 0 });
      expect(await run(project, 'push')).toMatchObject({ code: 0 });
      const { digest } = await registry.manifest('team/buildkit', '1');
      await project.backend.images.remove(image, { force: true });
      expect(await run(project, 'pull')).toMatchObject({ code: 0 });
      expect(await run(project, 'build', '--push')).toMatchObject({ code: 0 });
      expect(digest).toMatch(/^sha256:/);
      await project.backend.images.remove(image, { force: true });
    });

    it('is used with a credential helper, also by publish', async () => {
      const image = `${registry.name}/team/helped:1`;
      const helpers = await folderWith({
        'docker-credential-test': `#!/bin/sh
read -r server
test "$1 $server" = "get ${registry.name}" || exit 1
echo '{"Username":"${ACCOUNT.user}","Secret":"${ACCOUNT.password}"}'
`,
      });
      await chmod(path.join(helpers, 'docker-credential-test'), 0o755);
      const environment = { ...engine.environment, PATH: `${helpers}:${engine.environment['PATH'] ?? ''}` };
      const project = await projectWith(image, { ...engine, environment });
      await writeFile(path.join(project.folder, '.docker/config.json'), JSON.stringify({ credsStore: 'test' }));
      expect(await run(project, 'build')).toMatchObject({ code: 0 });
      expect(await run(project, 'push')).toMatchObject({ code: 0 });
      await project.backend.images.remove(image, { force: true });
      expect(await run(project, 'pull')).toMatchObject({ code: 0 });
      expect(await run(project, 'publish', `${registry.name}/team/files:1`)).toMatchObject({ code: 0 });
      const { manifest } = await registry.manifest('team/files', '1');
      expect(objectsOf(objectOf(manifest)['layers']).map(({ mediaType }) => mediaType)).toEqual([
        'application/vnd.docker.compose.file+yaml',
      ]);
      await project.backend.images.remove(image, { force: true });
    });
  });
}

async function tagsOf(registry: TestRegistry, repository: string): Promise<string[]> {
  const auth = Buffer.from(`${ACCOUNT.user}:${ACCOUNT.password}`).toString('base64');
  const reply = await fetch(`http://${registry.name}/v2/${repository}/tags/list`, {
    headers: { authorization: `Basic ${auth}` },
  });
  const { tags } = objectOf(await reply.json());
  return Array.isArray(tags) ? tags.map(textOf) : [];
}
