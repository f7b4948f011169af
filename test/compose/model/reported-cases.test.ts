import { describe, expect, it } from 'vitest';
import { load, loadFailure, loadWeb, webFile } from './project-folder.js';

/** Cases that users of compose tools report most often, decided by loading. */
describe('loading a compose file', () => {
  it('expands a default nested in a default', async () => {
    const web = await loadWeb('hostname: "${HOST:-${FALLBACK:-localhost}}"', { environment: { FALLBACK: 'fallback' } });
    expect(web.hostname).toBe('fallback');
  });

  it('applies the alternative operator :+', async () => {
    expect((await loadWeb('hostname: "a${SUFFIX:+-$SUFFIX}"', { environment: { SUFFIX: 'b' } })).hostname).toBe('a-b');
  });

  it('replaces variables in name:', async () => {
    expect((await load('name: shop-${STAGE:-dev}\nservices: {w: {image: i}}')).project.name).toBe('shop-dev');
  });

  it('replaces an unset variable by an empty string', async () => {
    const { project, warnings } = await load(webFile('hostname: "a$NOT_SET"'));
    expect([project.services['web']?.hostname, warnings[0]?.code]).toEqual(['a', 'unsetVariable']);
  });

  it('treats an empty image, platform, network mode or Dockerfile as not set', async () => {
    const body = ['image: $I', 'platform: $P', 'network_mode: $N', 'build: {dockerfile: $D}', 'x-a: ""'].join('\n    ');
    const { project, folder } = await load(`services:\n  web:\n    ${body}\n`);
    expect(project.services['web']).toEqual({
      build: { context: folder, dockerfile: 'Dockerfile' },
      'x-a': '',
      networks: { default: null },
    });
  });

  it('refuses a service whose image is empty and that has no build', async () => {
    const failure = await loadFailure('services: {web: {image: $NOT_SET}}');
    expect([failure.error, failure.case]).toEqual(['ComposeError', 'imageNotFound']);
  });

  it('names a folder the same with and without a slash at its end', async () => {
    const { project, folder } = await load(
      'services: {web: {build: ./app/, volumes: ["./data/:/data", "~/:/home", "/:/host"]}}',
      { environment: { HOME: '/home/someone' } },
    );
    const { build, volumes } = project.services['web'] ?? {};
    expect([build?.context, ...(volumes ?? []).map(({ source }) => source)]).toEqual([
      `${folder}/app`,
      `${folder}/data`,
      '/home/someone',
      '/',
    ]);
  });

  it('removes quotes and comments of the .env file', async () => {
    const { project } = await load({ 'compose.yaml': webFile('hostname: $H'), '.env': `H="quoted" # comment\n` });
    expect(project.services['web']?.hostname).toBe('quoted');
  });

  it('prefers the shell environment to the .env file', async () => {
    const { project } = await load(
      { 'compose.yaml': webFile('hostname: $H'), '.env': 'H=file' },
      { environment: { H: 'shell' } },
    );
    expect(project.services['web']?.hostname).toBe('shell');
  });

  it('gives the last env_file precedence', async () => {
    const { project } = await load({ 'compose.yaml': webFile('env_file: [a, b]'), a: 'X=a', b: 'X=b' });
    expect(project.services['web']?.environment).toEqual({ X: 'b' });
  });

  it('accepts the long form of include', async () => {
    const { project } = await load({
      'compose.yaml': 'include: [{path: other/c.yaml}]',
      'other/c.yaml': webFile('tty: true'),
    });
    expect(Object.keys(project.services)).toEqual(['web']);
  });

  it('lets an override file override an included service', async () => {
    const { project } = await load({
      'compose.yaml': 'include: [c.yaml]',
      'compose.override.yaml': 'services: {web: {ports: ["8080:80"]}}',
      'c.yaml': webFile('ports: ["80:80"]'),
    });
    expect(project.services['web']?.ports?.map(({ published }) => published)).toEqual(['80', '8080']);
  });

  it('appends lists of an extended service, also from other files', async () => {
    const { project } = await load({
      'compose.yaml': 'services: {web: {extends: {file: base.yaml, service: web}, cap_add: [B]}}',
      'base.yaml': webFile('cap_add: [A]'),
    });
    expect(project.services['web']?.cap_add).toEqual(['A', 'B']);
  });

  it('replaces a mount with the same target in an override', async () => {
    const files = {
      'a.yaml': webFile('volumes: ["/old:/data"]'),
      'b.yaml': 'services: {web: {volumes: ["/new:/data"]}}',
    };
    const { project } = await load(files, { files: ['a.yaml', 'b.yaml'] });
    expect(project.services['web']?.volumes?.map(({ source }) => source)).toEqual(['/new']);
  });

  it('removes a key marked with !reset', async () => {
    const files = { 'a.yaml': webFile('hostname: h'), 'b.yaml': 'services: {web: {hostname: !reset null}}' };
    const { project } = await load(files, { files: ['a.yaml', 'b.yaml'] });
    expect(project.services['web']).not.toHaveProperty('hostname');
  });

  it('applies merge keys', async () => {
    const { project } = await load('x-b: &b {restart: always}\nservices: {web: {<<: *b, image: i}}');
    expect(project.services['web']?.restart).toBe('always');
  });

  it('reads mode: 0440 as octal', async () => {
    const { project } = await load(
      'services: {w: {image: i, secrets: [{source: s, mode: 0440}]}}\nsecrets: {s: {file: f}}',
    );
    expect(project.services['w']?.secrets?.[0]?.mode).toBe(0o440);
  });

  it('keeps no and 22:22 as strings', async () => {
    const web = await loadWeb('restart: no\nports: [22:22]');
    expect([web.restart, web.ports?.[0]?.target]).toEqual(['no', 22]);
  });

  it('rejects a misspelled key', async () => {
    expect(await loadFailure(webFile('enviroment: {A: 1}'))).toMatchObject({
      case: 'unknownKey',
      location: { line: 4, column: 5 },
    });
  });

  it('rejects a dependency on an unknown service', async () => {
    expect(await loadFailure(webFile('depends_on: [databse]'))).toMatchObject({
      case: 'undefinedReference',
      fields: { name: 'databse' },
    });
  });

  it('keeps text after a semicolon or a pipe in a command', async () => {
    expect((await loadWeb('command: echo a | cat; echo b')).command).toEqual(['echo', 'a', '|', 'cat;', 'echo', 'b']);
  });

  it('distinguishes the resources of projects with hyphens in their names', async () => {
    const { project } = await load(webFile('volumes: ["data:/d"]') + 'volumes: {data: }\n', { projectName: 'a-b_c' });
    expect(project.volumes['data']?.name).toBe('a-b_c_data');
  });
});
