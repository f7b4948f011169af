import { unwrap } from '@plumbline/sdk';
import { deleteWebhook, testWebhook } from '@plumbline/sdk/platform';
import { useMutation } from '@tanstack/preact-query';
import type { ComponentChildren, JSX } from 'preact';
import { platform } from '../session/session.js';
import { Failed } from '../ui/failed.js';
import { Moment } from '../ui/moment.js';
import { PagedRows } from '../ui/paged-rows.js';
import { useRemoval } from '../ui/removal.js';
import { RowButton } from '../ui/row-button.js';
import { announce } from '../ui/toasts.js';
import { refreshWebhooks, useWebhooks, type Webhook } from './queries.js';
import { inactiveReasons } from './words.js';

/** The buttons of a webhook that open a dialog. */
const actions = { deliveries: 'Deliveries', edit: 'Edit', rotate: 'Rotate' } as const;
export type WebhookAction = keyof typeof actions;
const actionNames = Object.keys(actions) as readonly WebhookAction[]; // as its type says

export interface WebhookListProps {
  readonly orgId: string;
  readonly onAction: (action: WebhookAction, webhook: Webhook) => void;
}

/** The webhooks with their events. They can be tested and deleted. */
export function WebhookList({ orgId, onAction }: WebhookListProps): JSX.Element {
  const deletion = useRemoval<Webhook>({
    nameOf: ({ url }) => url,
    button: 'Delete',
    text: 'It gets no events from now on. Events that are not delivered yet are dropped. This cannot be undone.',
    done: 'is deleted',
    remove: async ({ id }) => {
      unwrap(await deleteWebhook(platform, { params: { org_id: orgId, webhook_id: id } }));
    },
    refresh: refreshWebhooks,
  });
  const test = useMutation({
    mutationFn: async ({ id }: Webhook) =>
      unwrap(await testWebhook(platform, { params: { org_id: orgId, webhook_id: id } })),
    onSuccess: ({ error }, { url }) => {
      announce(error === null ? `${url} accepts the test event.` : `The test of ${url} failed: ${error}`);
    },
  });
  return (
    <section class="card">
      <h2>URLs</h2>
      <Failed mutation={test} />
      {deletion.parts}
      <PagedRows
        query={useWebhooks(orgId)}
        what="the webhooks"
        label="Webhooks"
        empty={{
          title: 'There are no webhooks yet',
          text: 'With one, a program learns that something happened, and does not have to ask.',
        }}
        more="Show older webhooks"
      >
        {(webhook) => (
          <WebhookRow key={webhook.id} webhook={webhook}>
            {actionNames.map((action) => (
              <RowButton
                key={action}
                label={actions[action]}
                of={webhook.url}
                onClick={() => {
                  onAction(action, webhook);
                }}
              />
            ))}
            <RowButton
              label="Test"
              of={webhook.url}
              onClick={() => {
                test.mutate(webhook);
              }}
            />
            <RowButton
              label="Delete"
              of={webhook.url}
              isDanger
              onClick={() => {
                deletion.ask(webhook);
              }}
            />
          </WebhookRow>
        )}
      </PagedRows>
    </section>
  );
}

/** A webhook with its buttons. */
function WebhookRow({
  webhook: {
    url,
    events,
    description,
    is_active: isActive,
    inactive_reason: reason,
    overlap_ends_at: overlapEnds,
    created_at: created,
  },
  children,
}: {
  readonly webhook: Webhook;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <li>
      <div class="stack tight grow">
        <span class="break">
          <strong>{url}</strong>{' '}
          {isActive ? <span class="tag good">✓ active</span> : <span class="tag">– inactive</span>}
        </span>
        {reason !== null && <span class="break">{inactiveReasons[reason]}</span>}
        {description !== null && <span class="break">{description}</span>}
        <span class="small break">
          <code>{events.join(' ')}</code>
        </span>
        <span class="small muted break">
          created <Moment at={created} />
        </span>
        {overlapEnds !== null && (
          <span class="small break">
            Deliveries are also signed with a previous secret until <Moment at={overlapEnds} />.
          </span>
        )}
      </div>
      <div class="actions">{children}</div>
    </li>
  );
}
