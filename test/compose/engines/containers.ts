/** Commands on the containers of a project, on a real engine. */
import { mkdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { engineProject } from './engine-project.js';
import type { EnginePart } from './on-engine.js';

export const containerCommands: EnginePart = (engine) => {
  it('cp copies directories with their links into a container and back', async () => {
    const { run, folder } = await engineProject(engine, { services: { web: {} } });
    await run('up', '-d');
    await mkdir(path.join(folder, 'site/css'), { recursive: true });
    await writeFile(path.join(folder, 'site/css/a.css'), 'a {}', { mode: 0o640 });
    await symlink('css/a.css', path.join(folder, 'site/relative'));
    await symlink('/etc/passwd', path.join(folder, 'site/absolute'));
    expect(await run('cp', 'site', 'web:/tmp')).toMatchObject({ code: 0 });
    expect(await run('cp', 'site/.', 'web:/tmp/other')).toMatchObject({ code: 0 });
    const listed = await run('exec', '-T', 'web', 'ls', '/tmp/site', '/tmp/other');
    expect(listed.stdout.split('\n').filter((line) => line === 'css')).toHaveLength(2);
    expect(await run('cp', 'web:/tmp/site', 'back')).toMatchObject({ code: 0 });
    expect(await readFile(path.join(folder, 'back/css/a.css'), 'utf8')).toBe('a {}');
    expect((await stat(path.join(folder, 'back/css/a.css'))).mode & 0o777).toBe(0o640);
    expect(await readlink(path.join(folder, 'back/relative'))).toBe('css/a.css');
    expect(await readlink(path.join(folder, 'back/absolute'))).toBe('/etc/passwd');
    expect(await run('cp', 'web:/tmp/site/css/a.css', 'back/css')).toMatchObject({ code: 0 });
    expect(await run('cp', 'web:/tmp/none', 'x')).toMatchObject({ code: 1 });
    expect(await run('cp', 'site/css/a.css', 'web:/none/')).toMatchObject({ code: 2 });
  });

  it('images, volumes, stats, pause, export and commit work on its containers', async () => {
    const { run, name, folder } = await engineProject(engine, {
      services: { web: { volumes: ['data:/data'] } },
      volumes: { data: {} },
    });
    await run('up', '-d');
    const [image] = JSON.parse((await run('images', '--format', 'json')).stdout) as Record<string, unknown>[];
    expect(image).toMatchObject({ ContainerName: `${name}-web`, Platform: 'linux/amd64' });
    expect((await run('volumes', '-q')).stdout).toBe(`${name}_data\n`);
    expect((await run('stats', '--no-stream', '--format', '{{.Name}}')).stdout).toBe(`${name}-web\n`);
    expect(await run('pause')).toMatchObject({ code: 0 });
    expect(await run('unpause')).toMatchObject({ code: 0 });
    expect(await run('export', '-o', 'web.tar', 'web')).toMatchObject({ code: 0 });
    expect((await readFile(path.join(folder, 'web.tar'))).toString('latin1')).toContain('etc/passwd');
    const made = await run('commit', '-c', 'LABEL a=b', 'web', `localhost/${name}-snapshot:1`);
    expect(made).toMatchObject({ code: 0 });
    await engine.backend.images.remove(`localhost/${name}-snapshot:1`, { force: true });
  });
};
