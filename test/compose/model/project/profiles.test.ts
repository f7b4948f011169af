import { describe, expect, it } from 'vitest';
import { ComposeFailure } from '../../../../src/compose/model/errors.js';
import { selectServices } from '../../../../src/compose/model/project/profiles.js';
import { load, loadFailure } from '../project-folder.js';

const FILE = `services:
  always: {image: a}
  debug: {image: d, profiles: [debug], depends_on: [always]}
  test: {image: t, profiles: [test]}
  needs-test: {image: n, profiles: [other], depends_on: [test]}
  maybe: {image: m, depends_on: {test: {condition: service_started, required: false}}}
`;
const enabled = async (options: object): Promise<string[]> =>
  Object.keys((await load(FILE, options)).project.services).sort();

describe('profiles', () => {
  it('enable their services in addition to those without a profile', async () => {
    expect(await enabled({})).toEqual(['always', 'maybe']);
    expect(await enabled({ profiles: ['debug'] })).toEqual(['always', 'debug', 'maybe']);
    expect(await enabled({ environment: { COMPOSE_PROFILES: 'debug, test' } })).toEqual([
      'always',
      'debug',
      'maybe',
      'test',
    ]);
    expect(await enabled({ profiles: ['*'] })).toHaveLength(5);
  });

  it('of the command line replace those of COMPOSE_PROFILES', async () => {
    expect(await enabled({ profiles: ['test'], environment: { COMPOSE_PROFILES: 'debug' } })).toEqual([
      'always',
      'maybe',
      'test',
    ]);
  });

  it('fail when a required dependency stays disabled', async () => {
    const failure = await loadFailure(FILE, { profiles: ['other'] });
    expect(failure).toMatchObject({ case: 'disabledReference', fields: { service: 'test' }, location: { line: 5 } });
  });

  it('are enabled by naming a service', async () => {
    const { project } = await load(FILE);
    const selected = selectServices(project, ['debug']);
    expect(Object.keys(selected.services).sort()).toEqual(['always', 'debug']);
    expect(selected.profiles).toEqual(['debug']);
  });

  it('of its dependencies are not enabled by naming a service', async () => {
    const { project } = await load(FILE);
    expect(() => selectServices(project, ['needs-test'])).toThrow(
      expect.objectContaining({ case: 'disabledReference' }),
    );
  });

  it('keep only the named service when dependencies are ignored', async () => {
    const { project } = await load(FILE, { profiles: ['debug'] });
    const selected = selectServices(project, ['debug'], 'ignore');
    expect(Object.keys(selected.services)).toEqual(['debug']);
    expect(selected.services['debug']).not.toHaveProperty('depends_on');
  });

  it('fail when a named service does not exist', async () => {
    const { project } = await load(FILE);
    expect(() => selectServices(project, ['nope'])).toThrow(ComposeFailure);
    expect(() => selectServices(project, ['constructor'])).toThrow(/No service/);
  });
});
