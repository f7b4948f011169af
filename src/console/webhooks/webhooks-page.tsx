import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { CreationPage } from '../shell/creation-page.js';
import { DeliveriesDialog } from './deliveries-dialog.js';
import { EditWebhookDialog, type WebhookDialogProps } from './edit-webhook-dialog.js';
import { NewWebhookDialog } from './new-webhook-dialog.js';
import type { Webhook } from './queries.js';
import { RotateWebhookDialog } from './rotate-webhook-dialog.js';
import { Thresholds } from './thresholds.js';
import { WebhookList, type WebhookAction } from './webhook-list.js';

/** Where the events of the organization are sent, and the figures that cause one of them. */
export default function WebhooksPage(): JSX.Element {
  return (
    <CreationPage title="Webhooks" intro="These URLs receive the events of the organization." button="New webhook">
      {(dialog) => (
        <>
          <Webhooks orgId={dialog.orgId} />
          <Thresholds orgId={dialog.orgId} />
          <NewWebhookDialog {...dialog} />
        </>
      )}
    </CreationPage>
  );
}

/** The webhooks, and the dialogs of their buttons. */
function Webhooks({ orgId }: { readonly orgId: string }): JSX.Element {
  const [opened, setOpened] = useState<{ readonly action: WebhookAction; readonly webhook: Webhook } | null>(null);
  const propsOf = (action: WebhookAction): WebhookDialogProps => ({
    orgId,
    webhook: opened?.action === action ? opened.webhook : null,
    onClose: () => {
      setOpened(null);
    },
  });
  return (
    <>
      <WebhookList
        orgId={orgId}
        onAction={(action, webhook) => {
          setOpened({ action, webhook });
        }}
      />
      <EditWebhookDialog {...propsOf('edit')} />
      <RotateWebhookDialog {...propsOf('rotate')} />
      <DeliveriesDialog {...propsOf('deliveries')} />
    </>
  );
}
