import type { Schemas } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { codeHosts } from '../sources/words.js';

type Status = Schemas['SetupStatusResponse'];

/** What to do next, and the text of the link that leads to it. */
const nextSteps: Readonly<Record<Status['next_action'], readonly [text: string, link: string | null]>> = {
  connect_integration: ['Connect a code host.', 'Go to Sources'],
  create_sync_config: ['Choose the repositories.', 'Go to Sources'],
  start_sync: ['Start a sync.', 'Go to Sources'],
  wait: ['A sync is running. The charts fill when it has ended.', 'Follow it in Sources'],
  none: ['There is nothing left to do.', null],
};

/** The steps from an empty organization to charts, with what is next. */
export function Checklist({ status }: { status: Status }): JSX.Element {
  const [next, link] = nextSteps[status.next_action];
  const count = status.selected_repositories_count;
  const steps = [
    {
      title: 'Connect a code host',
      isDone: status.has_integration,
      detail: status.providers.map((each) => codeHosts[each]).join(', '),
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
        <strong>Next:</strong> {next} {link !== null && <Link href="/sources">{link}</Link>}
      </p>
    </>
  );
}
