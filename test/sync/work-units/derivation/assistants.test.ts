/** The AI assistant and the co-authors of a unit. */
import { expect, it } from 'vitest';
import { timeZoneOf } from '../../../../src/analytics/time-zone.js';
import type { WorkUnit } from '../../../../src/analytics/work-unit.js';
import type { Author } from '../../../../src/sync/work-units/authors/authors-file.js';
import { createAuthorIdentifier } from '../../../../src/sync/work-units/authors/identify.js';
import { usualDelivery } from '../../../../src/sync/work-units/classify/delivery-rules.js';
import { commitFacts, type CommitFacts } from '../../../../src/sync/work-units/derivation/commits.js';
import {
  commitUnit,
  deploymentUnit,
  incidentUnit,
  issueUnit,
  requestUnit,
} from '../../../../src/sync/work-units/derivation/derive.js';
import type { RepositoryContext } from '../../../../src/sync/work-units/derivation/plan.js';
import {
  classifier,
  commitRow,
  deploymentRow,
  incidentRow,
  issueRow,
  requestRow,
  teamAssigner,
  type Changes,
} from './deriving.js';

const CLAUDE = 'Co-Authored-By: Claude <noreply@anthropic.com>';
const COPILOT = 'Co-authored-by: Copilot <223556219+Copilot@users.noreply.github.com>';

function contextWith(authors: readonly Author[] = [], mailmap = ''): RepositoryContext {
  return {
    repoId: 'repo',
    repo: 'acme/shop',
    identity: undefined,
    classifier,
    delivery: usualDelivery,
    teams: teamAssigner([], 'acme/shop', undefined),
    authors: createAuthorIdentifier(authors, mailmap),
    timeZone: timeZoneOf('UTC'),
    hasEpics: false,
  };
}

function commit(trailers: string, changes: Changes = {}): CommitFacts {
  const row = commitRow('c1', { message: `feat: add a thing\n\n${trailers}`, ...changes });
  return commitFacts(row, { churn: 1, files: new Map(), owners: new Map() });
}

function unitOf(trailers: string, changes?: Changes, context = contextWith()): WorkUnit {
  return commitUnit(context, commit(trailers, changes));
}

function requestOf(commits: readonly CommitFacts[], changes: Changes = {}): WorkUnit {
  const hashed = commits.map((each, index) => ({ ...each, hash: `c${index}` }));
  return requestUnit(contextWith(), {
    row: requestRow(1, { source: 'host_a', ...changes }),
    commits: hashed,
    remaining: null,
    reviews: [],
    deployedAt: null,
    issues: [],
  });
}

it('a commit has the assistant that it names, the first by name of several, or none', () => {
  expect(unitOf(CLAUDE).assistant).toBe('Claude');
  expect(unitOf(`${COPILOT}\n${CLAUDE}`).assistant).toBe('Claude');
  expect(unitOf('Signed-off-by: Ada <ada@example.com>').assistant).toBe('unassisted');
});

it('a commit of an assistant has it, and so has one of a person with its suffix', () => {
  expect(unitOf('', { author_name: 'openhands', author_email: 'openhands@all-hands.dev' })).toMatchObject({
    assistant: 'OpenHands',
    author: 'openhands[bot]',
  });
  expect(unitOf('', { author_name: 'Ada (aider)' })).toMatchObject({ assistant: 'aider', author: 'ada@example.com' });
});

it('a request has the assistant that most of its commits name, of several the first by name', () => {
  const plain = commit('');
  expect(requestOf([commit(CLAUDE), commit(COPILOT), commit(COPILOT), plain, plain, plain]).assistant).toBe('Copilot');
  expect(requestOf([commit(COPILOT), commit(CLAUDE)]).assistant).toBe('Claude');
  expect(requestOf([plain]).assistant).toBe('unassisted');
});

it('a request of an assistant has it, whatever its commits name', () => {
  expect(requestOf([commit(CLAUDE)], { author_name: 'Copilot[bot]' }).assistant).toBe('Copilot');
});

it('the description of a request names an assistant where no commit does', () => {
  const body = 'It is needed.\n\n🤖 Generated with [Claude Code](https://claude.com/claude-code)';
  expect(requestOf([commit('')], { body }).assistant).toBe('Claude');
  expect(requestOf([], { body: body.split('\n').at(-1) ?? null }).assistant).toBe('Claude');
  expect(requestOf([commit(COPILOT)], { body }).assistant).toBe('Copilot');
});

it('nobody knows the assistant of a request without stored commits, and of what has no commits', () => {
  const context = contextWith();
  expect(requestOf([]).assistant).toBeUndefined();
  expect(deploymentUnit(context, deploymentRow('1'))?.assistant).toBeUndefined();
  expect(issueUnit(context, issueRow(1, { labels: [], author_name: 'Copilot[bot]' }))?.assistant).toBeUndefined();
  expect(incidentUnit(context, incidentRow('1'))?.assistant).toBeUndefined();
});

it('co-authors are the people whom commits name, without the author, bots and assistants', () => {
  const trailers = [
    'Co-authored-by: Linus <linus@example.com>',
    'Co-authored-by: Grace <1+grace@users.noreply.github.com>',
    'Co-authored-by: Ada <ada@example.com>',
    'Co-authored-by: renovate[bot] <29139614+renovate[bot]@users.noreply.github.com>',
    CLAUDE,
  ].join('\n');
  expect(unitOf(trailers).coAuthors).toEqual(['grace', 'linus@example.com']);
  expect(unitOf(CLAUDE).coAuthors).toBeUndefined();
  const other = commit('Co-authored-by: Linus <linus@example.com>');
  expect(requestOf([commit(trailers), other], { author_name: 'ada' }).coAuthors).toEqual([
    'grace',
    'linus@example.com',
  ]);
});

it('co-authors are identified like authors', () => {
  const authors = [{ author: 'linus@example.com', also: ['linus@old.example.com'] }];
  const context = contextWith(
    authors,
    'Ada <ada@example.com> <ada@old.example.com>\nG <g@example.com> <h@example.com>',
  );
  const trailers = ['linus@old.example.com', 'linus@example.com', 'ada@old.example.com', 'h@example.com'];
  const message = trailers.map((address) => `Co-authored-by: Somebody <${address}>`).join('\n');
  expect(unitOf(message, {}, context).coAuthors).toEqual(['g@example.com', 'linus@example.com']);
});
