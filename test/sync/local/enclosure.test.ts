import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { git, initRepository, GIT_TEST_ENVIRONMENT } from '../../support/git-history.js';
import { sqliteUri, storedRows, sync, testDependencies } from '../harness.js';
import { enclosedEnvironment } from '../../../src/sync/providers/local/enclosure.js';
import { askGit, openGit } from '../../../src/sync/providers/local/git.js';

let top: string;
let root: string;
let outside: string;
let inside: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'plumbline-enclosure-'));
  onTestFinished(() => rm(top, { recursive: true, force: true }));
  root = join(top, 'root');
  outside = join(top, 'outside');
  inside = join(root, 'inside');
  for (const [path, message] of [
    [outside, 'secret commit'],
    [inside, 'open commit'],
  ] as const) {
    mkdirSync(path, { recursive: true });
    initRepository(path);
    writeFileSync(join(path, 'file.txt'), `${message}\n`);
    git(path, 'add', '.');
    git(path, 'commit', '--quiet', '-m', message);
  }
});

const dotGit = (...parts: string[]): string => join(inside, '.git', ...parts);
const headOf = (path: string): string => git(path, 'rev-parse', 'HEAD').trim();

/** What a sync with SYNC_LOCAL_ROOT stores of a repository, and why it does not. */
async function outcome(
  path = inside,
): Promise<{ readonly error: string | undefined; readonly messages: readonly unknown[] }> {
  const db = sqliteUri();
  const environment = { ...GIT_TEST_ENVIRONMENT, GIT_DIR: join(outside, '.git') };
  const options = { target: 'git', provider: 'local', db, repoPath: path };
  const summary = await sync(options, testDependencies({ localRoot: root, environment }));
  const messages: unknown[] = [];
  for (const { id } of summary.repositories) {
    if (id === null) continue;
    const rows = (await storedRows(db, id))['git_commits'] ?? [];
    messages.push(...rows.map((row) => row['message']));
  }
  return { error: summary.repositories[0]?.error?.message, messages };
}

/** Lets the branch of the repository inside point at the commit outside. */
function pointOutside(): void {
  writeFileSync(dotGit('refs', 'heads', 'main'), `${headOf(outside)}\n`);
}

describe('a repository below SYNC_LOCAL_ROOT', () => {
  it('is read, as are its worktrees and clones that borrow objects below the root', async () => {
    git(inside, 'worktree', 'add', '--quiet', join(root, 'tree'));
    git(root, 'clone', '--quiet', '--shared', inside, join(root, 'clone'));
    for (const path of [inside, join(root, 'tree'), join(root, 'clone')]) {
      expect(await outcome(path)).toEqual({ error: undefined, messages: ['open commit'] });
    }
  });
});

describe('nothing outside of SYNC_LOCAL_ROOT is read', () => {
  const attacks: Record<string, () => string | undefined> = {
    'through a .git file': () => {
      rmSync(dotGit(), { recursive: true });
      writeFileSync(dotGit(), `gitdir: ${outside}/.git\n`);
      return undefined;
    },
    'through a .git link': () => {
      rmSync(dotGit(), { recursive: true });
      symlinkSync(join(outside, '.git'), dotGit());
      return undefined;
    },
    'through the commondir of a worktree': () => {
      writeFileSync(dotGit('commondir'), `${outside}/.git\n`);
      return undefined;
    },
    'through alternates': () => {
      writeFileSync(dotGit('objects', 'info', 'alternates'), `${outside}/.git/objects\n`);
      pointOutside();
      return undefined;
    },
    'through relative alternates of alternates': () => {
      const between = join(root, 'between');
      initRepository(between);
      writeFileSync(join(between, '.git', 'objects', 'info', 'alternates'), '../../../../outside/.git/objects\n');
      writeFileSync(dotGit('objects', 'info', 'alternates'), `${between}/.git/objects\n`);
      pointOutside();
      return undefined;
    },
    'through quoted alternates': () => {
      writeFileSync(dotGit('objects', 'info', 'alternates'), `"${outside}/.git/objects"\n`);
      pointOutside();
      return undefined;
    },
    'through a link in place of the objects': () => {
      rmSync(dotGit('objects'), { recursive: true });
      symlinkSync(join(outside, '.git', 'objects'), dotGit('objects'));
      pointOutside();
      return undefined;
    },
    'through links among the objects': () => {
      for (const directory of readdirSync(join(outside, '.git', 'objects'))) {
        if (directory.length !== 2) continue;
        rmSync(dotGit('objects', directory), { recursive: true, force: true });
        symlinkSync(join(outside, '.git', 'objects', directory), dotGit('objects', directory));
      }
      pointOutside();
      return undefined;
    },
    'through alternates that lead out from where the objects really are': () => {
      renameSync(dotGit('objects'), join(root, 'objects'));
      symlinkSync(join(root, 'objects'), dotGit('objects'));
      // A decoy at the place that the line names when it is read from the link.
      const line = relative(join(root, 'objects'), join(outside, '.git', 'objects'));
      mkdirSync(resolve(dotGit('objects'), line), { recursive: true });
      writeFileSync(join(root, 'objects', 'info', 'alternates'), `${line}\n`);
      pointOutside();
      return undefined;
    },
    'through a link to a directory inside that has a link out': () => {
      renameSync(dotGit('objects'), join(root, 'objects'));
      symlinkSync(join(root, 'objects'), dotGit('objects'));
      rmSync(join(root, 'objects', 'pack'), { recursive: true });
      symlinkSync(join(outside, '.git', 'objects', 'pack'), join(root, 'objects', 'pack'));
      return undefined;
    },
    'through a link in place of a ref': () => {
      cpSync(join(outside, '.git', 'objects'), dotGit('objects'), { recursive: true });
      rmSync(dotGit('refs', 'heads', 'main'));
      symlinkSync(join(outside, '.git', 'refs', 'heads', 'main'), dotGit('refs', 'heads', 'main'));
      return undefined;
    },
    'through an included file of settings': () => {
      writeFileSync(join(top, 'settings'), '[core]\n');
      git(inside, 'config', 'include.path', join(top, 'settings'));
      return undefined;
    },
    'through a conditionally included file of settings': () => {
      writeFileSync(join(top, 'settings'), '[core]\n');
      git(inside, 'config', 'includeIf.gitdir:/.path', join(top, 'settings'));
      return undefined;
    },
    'through a worktree named in the settings': () => {
      git(inside, 'config', 'core.worktree', outside);
      return undefined;
    },
    'through a worktree with a newline in its name': () => {
      symlinkSync(outside, join(inside, 'away\n'));
      writeFileSync(dotGit('config'), '[core]\n\tworktree = "../away\\n"\n', { flag: 'a' });
      return undefined;
    },
    'through attributes named in the settings': () => {
      git(inside, 'config', 'core.attributesFile', '/etc/passwd');
      return undefined;
    },
    'through a directory without a repository, whose parents have one': () => {
      initRepository(top);
      git(top, 'commit', '--quiet', '--allow-empty', '-m', 'secret commit');
      mkdirSync(join(root, 'plain'));
      return join(root, 'plain');
    },
    'through a promisor remote that would be fetched from': () => {
      git(outside, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
      git(outside, 'config', 'uploadpack.allowFilter', 'true');
      git(inside, 'config', 'core.repositoryFormatVersion', '1');
      git(inside, 'config', 'extensions.partialClone', 'origin');
      git(inside, 'config', 'remote.origin.promisor', 'true');
      git(inside, 'config', 'remote.origin.url', `file://${outside}`);
      pointOutside();
      return undefined;
    },
    'through a promisor remote that would run a program': () => {
      git(inside, 'config', 'core.repositoryFormatVersion', '1');
      git(inside, 'config', 'extensions.partialClone', 'origin');
      git(inside, 'config', 'protocol.ext.allow', 'always');
      git(inside, 'config', 'remote.origin.promisor', 'true');
      git(inside, 'config', 'remote.origin.url', `ext::sh -c touch% ${top}/ran`);
      pointOutside();
      return undefined;
    },
  };

  it.each(Object.keys(attacks))('%s', async (attack) => {
    const { messages, error } = await outcome(attacks[attack]?.());
    expect(messages).toEqual([]);
    expect(String(error)).not.toContain('outside');
    expect(existsSync(join(top, 'ran'))).toBe(false);
  });

  /** A FIFO outside that nobody writes to: git blocks when it opens one, so only a sync that opens none ends. */
  const named: Record<string, (fifo: string) => string | undefined> = {
    'included settings': (fifo) => {
      writeFileSync(dotGit('config'), `[include]\n\tpath = ${fifo}\n`, { flag: 'a' });
      return undefined;
    },
    'included settings of a condition': (fifo) => {
      writeFileSync(dotGit('config'), `[includeIf "gitdir:${top}/"]\n\tpath = ${fifo}\n`, { flag: 'a' });
      return undefined;
    },
    'settings that are a link': (fifo) => {
      rmSync(dotGit('config'));
      symlinkSync(fifo, dotGit('config'));
      return undefined;
    },
    'settings of a worktree that include': (fifo) => {
      git(inside, 'worktree', 'add', '--quiet', join(root, 'tree'));
      git(inside, 'config', 'extensions.worktreeConfig', 'true');
      writeFileSync(dotGit('worktrees', 'tree', 'config.worktree'), `[include]\n\tpath = ${fifo}\n`);
      return join(root, 'tree');
    },
    'settings of the repository of a .git file outside': (fifo) => {
      writeFileSync(join(outside, '.git', 'config'), `[include]\n\tpath = ${fifo}\n`, { flag: 'a' });
      rmSync(dotGit(), { recursive: true });
      writeFileSync(dotGit(), `gitdir: ${outside}/.git\n`);
      return undefined;
    },
    'settings of a bare repository': (fifo) => {
      git(root, 'clone', '--quiet', '--bare', inside, join(root, 'bare.git'));
      writeFileSync(join(root, 'bare.git', 'config'), `[include]\n\tpath = ${fifo}\n`, { flag: 'a' });
      return join(root, 'bare.git');
    },
    'settings of a repository above the invalid one that was asked for': (fifo) => {
      initRepository(root);
      writeFileSync(join(root, '.git', 'config'), `[include]\n\tpath = ${fifo}\n`, { flag: 'a' });
      writeFileSync(dotGit('HEAD'), 'no reference\n');
      return undefined;
    },
    'borrowed objects of borrowed objects': (fifo) => {
      const between = join(root, 'between');
      initRepository(between);
      symlinkSync(fifo, join(between, '.git', 'objects', 'info', 'alternates'));
      writeFileSync(dotGit('objects', 'info', 'alternates'), `${between}/.git/objects\n`);
      return undefined;
    },
    'the boundary of a shallow clone': (fifo) => {
      symlinkSync(fifo, dotGit('shallow'));
      return undefined;
    },
    grafts: (fifo) => {
      symlinkSync(fifo, dotGit('info', 'grafts'));
      return undefined;
    },
    'attributes of the repository': (fifo) => {
      mkdirSync(dotGit('info'), { recursive: true });
      rmSync(dotGit('info', 'attributes'), { force: true });
      symlinkSync(fifo, dotGit('info', 'attributes'));
      return undefined;
    },
    'settings that are themselves a FIFO below the root': () => {
      rmSync(dotGit('config'));
      execFileSync('mkfifo', [dotGit('config')]);
      return undefined;
    },
  };

  it.each(Object.keys(named))('before git opens it: %s', async (place) => {
    const fifo = join(outside, 'fifo');
    execFileSync('mkfifo', [fifo]);
    const { messages, error } = await outcome(named[place]?.(fifo));
    expect(messages).toEqual([]);
    expect(error).toMatch(/^The repository is not read: /);
    expect(error).not.toContain('fifo');
  });

  it('through a folder of the work tree that is a link, where git would look for attributes', async () => {
    mkdirSync(join(inside, 'folder'));
    writeFileSync(join(inside, 'folder', 'file.txt'), 'text\n');
    git(inside, 'add', '.');
    git(inside, 'commit', '--quiet', '-m', 'with a folder');
    rmSync(join(inside, 'folder'), { recursive: true });
    execFileSync('mkfifo', [join(outside, '.gitattributes')]);
    symlinkSync(outside, join(inside, 'folder'));
    expect((await outcome()).messages.toSorted()).toEqual(['open commit', 'with a folder']);
  });

  it('and no message tells whether a file exists outside', async () => {
    const errors = [];
    for (const target of [join(outside, 'file.txt'), join(outside, 'missing')]) {
      rmSync(dotGit('description'), { force: true });
      symlinkSync(target, dotGit('description'));
      errors.push((await outcome()).error);
    }
    expect(errors[0]).toBeDefined();
    expect(errors[1]).toBe(errors[0]);
  });

  it('while links below the root that form a cycle are read once', async () => {
    symlinkSync(root, dotGit('cycle'));
    expect((await outcome()).messages).toEqual(['open commit']);
  });

  it('through a replacement object', async () => {
    const hash = headOf(inside);
    git(inside, 'commit', '--quiet', '--amend', '-m', 'another commit');
    git(inside, 'replace', hash, headOf(inside));
    git(inside, 'reset', '--quiet', '--hard', hash);
    expect((await outcome()).messages).toEqual(['open commit']);
  });

  it('through a remote that is a directory: the clone counts as a separate repository', async () => {
    git(outside, 'remote', 'add', 'origin', 'https://git.example.com/secret/name.git');
    git(inside, 'remote', 'add', 'origin', outside);
    const dependencies = testDependencies({ localRoot: root });
    const options = { target: 'git', provider: 'local', db: sqliteUri(), repoPath: inside };
    expect(JSON.stringify(await sync(options, dependencies))).not.toContain('secret');
  });
});

describe('the variables that git is given below SYNC_LOCAL_ROOT', () => {
  /** What git itself prints; undefined where it fails. The guard is given, or left off. */
  async function asked(guard: 'on' | 'off', path: string, ...args: string[]): Promise<string | undefined> {
    const confinement = guard === 'on' ? enclosedEnvironment(root) : {};
    const opened = await openGit(path, GIT_TEST_ENVIRONMENT, new AbortController().signal, confinement);
    return askGit(opened, args);
  }

  it('keep git from finding a repository above the root', async () => {
    initRepository(top);
    const plain = join(root, 'plain');
    mkdirSync(plain);
    const args = ['rev-parse', '--absolute-git-dir'];
    expect(await asked('off', plain, ...args)).toBe(join(top, '.git'));
    expect(await asked('on', plain, ...args)).toBeUndefined();
  });

  it('need not keep git from reading replacement objects, which it reads nowhere', async () => {
    const hash = headOf(inside);
    git(inside, 'commit', '--quiet', '--amend', '-m', 'another commit');
    git(inside, 'replace', hash, headOf(inside));
    const args = ['log', '-1', '--format=%s', hash];
    expect(git(inside, ...args).trim()).toBe('another commit');
    expect(await asked('off', inside, ...args)).toBe('open commit');
  });

  it('keep git from using any transport, also a submodule or remote that is a directory outside', async () => {
    for (const remote of [outside, `file://${outside}`]) {
      expect(await asked('off', inside, 'ls-remote', remote, 'HEAD')).toContain(headOf(outside));
      expect(await asked('on', inside, 'ls-remote', remote, 'HEAD')).toBeUndefined();
    }
  });

  it('keep git from running the program of a remote, also where the settings of the repository allow it', async () => {
    git(inside, 'config', 'protocol.ext.allow', 'always');
    const ran = join(top, 'ran');
    await asked('on', inside, 'ls-remote', `ext::sh -c touch% ${ran}`);
    expect(existsSync(ran)).toBe(false);
    await asked('off', inside, 'ls-remote', `ext::sh -c touch% ${ran}`);
    expect(existsSync(ran)).toBe(true);
  });

  it('keep git from fetching an object from a promisor remote', async () => {
    git(outside, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
    git(outside, 'config', 'uploadpack.allowFilter', 'true');
    git(inside, 'config', 'core.repositoryFormatVersion', '1');
    git(inside, 'config', 'extensions.partialClone', 'origin');
    git(inside, 'config', 'remote.origin.promisor', 'true');
    git(inside, 'config', 'remote.origin.url', `file://${outside}`);
    const args = ['log', '-1', '--format=%s', headOf(outside)];
    // First with the guard: what is fetched stays.
    expect(await asked('on', inside, ...args)).toBeUndefined();
    expect(await asked('off', inside, ...args)).toBe('secret commit');
  });

  it('override variables of the server that redirect git', async () => {
    const led = {
      ...GIT_TEST_ENVIRONMENT,
      GIT_DIR: join(outside, '.git'),
      GIT_CEILING_DIRECTORIES: '',
      GIT_NO_REPLACE_OBJECTS: '',
    };
    const opened = await openGit(inside, led, new AbortController().signal, enclosedEnvironment(root));
    expect(await askGit(opened, ['rev-parse', '--absolute-git-dir'])).toBe(dotGit());
  });

  it('do not let hooks of the repository run', async () => {
    const ran = join(top, 'ran');
    for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change']) {
      writeFileSync(dotGit('hooks', hook), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
    }
    expect(await outcome()).toMatchObject({ messages: ['open commit'] });
    await asked('on', inside, 'update-ref', 'refs/heads/other', headOf(inside));
    expect(existsSync(ran)).toBe(false);
    git(inside, 'update-ref', 'refs/heads/third', headOf(inside)); // without the settings of `openGit` it does run
    expect(existsSync(ran)).toBe(true);
  });
});
