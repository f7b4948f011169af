/** Generates the issues of a synthetic repository: each is closed by the request that has its number. */
import { UNKNOWN_EPIC, type Records, type Row } from '../../records.js';
import type { MadeRequest, Repository } from './day.js';
import { randomNamed } from './random.js';
import { PEOPLE } from './vocabulary.js';

const HOUR = 3_600_000;

/** The share of requests with an issue. */
const WITH_ISSUE = 0.45;

/**
 * The issue of a request in its state at `until`, if it has one. It is opened before the request, closed by the merge,
 * and sometimes closed too early and reopened. If the request was not merged, the issue was not planned either.
 */
export function* issueOf(repository: Repository, request: MadeRequest, until: number): Generator<Records> {
  const { number, created, ended, isMerged, change } = request;
  const random = randomNamed(`${repository.seed} ${repository.name} ${number} issue`);
  if (!random.chance(WITH_ISSUE)) return;
  const author = random.pick(PEOPLE);
  const opened = created - random.between(1, 72) * HOUR;
  const isReopened = random.chance(0.1) && ended !== null;
  const third = Math.floor(((ended ?? created) - created) / 3);
  const changes = [
    { change_id: 'opened', state: 'opened', changed_at: opened },
    ...(isReopened
      ? [
          { change_id: 'closed-early', state: 'closed', changed_at: created + third },
          { change_id: 'reopened', state: 'reopened', changed_at: created + 2 * third },
        ]
      : []),
    ...(ended === null ? [] : [{ change_id: 'closed', state: 'closed', changed_at: ended }]),
  ].filter(({ changed_at: at }) => at < until);
  const last = changes.at(-1);
  const isClosed = last?.state === 'closed';
  const row: Row<'issues'> = {
    number,
    title: titleOf(change.title),
    body: null,
    kind: 'issue',
    state: isClosed ? 'closed' : 'open',
    state_reason: !isClosed ? null : isMerged ? 'completed' : 'not_planned',
    author_name: author.login,
    labels: [...change.labels],
    severity: null,
    created_at: opened,
    updated_at: last?.changed_at ?? opened,
    closed_at: isClosed ? last.changed_at : null,
    closing_requests: isMerged && ended !== null && ended < until ? [number] : [],
    ...UNKNOWN_EPIC,
  };
  yield { issues: [row], issue_state_changes: changes.map((each) => ({ number, actor: author.login, ...each })) };
}

/** `feat(search): rank results` as a person would ask for it: `Rank results`. */
function titleOf(change: string): string {
  const words = change.slice(change.indexOf(': ') + 2);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
