import { lchownSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { distinctName, identityOfPath, identityOfRemote, repositoryId } from '../../../src/sync/identity.js';
import { tableNamed } from '../../../src/sync/records.js';
import { git, initRepository } from '../../support/git-history.js';
import { NOW, onlyId, openDatabase, sqliteUri, storedRows, sync, temporaryDirectory } from '../harness.js';
import { unitsIn } from '../work-units/stored-units.js';

describe('the identity of a remote', () => {
  it.each([
    'https://github.com/Acme/Widgets.git',
    'https://github.com/acme/widgets',
    'https://www.github.com/acme/widgets/',
    'https://user:ghp_secret@github.com/acme/widgets.git',
    'git@github.com:acme/widgets.git',
    'github.com:acme/widgets',
    'ssh://git@github.com/acme/widgets.git',
    'ssh://git@github.com:22/acme/widgets.git',
    'ssh://git@ssh.github.com:443/acme/widgets.git',
    'git://github.com/acme/widgets.git',
    'git+ssh://git@github.com/acme/widgets',
    '  https://github.com//acme/widgets.git\n',
  ])('is the same for %j', (remote) => {
    expect(identityOfRemote(remote)?.identity).toBe('github.com/acme/widgets');
  });

  it.each([
    ['https://gitlab.example.com:8443/group/sub/project.git', 'gitlab.example.com:8443/group/sub/project'],
    ['git@gitlab.example.com:group/sub/project.git', 'gitlab.example.com/group/sub/project'],
    ['https://host.example/a%20b/c', 'host.example/a b/c'],
  ])('of %j is %j', (remote, identity) => {
    expect(identityOfRemote(remote)?.identity).toBe(identity);
  });

  it.each([
    '/srv/git/project.git',
    '../project',
    'file:///srv/git/project.git',
    'C:\\projects\\widgets',
    'https://github.com/',
    '',
  ])('does not exist for %j', (remote) => {
    expect(identityOfRemote(remote)).toBeUndefined();
  });

  it('keeps no credentials', () => {
    expect(JSON.stringify(identityOfRemote('https://user:ghp_secret@github.com/acme/widgets.git'))).not.toContain(
      'secret',
    );
  });
});

describe('the id of a repository', () => {
  it('is a UUID of version 8 that depends on the organization', () => {
    const id = repositoryId('acme', 'github.com/acme/widgets');
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(repositoryId('acme', 'github.com/acme/widgets')).toBe(id);
    expect(repositoryId('other', 'github.com/acme/widgets')).not.toBe(id);
  });

  it('names a repository without a remote after its directory', () => {
    expect(identityOfPath('/srv/work/widgets/.git')).toEqual({ identity: 'file:/srv/work/widgets', name: 'widgets' });
  });
});

describe('a clone', () => {
  const options = { target: 'git', provider: 'local' } as const;

  it('of a clone has the identity of the same remote, by any URL', async () => {
    const directory = temporaryDirectory();
    const [first, second, worktree] = ['first', 'second', 'worktree'].map((name) => join(directory, name)) as [
      string,
      string,
      string,
    ];
    initRepository(first);
    git(first, 'commit', '--quiet', '--allow-empty', '--message', 'root');
    git(first, 'remote', 'add', 'origin', 'https://user:secret@github.com/acme/widgets.git');
    git(first, 'clone', '--quiet', first, second);
    git(first, 'worktree', 'add', '--quiet', worktree);
    const db = sqliteUri();
    const ids = new Set<string>();
    for (const repoPath of [first, second, worktree]) ids.add(onlyId(await sync({ ...options, db, repoPath })));
    expect([...ids]).toEqual([repositoryId('default', 'github.com/acme/widgets')]);
  });

  it('of a directory that is not a repository any more, or of another user, is the directory', async () => {
    const directory = temporaryDirectory();
    const [origin, clone] = [join(directory, 'origin'), join(directory, 'clone')];
    initRepository(origin);
    git(origin, 'commit', '--quiet', '--allow-empty', '--message', 'root');
    git(origin, 'clone', '--quiet', origin, clone);
    const itself = repositoryId('default', identityOfPath(join(clone, '.git')).identity);
    const readId = async (): Promise<string> => onlyId(await sync({ ...options, db: sqliteUri(), repoPath: clone }));
    if (process.getuid?.() === 0) {
      chownRecursively(origin, 65534);
      expect(await readId()).toBe(itself);
      chownRecursively(origin, 0);
    }
    rmSync(join(origin, '.git'), { recursive: true });
    expect(await readId()).toBe(itself);
  });
});

describe('the name of a repository without a remote', () => {
  it.each([
    ['/srv/b/api/.git', undefined, [], 'api'],
    ['/srv/b/api/.git', undefined, ['api'], 'b/api'],
    ['/srv/b/api', undefined, ['api', 'b/api'], 'srv/b/api'],
    ['/srv/b/api.git', undefined, ['api', 'b/api', 'srv/b/api'], '/srv/b/api.git'],
    ['/srv/b/api', 'b/api', [], 'b/api'],
    ['/srv/b/api', 'b/api', ['b/api'], 'api'],
    ['/srv/b/api', 'renamed', [], 'api'],
    ['/api', undefined, ['api'], '/api'],
    ['/', undefined, ['repository'], '/'],
  ])('of %s, stored as %s, beside %j is %s', (path, stored, others, name) => {
    expect(distinctName(identityOfPath(path), stored, new Set(others))).toBe(name);
  });

  it('is that of its remote if there is one', () => {
    const identity = { identity: 'github.com/acme/api', name: 'acme/api' };
    expect(distinctName(identity, undefined, new Set(['acme/api']))).toBe('acme/api');
  });

  function folders() {
    const directory = temporaryDirectory();
    const db = sqliteUri();
    const read = async (folder: string): Promise<string> => {
      const summary = await sync({ target: 'git', provider: 'local', db, repoPath: join(directory, folder) });
      return onlyId(summary);
    };
    const named = async (id: string) => {
      const repositories = (await storedRows(db, id))['repos'] ?? [];
      return {
        stored: repositories.map(({ repo }) => repo),
        units: (await unitsIn(db, id)).map(({ repo }) => repo),
      };
    };
    for (const folder of ['a/api', 'b/api']) {
      initRepository(join(directory, folder));
      git(join(directory, folder), 'commit', '--quiet', '--allow-empty', '--message', folder);
    }
    return { db, read, named };
  }

  const only = (name: string) => ({ stored: [name], units: [name] });

  it('has a folder above it if another one has the name already, and keeps it in later syncs', async () => {
    const { read, named } = folders();
    const [a, b] = [await read('a/api'), await read('b/api')];
    for (const folder of ['b/api', 'a/api', 'b/api']) await read(folder);
    expect(a).not.toBe(b);
    expect(await named(a)).toEqual(only('api'));
    expect(await named(b)).toEqual(only('b/api'));
  });

  it('changes for the one that is read next if an earlier release stored two with one name', async () => {
    const { db, read, named } = folders();
    const [a, b] = [await read('a/api'), await read('b/api')];
    const [row] = (await storedRows(db, b))['repos'] ?? [];
    const sink = await openDatabase(db);
    const key = { repoId: b, target: 'git', source: 'local' } as const;
    const state = await sink.readState(key);
    if (state === undefined || row === undefined) throw new Error('The sync stored nothing');
    const rows = [{ ...row, repo: 'api', last_synced: NOW }];
    await sink.apply({ key, tables: [{ table: tableNamed('repos'), rows }], blameLengths: [], state });
    expect((await named(b)).stored).toEqual(['api']);
    await read('a/api');
    for (const folder of ['b/api', 'a/api']) await read(folder);
    expect(await named(a)).toEqual(only('a/api'));
    expect(await named(b)).toEqual(only('api'));
  });
});

function chownRecursively(path: string, uid: number): void {
  for (const entry of readdirSync(path, { recursive: true, encoding: 'utf8' })) lchownSync(join(path, entry), uid, uid);
  lchownSync(path, uid, uid);
}
