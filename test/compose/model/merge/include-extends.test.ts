import { describe, expect, it } from 'vitest';
import { load, loadFailure } from '../project-folder.js';

const service = (body: string): string => `services: {${body}}\n`;

describe('include', () => {
  it('loads a file with its own directory and .env', async () => {
    const { project, folder } = await load({
      'compose.yaml': `include: [sub/compose.yaml]\n${service('web: {image: "w:$TAG"}')}`,
      '.env': 'TAG=top',
      'sub/compose.yaml': service('db: {image: "db:$TAG-$OWN", volumes: ["./data:/data"]}'),
      'sub/.env': 'TAG=sub\nOWN=own',
    });
    expect(project.services['web']?.image).toBe('w:top');
    expect(project.services['db']?.image).toBe('db:top-own');
    expect(project.services['db']?.volumes?.[0]?.source).toBe(`${folder}/sub/data`);
  });

  it('in the long form merges several paths, with project_directory and env_file', async () => {
    const { project, folder } = await load({
      'compose.yaml':
        'include:\n  - path: [a/one.yaml, a/two.yaml]\n    project_directory: elsewhere\n    env_file: [a/v.env]\n',
      'a/one.yaml': service('api: {image: "api:$V", build: ./ctx}'),
      'a/two.yaml': service('api: {ports: ["1:1"]}'),
      'a/v.env': 'V=vars',
    });
    expect(project.services['api']).toMatchObject({
      image: 'api:vars',
      build: { context: `${folder}/elsewhere/ctx` },
      ports: [{ target: 1 }],
    });
  });

  it('builds in the project directory of the included file when no context is set', async () => {
    const { project, folder } = await load({
      'compose.yaml': 'include: [{path: a/one.yaml, project_directory: elsewhere}, b/two.yaml]\n',
      'a/one.yaml': service('one: {build: {dockerfile_inline: FROM scratch}}'),
      'b/two.yaml': service('two: {build: {context: $NOT_SET, target: base}}'),
    });
    expect(project.services['one']?.build?.context).toBe(`${folder}/elsewhere`);
    expect(project.services['two']?.build?.context).toBe(`${folder}/b`);
  });

  it.each([
    ['services.db', 'services: {db: {restart: always}}', 'services: {db: {image: db}}'],
    ['networks.n', 'networks: {n: {internal: true}}', 'networks: {n: {driver: bridge}}'],
    ['volumes.v', 'volumes: {v: {name: x}}', 'volumes: {v: }'],
    ['secrets.s', 'secrets: {s: {file: a}}', 'secrets: {s: {file: b}}'],
    ['configs.c', 'configs: {c: {content: a}}', 'configs: {c: {content: b}}'],
    ['models.m', 'models: {m: {model: a}}', 'models: {m: {model: b}}'],
  ])('fails if both files define %s in different ways', async (place, including, included) => {
    const failure = await loadFailure({
      'compose.yaml': `include: [other.yaml]\n${including}`,
      'other.yaml': included,
    });
    expect(failure).toMatchObject({ case: 'conflict', location: { line: 2 } });
    expect(failure.message).toContain(`${place}: conflicts with imported resource`);
  });

  it('fails if two included files define a service in different ways', async () => {
    const files = { 'compose.yaml': 'include: [a.yaml, b.yaml]\n' };
    const [a, b] = [service('db: {image: a}'), service('db: {image: b}')];
    expect(await loadFailure({ ...files, 'a.yaml': a, 'b.yaml': b })).toMatchObject({ case: 'conflict' });
    expect((await load({ ...files, 'a.yaml': a, 'b.yaml': a })).project.services['db']?.image).toBe('a');
  });

  it('takes a service that the including file defines alike, resets, or overrides in a later file', async () => {
    const files = {
      'other.yaml': service('db: {image: db, security_opt: [x]}'),
      'over.yaml': service('db: {image: o}'),
    };
    const including = (text: string) => ({ ...files, 'compose.yaml': `include: [other.yaml]\n${text}` });
    const alike = await load(including(service('db: {image: db, security_opt: [x]}')));
    expect(alike.project.services['db']).toMatchObject({ image: 'db', security_opt: ['x'] });
    expect(alike.warnings).toEqual([]);
    const reset = await load(including('services:\n  db: !reset null\n  web: {image: web}\n'));
    expect(Object.keys(reset.project.services)).toEqual(['web']);
    const later = await load(including(''), { files: ['compose.yaml', 'over.yaml'] });
    expect(later.project.services['db']).toMatchObject({ image: 'o', security_opt: ['x'] });
  });

  it('of one file by two paths counts once', async () => {
    const { project, warnings } = await load({
      'compose.yaml': 'include: [a.yaml, b.yaml]\n',
      'a.yaml': 'include: [shared.yaml]\n',
      'b.yaml': 'include: [shared.yaml]\n',
      'shared.yaml': service('s: {image: s, security_opt: [x], post_start: [{command: [y]}]}'),
    });
    expect(project.services['s']).toMatchObject({ security_opt: ['x'], post_start: [{ command: ['y'] }] });
    expect(warnings).toEqual([]);
  });

  it('can be extended and overridden', async () => {
    const files = {
      'compose.yaml': `include: [lib.yaml]\n${service('web: {extends: base}')}`,
      'over.yaml': service('base: {image: over}'),
      'lib.yaml': service('base: {image: lib, labels: {l: x}}'),
    };
    const { project } = await load(files, { files: ['compose.yaml', 'over.yaml'] });
    expect([project.services['web']?.image, project.services['base']?.image]).toEqual(['lib', 'over']);
  });

  it('in a cycle fails with the exact message', async () => {
    const failure = await loadFailure({
      'compose.yaml': 'include: [a.yaml]\n',
      'a.yaml': 'include: [b.yaml]\n',
      'b.yaml': 'include: [a.yaml]\n',
    });
    expect(failure).toMatchObject({ error: 'IncludeError', case: 'cyclicInclude', location: { line: 1, column: 11 } });
    expect(failure.message).toBe(
      `Cyclic include detected: '${String(failure.fields['path'])}' is already being loaded.`,
    );
    expect(failure.fields['path']).toMatch(/a\.yaml$/);
  });

  it('fails for a file that includes itself', async () => {
    expect(await loadFailure('include: [compose.yaml]\n')).toMatchObject({ case: 'cyclicInclude' });
  });

  it('of a missing file fails with the exact message', async () => {
    const failure = await loadFailure('include:\n  - gone.yaml\n');
    expect(failure).toMatchObject({ error: 'IncludeError', case: 'fileNotFound', location: { line: 2, column: 5 } });
    expect(failure.message).toBe(`Included compose file not found: '${String(failure.fields['path'])}'`);
  });
});

describe('extends', () => {
  it('merges the extended service, also from another file, with its paths', async () => {
    const { project, folder } = await load({
      'compose.yaml': service(
        'web: {extends: {file: sub/c.yaml, service: app}, environment: {B: 2}, volumes: ["./w:/w"]}',
      ),
      'sub/c.yaml': service(
        'app: {extends: root, environment: {A: 1}, volumes: ["./v:/v"]}, root: {image: root, env_file: r.env}',
      ),
      'sub/r.env': 'R=1',
    });
    expect(project.services['web']).toMatchObject({ image: 'root', environment: { R: '1', A: '1', B: '2' } });
    expect(project.services['web']?.volumes?.map(({ source }) => source)).toEqual([`${folder}/sub/v`, `${folder}/w`]);
    expect(project.services['web']).not.toHaveProperty('extends');
  });

  it('ignores errors in other services of that file', async () => {
    const files = {
      'compose.yaml': service('web: {extends: {file: c.yaml, service: app}}'),
      'c.yaml': service('app: {image: i}, broken: {nonsense: "${X:?}"}'),
    };
    expect((await load(files)).project.services['web']?.image).toBe('i');
  });

  it('applies !reset and !override to the base', async () => {
    const { project } = await load(
      service(
        'base: {image: b, ports: ["1:1"], labels: {a: 1}}, web: {extends: base, ports: !reset null, labels: !override {b: 2}}',
      ),
    );
    expect(project.services['web']).toMatchObject({ labels: { b: '2' } });
    expect(project.services['web']).not.toHaveProperty('ports');
    expect(project.services['base']?.ports).toHaveLength(1);
  });

  it('in a cycle fails with the chain', async () => {
    const failure = await loadFailure(service('a: {extends: b}, b: {extends: c}, c: {extends: a}'));
    expect(failure).toMatchObject({ error: 'ExtendsError', case: 'cyclicExtends', location: { line: 1 } });
    expect(failure.fields['chain']).toHaveLength(4);
  });

  it('in a cycle across files fails', async () => {
    const failure = await loadFailure({
      'compose.yaml': service('a: {extends: {file: o.yaml, service: b}}'),
      'o.yaml': service('b: {extends: {file: compose.yaml, service: a}}'),
    });
    expect(failure).toMatchObject({ error: 'ExtendsError', case: 'cyclicExtends' });
  });

  it('of a missing service or file fails with its name and place', async () => {
    expect(await loadFailure(service('a: {extends: b}'))).toMatchObject({
      case: 'serviceNotFound',
      fields: { service: 'a', extended: 'b' },
    });
    expect(await loadFailure(service('a: {extends: {file: x.yaml, service: b}}'))).toMatchObject({
      error: 'ExtendsError',
      case: 'fileNotFound',
    });
  });
});
