import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { serviceHash } from '../../../../src/compose/model/project/hash.js';
import { listImages, listProfiles, listServices, listVolumes } from '../../../../src/compose/model/project/listings.js';
import { loadProject } from '../../../../src/compose/model/loader/load.js';
import { renderConfig } from '../../../../src/compose/model/project/render.js';
import { load } from '../project-folder.js';

const FILE = `
services:
  web: {image: w, profiles: [front], volumes: ["data:/d"], environment: {PRICE: "5$$", N: 0440, WORD: "yes", NUM: "1_0"}}
  api: {build: ., depends_on: [db]}
  db: {image: "db:1", mem_limit: 1.5g, healthcheck: {interval: 90s}}
volumes: {data: , unused: }
`;

describe('a printed project', () => {
  it.each(['yaml', 'json'] as const)('loads as the same project again, as %s', async (format) => {
    const first = await load(FILE, { profiles: ['front'] });
    const text = renderConfig(first.project, format, { allResources: true });
    const second = await load(text, { profiles: ['front'] });
    expect(renderConfig(second.project, format, { allResources: true })).toBe(text);
    const variables = (project: typeof first.project): unknown => project.services['web']?.environment;
    expect(variables(second.project)).toEqual(variables(first.project));
    expect(variables(second.project)).toEqual({ PRICE: '5$', N: '288', WORD: 'yes', NUM: '1_0' });
  });

  it('shows quantities in full and omits resources that no enabled service uses', async () => {
    const { project } = await load(FILE);
    const text = renderConfig(project, 'yaml');
    expect(text).toContain('mem_limit: "1610612736"');
    expect(text).toContain('interval: 1m30s');
    expect(text).not.toMatch(/data|unused|web/);
  });

  it('shows that the directory of a bind mount is created, as docker compose does', async () => {
    const mounts = `"./short:/a", {type: bind, source: ./l, target: /b}, {type: bind, source: ./n, target: /c, bind: {create_host_path: false}}`;
    const { project } = await load(`services: {web: {image: w, volumes: [${mounts}]}}`);
    const printed = JSON.parse(renderConfig(project, 'json')) as { services: { web: { volumes: object[] } } };
    expect(printed.services.web.volumes).toMatchObject([
      { target: '/a', bind: { create_host_path: true } },
      { target: '/b' },
      { target: '/c', bind: { create_host_path: false } },
    ]);
    expect(printed.services.web.volumes[1]).not.toHaveProperty('bind');
  });

  it('gives models no names, as docker compose', async () => {
    const { project } = await load('services: {web: {image: w, models: [small]}}\nmodels: {small: {model: a/b}}');
    expect(renderConfig(project, 'yaml')).toMatch(/^models:\n {2}small:\n {4}model: a\/b\n$/m);
  });

  it('can be listed', async () => {
    const { project } = await load(FILE, { profiles: ['front'], projectName: 'p' });
    expect(listServices(project)).toEqual(['api', 'db', 'web']);
    expect(listVolumes(project)).toEqual(['data']);
    expect(listProfiles((await load(FILE)).project)).toEqual(['front']);
    expect(listImages(project)).toEqual(['p-api', 'db:1', 'w']);
  });
});

describe('the configuration hash', () => {
  const hash = async (body: string): Promise<string> => {
    const { project } = await load(`services: {web: {image: i, ${body}}, db: {image: d}}`);
    return serviceHash(project.services['web'] ?? {});
  };

  it('is the same for every syntax of the same service', async () => {
    const one = await hash('environment: {A: 1, B: 2}, ports: ["80:80"], tmpfs: /x');
    expect(await hash('tmpfs: [/x], ports: [{target: 80, published: 80}], environment: [B=2, A=1]')).toBe(one);
  });

  it.each(['scale: 3', 'deploy: {replicas: 3}', 'depends_on: [db]', 'pull_policy: always', 'build: .'])(
    'does not change with %s',
    async (body) => {
      const base = await hash(body.startsWith('deploy') ? 'deploy: {}' : 'tty: true');
      expect(await hash(body.startsWith('deploy') ? body : `tty: true, ${body}`)).toBe(base);
    },
  );

  it.each(['environment: {A: 1}', 'command: x', 'labels: [a]', 'mem_limit: 1m', 'restart: always', 'x-mine: 1'])(
    'changes with %s',
    async (body) => {
      expect(await hash(body)).not.toBe(await hash('tty: true'));
    },
  );
});

describe('every fixture', () => {
  const fixtures = path.join(import.meta.dirname, '../fixtures');
  it.each(readdirSync(fixtures).filter((name) => !['default-files', 'extends'].includes(name)))(
    '%s loads',
    async (name) => {
      const { project } = await loadProject({
        files: ['compose.yaml'],
        environment: { SET: 's', EMPTY: '' },
        workingDirectory: path.join(fixtures, name),
      });
      expect(project.name).not.toBe('');
    },
  );
});
