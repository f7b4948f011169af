import type { Schemas } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';

type Status = Schemas['SetupStatusResponse'];

const hosts: Readonly<Record<Status['providers'][number], string>> = { host_a: 'GitHub', host_b: 'GitLab' };

const nextSteps: Readonly<Record<Status['next_action'], string>> = {
  connect_integration: 'Connect a code host under Sources.',
  create_sync_config: 'Choose the repositories under Sources.',
  start_sync: 'Start a sync under Sources.',
  wait: 'A sync is running. The charts fill when it has ended.',
  none: 'There is nothing left to do.',
};

/** The steps from an empty organization to charts, with what is next. */
export function Checklist({ status }: { status: Status }): JSX.Element {
  const count = status.selected_repositories_count;
  const steps = [
    {
      title: 'Connect a code host',
      isDone: status.has_integration,
      detail: status.providers.map((each) => hosts[each]).join(', '),
    },
    {
      title: 'Choose repositories',
      isDone: status.has_sync_config,
      detail: status.has_sync_config ? `${count} selected` : '',
    },
    {
      title: 'Read them for the first time',
      isDone: status.first_sync_completed,
      detail: status.sync_status === 'none' ? '' : `the latest run: ${status.sync_status}`,
    },
  ];
  return (
    <>
      <ol class="rows">
        {steps.map(({ title, isDone, detail }) => (
          <li key={title}>
            <span>
              {title} {detail !== '' && <span class="muted">({detail})</span>}
            </span>
            <span class={isDone ? 'tag good' : 'tag'}>{isDone ? '✓ done' : 'open'}</span>
          </li>
        ))}
      </ol>
      {status.last_sync_error !== null && (
        <div class="banner bad" role="status">
          <p>
            <strong>The latest sync failed.</strong> {status.last_sync_error}
          </p>
        </div>
      )}
      <p>
        <strong>Next:</strong> {nextSteps[status.next_action]}
      </p>
    </>
  );
}
