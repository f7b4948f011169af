import { createWebhook } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { platform } from '../session/session.js';
import type { CreationDialogProps } from '../shell/creation-page.js';
import { Dialog } from '../ui/dialog.js';
import { SecretForm } from '../ui/secret-form.js';
import { refreshWebhooks } from './queries.js';
import { WebhookFields, type SubscribedEvent } from './webhook-fields.js';

/** Creates a webhook, and then shows its secret. */
export function NewWebhookDialog({ orgId, open, onClose }: CreationDialogProps): JSX.Element {
  return (
    <Dialog title="New webhook" open={open} onClose={onClose}>
      <NewWebhook orgId={orgId} onClose={onClose} />
    </Dialog>
  );
}

function NewWebhook({ orgId, onClose }: Omit<CreationDialogProps, 'open'>): JSX.Element {
  const [events, setEvents] = useState<readonly SubscribedEvent[]>([]);
  return (
    <SecretForm
      button="Create"
      send={({ url = '', description = null }) =>
        createWebhook(platform, { params: { org_id: orgId }, body: { url, events: [...events], description } })
      }
      secretOf={({ secret }) => secret}
      ifLost="rotate it"
      onIssued={() => void refreshWebhooks()}
      onClose={onClose}
    >
      <WebhookFields events={events} onEvents={setEvents} />
    </SecretForm>
  );
}
