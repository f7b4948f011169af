import { unwrap } from '@plumbline/sdk';
import { resendWebhookDelivery } from '@plumbline/sdk/platform';
import { useMutation } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { platform } from '../session/session.js';
import { count } from '../ui/count.js';
import { Dialog } from '../ui/dialog.js';
import { Failed } from '../ui/failed.js';
import { Moment } from '../ui/moment.js';
import { PagedRows } from '../ui/paged-rows.js';
import { RowButton } from '../ui/row-button.js';
import { announce } from '../ui/toasts.js';
import type { WebhookDialogProps } from './edit-webhook-dialog.js';
import { refreshDeliveries, useAcceptedDeliveries, useDeliveries, type Delivery, type Webhook } from './queries.js';

const statuses: Readonly<Record<Delivery['status'], { readonly text: string; readonly mark: string }>> = {
  waiting: { text: '… waiting', mark: '' },
  failed: { text: '✗ failed', mark: 'bad' },
};

/** The events that the URL of a webhook has not accepted, which can be sent again, and those that it has accepted. */
export function DeliveriesDialog({ orgId, webhook, onClose }: WebhookDialogProps): JSX.Element {
  return (
    <Dialog title="Deliveries" open={webhook !== null} onClose={onClose}>
      {webhook !== null && (
        <>
          <Deliveries orgId={orgId} webhook={webhook} />
          <AcceptedDeliveries orgId={orgId} webhook={webhook} />
        </>
      )}
      <div class="actions">
        <button type="button" onClick={() => void refreshDeliveries()}>
          Load again
        </button>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

interface DeliveriesProps {
  readonly orgId: string;
  readonly webhook: Webhook;
}

function Deliveries({ orgId, webhook }: DeliveriesProps): JSX.Element {
  const resend = useMutation({
    mutationFn: async ({ id }: Delivery) => {
      const params = { org_id: orgId, webhook_id: webhook.id, delivery_id: id };
      unwrap(await resendWebhookDelivery(platform, { params }));
    },
    onSuccess: (_nothing, { event }) => {
      announce(`${event.type} is sent again soon.`);
    },
    onSettled: refreshDeliveries,
  });
  return (
    <>
      <p class="break">What {webhook.url} has not accepted.</p>
      <Failed mutation={resend} />
      <PagedRows
        query={useDeliveries(orgId, webhook.id)}
        what="the deliveries"
        label="Deliveries"
        empty={{ title: 'Nothing is outstanding', text: 'The URL has accepted every event.' }}
        more="Show older deliveries"
      >
        {(delivery) => (
          <DeliveryRow
            key={delivery.id}
            delivery={delivery}
            onResend={() => {
              resend.mutate(delivery);
            }}
          />
        )}
      </PagedRows>
    </>
  );
}

/** What has arrived, without its data. */
function AcceptedDeliveries({ orgId, webhook }: DeliveriesProps): JSX.Element {
  return (
    <>
      <h3>Accepted in the last 7 days</h3>
      <PagedRows
        query={useAcceptedDeliveries(orgId, webhook.id)}
        what="the accepted deliveries"
        label="Accepted deliveries"
        empty={{ title: 'Nothing was accepted in the last 7 days', text: 'Send a test event to try the URL.' }}
        more="Show deliveries accepted before"
      >
        {({ id, event_type: type, occurred_at: occurred, attempts, accepted_at: accepted }) => (
          <li key={id}>
            <div class="stack tight grow">
              <span class="break">
                <strong>{type}</strong> <span class="tag good">✓ accepted</span>
              </span>
              <span class="small muted break">
                <Moment at={occurred} /> · {count(attempts, 'attempt', 'attempts')} · accepted <Moment at={accepted} />
              </span>
            </div>
          </li>
        )}
      </PagedRows>
    </>
  );
}

/** A delivery: its state, why the latest attempt failed, and what is sent. */
function DeliveryRow({
  delivery: { event, status, attempts, error, next_attempt_at: next },
  onResend,
}: {
  readonly delivery: Delivery;
  readonly onResend: () => void;
}): JSX.Element {
  const { text, mark } = statuses[status];
  return (
    <li>
      <div class="stack tight grow">
        <span class="break">
          <strong>{event.type}</strong> <span class={`tag ${mark}`}>{text}</span>
        </span>
        {error !== null && <span class="break">{error}</span>}
        <span class="small muted break">
          <Moment at={event.occurred_at} /> · {count(attempts, 'attempt', 'attempts')}
          {next !== null && (
            <>
              {' '}
              · next <Moment at={next} />
            </>
          )}
        </span>
        <details class="small">
          <summary>Payload</summary>
          <code class="break">{JSON.stringify(event)}</code>
        </details>
      </div>
      <RowButton label="Send again" of={event.type} onClick={onResend} />
    </li>
  );
}
