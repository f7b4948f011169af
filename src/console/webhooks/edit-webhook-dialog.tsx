import { updateWebhook, type Schemas } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { platform } from '../session/session.js';
import { CancelButton, Dialog } from '../ui/dialog.js';
import { Form, type Values } from '../ui/form.js';
import { announce } from '../ui/toasts.js';
import { refreshWebhooks, type Webhook } from './queries.js';
import { WebhookFields, type SubscribedEvent } from './webhook-fields.js';

/** The properties of the dialogs of a webhook. */
export interface WebhookDialogProps {
  readonly orgId: string;
  /** null: the dialog is closed. */
  readonly webhook: Webhook | null;
  readonly onClose: () => void;
}

/** Changes the URL, the events, the description, and whether events are sent. */
export function EditWebhookDialog({ orgId, webhook, onClose }: WebhookDialogProps): JSX.Element {
  return (
    <Dialog title="Edit the webhook" open={webhook !== null} onClose={onClose}>
      {webhook !== null && <EditWebhook orgId={orgId} webhook={webhook} onClose={onClose} />}
    </Dialog>
  );
}

function EditWebhook({ orgId, webhook, onClose }: WebhookDialogProps & { readonly webhook: Webhook }): JSX.Element {
  const [events, setEvents] = useState<readonly SubscribedEvent[]>(webhook.events);
  return (
    <Form
      button="Save"
      beside={<CancelButton onClick={onClose} />}
      send={(values) =>
        updateWebhook(platform, {
          params: { org_id: orgId, webhook_id: webhook.id },
          body: changeOf(webhook, values, events),
        })
      }
      done={({ url }) => {
        announce(`${url} is saved.`);
        void refreshWebhooks();
        onClose();
      }}
    >
      <WebhookFields webhook={webhook} events={events} onEvents={setEvents} />
      <div class="stack tight">
        <label class="choice">
          <input type="checkbox" name="is_active" defaultChecked={webhook.is_active} aria-describedby="active-effect" />
          Active
        </label>
        <p class="small muted" id="active-effect">
          An inactive webhook gets no new events. What is not delivered yet waits, for up to a day.
        </p>
      </div>
    </Form>
  );
}

/** What differs, and whether it is active: the audit log lists the fields that are sent. */
function changeOf(
  webhook: Webhook,
  { url = '', description, is_active: isActive }: Values,
  events: readonly SubscribedEvent[],
): Schemas['UpdateWebhookRequest'] {
  const entered = description ?? null;
  const sameEvents = events.length === webhook.events.length && events.every((each) => webhook.events.includes(each));
  return {
    is_active: isActive === 'on',
    ...(url !== webhook.url && { url }),
    ...(entered !== webhook.description && { description: entered }),
    ...(!sameEvents && { events: [...events] }),
  };
}
