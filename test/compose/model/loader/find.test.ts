import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { localFiles } from '../../../../src/compose/model/loader/files.js';
import { loadProject, type LoadOptions } from '../../../../src/compose/model/loader/load.js';
import { folderWith, load, loadFailure } from '../project-folder.js';

const image = (name: string): string => `services: {web: {image: ${name}}}\n`;

describe('finding compose files', () => {
  it.each([
    [['docker-compose.yaml', 'docker-compose.yml', 'compose.yaml', 'compose.yml'], 'compose.yml'],
    [['docker-compose.yaml', 'docker-compose.yml', 'compose.yaml'], 'compose.yaml'],
    [['docker-compose.yaml', 'docker-compose.yml'], 'docker-compose.yml'],
    [['docker-compose.yaml'], 'docker-compose.yaml'],
  ])('chooses among %j the file %s, and warns if there are several', async (names, winner) => {
    const { project, warnings } = await load(Object.fromEntries(names.map((name) => [name, image(name)])));
    expect(project.services['web']?.image).toBe(winner);
    expect(warnings.some(({ code }) => code === 'ambiguousFiles')).toBe(names.length > 1);
  });

  it('merges the override file in the same directory', async () => {
    const { project, folder } = await load({ 'compose.yml': image('a'), 'docker-compose.override.yml': image('b') });
    expect(project.services['web']?.image).toBe('b');
    expect(project.files).toEqual([`${folder}/compose.yml`, `${folder}/docker-compose.override.yml`]);
  });

  it('searches the parent directories', async () => {
    const folder = await folderWith({ 'compose.yml': image('above') });
    await mkdir(path.join(folder, 'deep', 'er'), { recursive: true });
    const { project } = await loadProject({ environment: {}, workingDirectory: path.join(folder, 'deep', 'er') });
    expect([project.workingDirectory, project.name]).toEqual([folder, 'folder']);
  });

  it('reads the .env of a working directory below the project before that of the project', async () => {
    const folder = await folderWith({
      'compose.yml': image('"$A-$B-$C"'),
      '.env': 'A=project\nB=project\nC=project',
      'below/.env': 'A=below\nB=below',
    });
    const below = path.join(folder, 'below');
    const imageIn = async (options: Partial<LoadOptions>): Promise<string | undefined> =>
      (await loadProject({ environment: { A: 'shell' }, workingDirectory: below, ...options })).project.services['web']
        ?.image;
    expect(await imageIn({})).toBe('shell-below-project');
    // The directory of a file that is named is the project's, and so is one that is given.
    expect(await imageIn({ files: ['../compose.yml'] })).toBe('shell-project-project');
    expect(await imageIn({ projectDirectory: '..' })).toBe('shell-project-project');
    expect(await imageIn({ envFiles: ['../.env'] })).toBe('shell-project-project');
    expect(await imageIn({ environment: { COMPOSE_DISABLE_ENV_FILE: '1' } })).toBe('--');
  });

  it('reads the files of COMPOSE_FILE, from the environment or the .env file, with any separator', async () => {
    const files = { 'a.yml': image('a'), 'b.yml': image('b'), '.env': 'COMPOSE_FILE=a.yml' };
    expect((await load(files)).project.services['web']?.image).toBe('a');
    const environment = { COMPOSE_FILE: 'a.yml,b.yml', COMPOSE_PATH_SEPARATOR: ',' };
    expect((await load(files, { environment })).project.services['web']?.image).toBe('b');
  });

  it('reads standard input for -, and only once', async () => {
    let reads = 0;
    const fileAccess = {
      ...localFiles,
      readStandardInput: () => {
        reads += 1;
        return Promise.resolve(`name: piped\n${image('stdin')}`);
      },
    };
    const { project } = await load({}, { files: ['-'], fileAccess });
    expect([project.name, project.services['web']?.image, reads]).toEqual(['piped', 'stdin', 1]);
  });

  it('fails with the path if the file does not exist', async () => {
    const failure = await loadFailure({}, { files: ['gone.yml'] });
    expect(failure).toMatchObject({ error: 'YamlError', case: 'composeFileNotFound' });
    expect(failure.fields['path']).toMatch(/folder\/gone\.yml$/);
  });

  it('fails with the first default name if no parent directory has a file', async () => {
    const failure = await loadFailure({});
    expect(failure).toMatchObject({ error: 'YamlError', case: 'composeFileNotFound' });
    expect(failure.fields['path']).toMatch(/folder\/compose\.yml$/);
  });

  it('resolves relative paths and the project name from --project-directory', async () => {
    const files = { 'files/compose.yml': 'services: {web: {image: i, volumes: ["./a:/a"]}}', 'else/.env': 'X=1' };
    const { project, folder } = await load(files, { files: ['files/compose.yml'], projectDirectory: 'else' });
    expect(project.name).toBe('else');
    expect(project.services['web']?.volumes?.[0]?.source).toBe(`${folder}/else/a`);
  });

  it('reads the .env file unless COMPOSE_DISABLE_ENV_FILE is set or other files are named', async () => {
    const files = { 'compose.yml': image('"i:$V"'), '.env': 'V=dot', 'other.env': 'V=other' };
    const imageWith = async (options: object): Promise<string | undefined> =>
      (await load(files, options)).project.services['web']?.image;
    expect(await imageWith({})).toBe('i:dot');
    expect(await imageWith({ environment: { V: 'shell' } })).toBe('i:shell');
    expect(await imageWith({ envFiles: ['other.env'] })).toBe('i:other');
    expect(await imageWith({ environment: { COMPOSE_ENV_FILES: '.env,other.env' } })).toBe('i:other');
    expect(await imageWith({ environment: { COMPOSE_DISABLE_ENV_FILE: 'true' } })).toBe('i:');
  });

  it('fails for a directory', async () => {
    const failure = await loadFailure({ 'dir/x': '' }, { files: ['dir'] });
    expect(failure).toMatchObject({ error: 'YamlError', case: 'unreadable' });
  });

  it('fails for empty files', async () => {
    expect(await loadFailure('# nothing\n')).toMatchObject({ case: 'emptyProject' });
  });
});
