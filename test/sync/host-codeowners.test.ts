import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SyncOptions } from '../../src/sync/options.js';
import { CODEOWNERS_PATHS, LARGEST_CODEOWNERS } from '../../src/sync/work-units/teams/codeowners.js';
import { git, initRepository } from '../support/git-history.js';
import { hostARepository, problem } from '../support/hosts/host-a.js';
import { hostBProject, refusal, startHostB } from '../support/hosts/host-b.js';
import type { Fault, Host, HostReply, HostRequest } from '../support/hosts/server.js';
import { commits, host as startHostA, options as optionsOfHostA } from './host-a-fixture.js';
import { NOW, onlyId, sqliteUri, sync, temporaryDirectory, testDependencies } from './harness.js';
import { unitsIn } from './work-units/stored-units.js';

/** A host with one repository, which has a commit and an incident. */
interface TestHost {
  readonly host: Host;
  /** The files of the default branch. */
  readonly texts: Record<string, string>;
  readonly options: (db: string, target: string) => SyncOptions;
}

interface Kind {
  readonly name: string;
  /** Where the host looks, in its order. */
  readonly places: readonly string[];
  start(): Promise<TestHost>;
  /** Whether a request asks for the text of files. */
  asksForText(request: HostRequest): boolean;
  refuse(status: number, message: string, headers?: Record<string, string>): HostReply;
  /** What the host says to a token that may see the repository and not its code. */
  readonly forbidden: HostReply;
}

const kinds: readonly Kind[] = [
  {
    name: 'host_a',
    places: CODEOWNERS_PATHS,
    start: async () => {
      const issue = { number: 1, title: 'Down', labels: ['incident'] };
      const repository = hostARepository('acme/widgets', { commits: commits(1), issues: [issue] });
      const host = await startHostA(repository);
      return { host, texts: repository.texts, options: (db, target) => optionsOfHostA(host, db, { target }) };
    },
    asksForText: ({ path, body }) => body.includes('on Blob') || path.includes('/git/blobs/'),
    refuse: problem,
    forbidden: {
      status: 200,
      body: {
        data: { repository: { file0: null } },
        errors: [{ type: 'FORBIDDEN', message: 'Resource not accessible by personal access token' }],
      },
    },
  },
  {
    name: 'host_b',
    places: ['CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'],
    start: async () => {
      const time = new Date(NOW).toISOString();
      const commit = {
        id: '1'.padStart(40, '0'),
        message: 'fix: a bug',
        author_name: 'Ada',
        author_email: 'ada@example.com',
        authored_date: time,
        committer_name: 'Ada',
        committer_email: 'ada@example.com',
        committed_date: time,
        parent_ids: [],
        stats: { additions: 3, deletions: 1, total: 4 },
      };
      const incident = { iid: 1, title: 'Down', state: 'opened', labels: [], closed_at: null };
      const incidents = [{ ...incident, author: { username: 'ada' }, created_at: time, updated_at: time }];
      const project = hostBProject(7, 'acme/widgets', { commits: [commit], incidents });
      const host = await startHostB(project);
      const common = { provider: 'gitlab', hostBUrl: host.url, auth: host.token, projectId: '7' };
      return { host, texts: project.texts, options: (db, target) => ({ ...common, db, target }) };
    },
    asksForText: ({ path }) => /\/repository\/files\/[^/]+$/.test(path),
    refuse: refusal,
    forbidden: refusal(403, 'insufficient_scope'),
  },
];

for (const { name, places, start, asksForText, refuse, forbidden } of kinds) {
  describe(`CODEOWNERS from ${name}`, () => {
    it('gives units to the owners that the default branch names', async () => {
      const { texts, options } = await start();
      texts['docs/CODEOWNERS'] = '* @acme/core\n';
      const db = sqliteUri();
      expect(await teamsAfter(options(db, 'git'))).toEqual(['core']);
      expect(await teamsAfter(options(db, 'incidents'))).toEqual(['core', 'core']);
    });

    it.each(places.map((place, index) => ({ place, index })))(
      'is $place where no earlier place has any text',
      async ({ place, index }) => {
        const { texts, options } = await start();
        for (const earlier of places.slice(0, index)) texts[earlier] = '';
        for (const [later, path] of places.slice(index).entries()) texts[path] = `* @acme/team-${later}\n`;
        expect(await teamsAfter(options(sqliteUri(), 'incidents')), place).toEqual(['team-0']);
      },
    );

    it('reassigns stored units when only CODEOWNERS has changed', async () => {
      const { texts, options } = await start();
      const db = sqliteUri();
      expect(await teamsAfter(options(db, 'git'))).toEqual(['unassigned']);
      texts['CODEOWNERS'] = '* @acme/core\n';
      expect(await teamsAfter(options(db, 'git'))).toEqual(['core']);
      texts['CODEOWNERS'] = '* @acme/web\n';
      expect(await teamsAfter(options(db, 'git'))).toEqual(['web']);
      delete texts['CODEOWNERS'];
      expect(await teamsAfter(options(db, 'git'))).toEqual(['unassigned']);
    });

    it.each(['blame', 'cicd'])('is not requested by %s, which yields no units', async (target) => {
      const { host, options } = await start();
      expect((await sync(options(sqliteUri(), target))).repositories[0]?.error).toBeNull();
      expect(host.requests.filter(asksForText)).toEqual([]);
    });

    it.each<[string, Fault, RegExp]>([
      ['a token without the scope', forbidden, /cannot be read.*(not accessible|read_repository)/],
      ['a server error that lasts', refuse(500, 'Server Error'), /cannot be read.*did not answer/],
      ['a connection that is cut each time', 'cut', /cannot be read/],
    ])('keeps the teams, stores the records and tells it after %s', async (_name, fault, told) => {
      const { host, texts, options } = await start();
      texts['CODEOWNERS'] = '* @acme/core\n';
      const db = sqliteUri();
      expect(await teamsAfter(options(db, 'git'))).toEqual(['core']);

      texts['CODEOWNERS'] = '* @acme/web\n';
      host.fault = (request) => (asksForText(request) ? fault : undefined);
      const notes: string[] = [];
      const progress = { note: (text: string) => void notes.push(text) };
      const teams = await teamsAfter(options(db, 'incidents'), testDependencies({ progress }));
      expect(teams).toEqual(['core', 'core']);
      expect(notes).toEqual([expect.stringMatching(told) as string]);

      host.fault = () => undefined;
      expect(await teamsAfter(options(db, 'incidents'))).toEqual(['web', 'web']);
    });

    it('waits for a rate limit as every request does, and fails the sync if the limit persists', async () => {
      const { host, texts, options } = await start();
      texts['CODEOWNERS'] = '* @acme/core\n';
      const limit = refuse(429, 'Too Many Requests', { 'retry-after': '30' });
      let left = 1;
      host.fault = (request) => (asksForText(request) && left-- > 0 ? limit : undefined);
      const dependencies = testDependencies();
      expect(await teamsAfter(options(sqliteUri(), 'incidents'), dependencies)).toEqual(['core']);
      expect(dependencies.slept).toEqual([30_000]);

      left = Infinity;
      const summary = await sync(options(sqliteUri(), 'incidents'));
      expect(summary.repositories[0]).toMatchObject({ status: 'failed', error: { code: 'rate_limited' } });
      expect(host.requests.slice(-5).every(asksForText)).toBe(true);
    });

    it('is the same file in a clone: syncing either derives no unit of the other again', async () => {
      const { texts, options } = await start();
      texts['CODEOWNERS'] = '* @acme/core\n';
      const repoPath = join(temporaryDirectory(), 'clone');
      initRepository(repoPath);
      git(repoPath, 'remote', 'add', 'origin', `https://${name.replace('_', '-')}.test/acme/widgets.git`);
      writeFileSync(join(repoPath, 'CODEOWNERS'), '* @acme/core\n');
      git(repoPath, 'add', 'CODEOWNERS');
      git(repoPath, 'commit', '--quiet', '--message', 'chore: owners');
      const db = sqliteUri();
      const writtenAt = async (hour: number, of: SyncOptions): Promise<number> => {
        const { repositories } = await sync(of, testDependencies({ now: () => NOW + hour * 3_600_000 }));
        return repositories[0]?.records['work_units'] ?? 0;
      };
      expect(await writtenAt(1, options(db, 'git'))).toBe(1);
      expect(await writtenAt(2, { target: 'git', provider: 'local', repoPath, db })).toBe(1);
      expect(await writtenAt(3, options(db, 'git'))).toBe(0);
    });

    it('is read completely when it is large, and ignored beyond the size that hosts read', async () => {
      const { texts, options } = await start();
      const ruleAfter = (bytes: number, rule: string): string => `${'# a comment\n'.repeat(bytes / 12)}${rule}`;
      texts['CODEOWNERS'] = ruleAfter(600_000, '* @acme/core');
      expect(await teamsAfter(options(sqliteUri(), 'incidents'))).toEqual(['core']);
      texts['CODEOWNERS'] = ruleAfter(LARGEST_CODEOWNERS, '* @acme/core');
      texts['docs/CODEOWNERS'] = '* @acme/writers';
      expect(await teamsAfter(options(sqliteUri(), 'incidents'))).toEqual(['writers']);
    });
  });
}

describe('CODEOWNERS of an empty project of host_b', () => {
  it('is not requested', async () => {
    const host = await startHostB(hostBProject(7, 'acme/widgets'));
    const options = { provider: 'gitlab', hostBUrl: host.url, auth: host.token, projectId: '7', target: 'git' };
    expect((await sync({ ...options, db: sqliteUri() })).repositories[0]?.error).toBeNull();
    expect(host.requests).toHaveLength(1);
  });
});

/** The teams of all units that are stored after a sync that succeeds. */
async function teamsAfter(options: SyncOptions, dependencies = testDependencies()): Promise<string[]> {
  const summary = await sync(options, dependencies);
  expect(summary.repositories[0]?.error).toBeNull();
  return (await unitsIn(options.db ?? '', onlyId(summary))).map(({ team }) => team);
}
