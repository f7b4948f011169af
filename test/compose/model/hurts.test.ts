import { describe, expect, it } from 'vitest';
import { load, loadFailure, loadWeb, webFile } from './project-folder.js';

/** What users of compose tools report most, as far as the model decides it. */
describe('what hurts', () => {
  it('a default nested in a default is not expanded', async () => {
    const web = await loadWeb('hostname: "${HOST:-${FALLBACK:-localhost}}"', { environment: { FALLBACK: 'fallback' } });
    expect(web.hostname).toBe('fallback');
  });

  it('the alternative operator :+ is taken for text', async () => {
    expect((await loadWeb('hostname: "a${SUFFIX:+-$SUFFIX}"', { environment: { SUFFIX: 'b' } })).hostname).toBe('a-b');
  });

  it('variables in name: are ignored', async () => {
    expect((await load('name: shop-${STAGE:-dev}\nservices: {w: {image: i}}')).project.name).toBe('shop-dev');
  });

  it('an unset variable stays in the value as it is written', async () => {
    const { project, warnings } = await load(webFile('hostname: "a$NOT_SET"'));
    expect([project.services['web']?.hostname, warnings[0]?.code]).toEqual(['a', 'unsetVariable']);
  });

  it('quotes and comments of the .env file end up in the value', async () => {
    const { project } = await load({ 'compose.yaml': webFile('hostname: $H'), '.env': `H="quoted" # comment\n` });
    expect(project.services['web']?.hostname).toBe('quoted');
  });

  it('the shell loses against the .env file', async () => {
    const { project } = await load(
      { 'compose.yaml': webFile('hostname: $H'), '.env': 'H=file' },
      { environment: { H: 'shell' } },
    );
    expect(project.services['web']?.hostname).toBe('shell');
  });

  it('the first env_file wins instead of the last', async () => {
    const { project } = await load({ 'compose.yaml': webFile('env_file: [a, b]'), a: 'X=a', b: 'X=b' });
    expect(project.services['web']?.environment).toEqual({ X: 'b' });
  });

  it('the long form of include crashes', async () => {
    const { project } = await load({
      'compose.yaml': 'include: [{path: other/c.yaml}]',
      'other/c.yaml': webFile('tty: true'),
    });
    expect(Object.keys(project.services)).toEqual(['web']);
  });

  it('an included service cannot be overridden by an override file', async () => {
    const { project } = await load({
      'compose.yaml': 'include: [c.yaml]',
      'compose.override.yaml': 'services: {web: {ports: ["8080:80"]}}',
      'c.yaml': webFile('ports: ["80:80"]'),
    });
    expect(project.services['web']?.ports?.map(({ published }) => published)).toEqual(['80', '8080']);
  });

  it('extends replaces lists instead of appending, and skips other files', async () => {
    const { project } = await load({
      'compose.yaml': 'services: {web: {extends: {file: base.yaml, service: web}, cap_add: [B]}}',
      'base.yaml': webFile('cap_add: [A]'),
    });
    expect(project.services['web']?.cap_add).toEqual(['A', 'B']);
  });

  it('an override adds a second mount at the same place', async () => {
    const files = {
      'a.yaml': webFile('volumes: ["/old:/data"]'),
      'b.yaml': 'services: {web: {volumes: ["/new:/data"]}}',
    };
    const { project } = await load(files, { files: ['a.yaml', 'b.yaml'] });
    expect(project.services['web']?.volumes?.map(({ source }) => source)).toEqual(['/new']);
  });

  it('!reset becomes the text "null"', async () => {
    const files = { 'a.yaml': webFile('hostname: h'), 'b.yaml': 'services: {web: {hostname: !reset null}}' };
    const { project } = await load(files, { files: ['a.yaml', 'b.yaml'] });
    expect(project.services['web']).not.toHaveProperty('hostname');
  });

  it('merge keys are dropped silently', async () => {
    const { project } = await load('x-b: &b {restart: always}\nservices: {web: {<<: *b, image: i}}');
    expect(project.services['web']?.restart).toBe('always');
  });

  it('mode: 0440 is read as the decimal number 440', async () => {
    const { project } = await load(
      'services: {w: {image: i, secrets: [{source: s, mode: 0440}]}}\nsecrets: {s: {file: f}}',
    );
    expect(project.services['w']?.secrets?.[0]?.mode).toBe(0o440);
  });

  it('no and 22:22 change their meaning', async () => {
    const web = await loadWeb('restart: no\nports: [22:22]');
    expect([web.restart, web.ports?.[0]?.target]).toEqual(['no', 22]);
  });

  it('a misspelled key is ignored', async () => {
    expect(await loadFailure(webFile('enviroment: {A: 1}'))).toMatchObject({
      case: 'unknownKey',
      location: { line: 4, column: 5 },
    });
  });

  it('a dependency on an unknown service hangs', async () => {
    expect(await loadFailure(webFile('depends_on: [databse]'))).toMatchObject({
      case: 'undefinedReference',
      fields: { name: 'databse' },
    });
  });

  it('text after a semicolon or a pipe is cut from a command', async () => {
    expect((await loadWeb('command: echo a | cat; echo b')).command).toEqual(['echo', 'a', '|', 'cat;', 'echo', 'b']);
  });

  it('a project with hyphens in its name gets its resources mixed up', async () => {
    const { project } = await load(webFile('volumes: ["data:/d"]') + 'volumes: {data: }\n', { projectName: 'a-b_c' });
    expect(project.volumes['data']?.name).toBe('a-b_c_data');
  });
});
