/** Makes records of events. The events of one record may arrive in any order, and more than once. */
import { numberOrNull, textOrNull, textsOf } from '../../../sync/work-units/row-values.js';
import type { PushedEvent } from './cdevents.js';
import { storedId, type PushedRow } from './pushed-row.js';

export function deploymentsOf(events: readonly PushedEvent[]): PushedRow<'deployments'>[] {
  return events.flatMap((event) => {
    if (event.kind !== 'deployment') return [];
    const { repository, at, environment, artifact, commit } = event;
    const row = {
      deployment_id: storedId(event.id),
      status: 'success',
      environment,
      tier: null,
      job: null,
      author_name: null,
      started_at: null,
      finished_at: at,
      deployed_at: at,
      merged_at: null,
      pull_request_number: null,
      release_ref: artifact,
      commit_hash: commit,
      committed_at: null,
    };
    return [{ repository, key: row.deployment_id, beganAt: at, row: () => row }];
  });
}

export function incidentsOf(events: readonly PushedEvent[]): PushedRow<'incidents'>[] {
  return events.flatMap((event) => {
    if (event.kind !== 'incident') return [];
    const { repository, at, phase, description } = event;
    const id = storedId(event.id);
    const row: PushedRow<'incidents'>['row'] = (stored = {}) => {
      const began = numberOrNull(stored, 'started_at');
      const title = textOrNull(stored, 'title');
      const known = numberOrNull(stored, 'resolved_at');
      // What begins after it was resolved is open again.
      const isLast = known === null || at > known;
      const resolvedAt = isLast ? (phase === 'resolved' ? at : null) : known;
      return {
        incident_id: id,
        // What began says more than what was done about it.
        title: phase === 'began' ? (description ?? title) : (title ?? description),
        status: resolvedAt === null ? 'open' : 'closed',
        author_name: textOrNull(stored, 'author_name'),
        labels: textsOf(stored, 'labels'),
        severity: textOrNull(stored, 'severity'),
        started_at: Math.min(at, began ?? at),
        resolved_at: resolvedAt,
      };
    };
    return [{ repository, key: id, beganAt: at, row }];
  });
}

export function buildsOf(events: readonly PushedEvent[]): PushedRow<'ci_pipeline_runs'>[] {
  return events.flatMap((event) => {
    if (event.kind !== 'build') return [];
    const { repository, at, phase } = event;
    const id = storedId(event.id);
    const row: PushedRow<'ci_pipeline_runs'>['row'] = (stored = {}) => {
      const queuedAt = phase === 'queued' ? at : numberOrNull(stored, 'queued_at');
      const finishedAt = phase === 'ended' ? at : numberOrNull(stored, 'finished_at');
      // Until its start is reported, a run has that of its first event, which may be its end.
      const known = numberOrNull(stored, 'started_at');
      const isEnd = known !== null && known === numberOrNull(stored, 'finished_at');
      return {
        run_id: id,
        status: phase === 'ended' ? event.status : (textOrNull(stored, 'status') ?? 'in_progress'),
        queued_at: queuedAt,
        started_at: phase === 'began' || known === null || (phase === 'queued' && isEnd) ? at : known,
        finished_at: finishedAt,
      };
    };
    return [{ repository, key: id, beganAt: at, row }];
  });
}
