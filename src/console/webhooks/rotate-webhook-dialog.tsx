import { rotateWebhookSecret } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { platform } from '../session/session.js';
import { Dialog } from '../ui/dialog.js';
import { Overlap } from '../ui/overlap.js';
import { SecretForm } from '../ui/secret-form.js';
import type { WebhookDialogProps } from './edit-webhook-dialog.js';
import { refreshWebhooks } from './queries.js';

/** Gives a webhook a new secret, and then shows it. */
export function RotateWebhookDialog({ orgId, webhook, onClose }: WebhookDialogProps): JSX.Element {
  return (
    <Dialog title="Rotate the secret" open={webhook !== null} onClose={onClose}>
      {webhook !== null && (
        <SecretForm
          button="Rotate"
          send={({ overlap_seconds: overlap }) =>
            rotateWebhookSecret(platform, {
              params: { org_id: orgId, webhook_id: webhook.id },
              body: { overlap_seconds: Number(overlap) },
            })
          }
          secretOf={({ secret }) => secret}
          ifLost="rotate it again"
          onIssued={() => void refreshWebhooks()}
          onClose={onClose}
        >
          <p class="break">{webhook.url} gets a new secret.</p>
          <Overlap label="Also sign with the previous secret for" />
        </SecretForm>
      )}
    </Dialog>
  );
}
