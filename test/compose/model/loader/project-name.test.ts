import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ComposeFailure } from '../../../../src/compose/model/errors.js';
import { normalizedName, projectName } from '../../../../src/compose/model/loader/project-name.js';
import { load } from '../project-folder.js';

const NONE = { flag: undefined, environment: undefined, file: undefined, directory: 'dir' };
const VALID = /^[a-z0-9][a-z0-9_-]*$/;

describe('the project name', () => {
  it('comes from the flag, then the environment, then the file, then the directory', () => {
    const all = { flag: 'flag', environment: 'env', file: 'file', directory: 'dir' };
    expect(projectName(all)).toBe('flag');
    expect(projectName({ ...all, flag: '' })).toBe('env');
    expect(projectName({ ...all, flag: undefined, environment: '' })).toBe('file');
    expect(projectName(NONE)).toBe('dir');
  });

  it.each(['Upper', '-lead', '_lead', 'a b', 'a.b', 'ä'])('%j is refused when given explicitly', (name) => {
    expect(() => projectName({ ...NONE, flag: name })).toThrow(ComposeFailure);
    expect(() => projectName({ ...NONE, environment: name })).toThrow(/is not valid/);
  });

  it.each([
    ['My App', 'myapp'],
    ['.hidden', 'hidden'],
    ['__a-B_c', 'a-b_c'],
    ['1st', '1st'],
    ['éa', 'a'],
  ])('for the directory %j is %s', (directory, name) => {
    expect(projectName({ ...NONE, directory })).toBe(name);
  });

  it.each(['', '/', '---', 'ÄÖ'])('is missing if no character of directory %j is usable', (directory) => {
    expect(() => projectName({ ...NONE, directory })).toThrow(
      expect.objectContaining({ error: 'ComposeError', case: 'invalidProjectName' }),
    );
  });

  it('is valid for any directory with a usable character, and normalizing it twice changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (directory) => {
        const name = normalizedName(directory);
        // Independently: keep what is usable, one character after another.
        const usable = Array.from(directory.toLowerCase()).filter((char) =>
          'abcdefghijklmnopqrstuvwxyz0123456789_-'.includes(char),
        );
        const start = usable.findIndex((char) => char !== '_' && char !== '-');
        expect(name).toBe(start === -1 ? '' : usable.slice(start).join(''));
        expect(name === '' || VALID.test(name)).toBe(true);
        expect(normalizedName(name)).toBe(name);
      }),
    );
  });

  it('accepts exactly the valid names as explicit ones', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'Z', '0', '-', '_', '.', ' '), minLength: 1 }), (name) => {
        const attempt = (): string => projectName({ ...NONE, flag: name });
        if (VALID.test(name)) expect(attempt()).toBe(name);
        else expect(attempt).toThrow(ComposeFailure);
      }),
    );
  });

  it('is available as COMPOSE_PROJECT_NAME, and is part of resource names', async () => {
    const { project } = await load(
      'name: shop\nservices: {web: {image: "x:$COMPOSE_PROJECT_NAME", volumes: ["d:/d"]}}\nvolumes: {d: }',
    );
    expect(project.services['web']?.image).toBe('x:shop');
    expect([project.networks['default']?.name, project.volumes['d']?.name]).toEqual(['shop_default', 'shop_d']);
  });

  it('comes from the last file that has one', async () => {
    const files = { 'a.yaml': 'name: one\nservices: {w: {image: i}}', 'b.yaml': 'name: two' };
    expect((await load(files, { files: ['a.yaml', 'b.yaml'] })).project.name).toBe('two');
  });
});
