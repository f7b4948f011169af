import { rotateServiceToken } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { platform } from '../session/session.js';
import { Dialog } from '../ui/dialog.js';
import { Overlap } from '../ui/overlap.js';
import { SecretForm } from '../ui/secret-form.js';
import { Expiry } from './expiry.js';
import { refreshServiceTokens, type ServiceToken } from './queries.js';

export interface RotateDialogProps {
  readonly orgId: string;
  /** null: the dialog is closed. */
  readonly token: ServiceToken | null;
  readonly onClose: () => void;
}

/** Issues a new secret for a token, and then shows it. */
export function RotateDialog({ orgId, token, onClose }: RotateDialogProps): JSX.Element {
  return (
    <Dialog title={`Rotate ${token?.name ?? ''}`} open={token !== null} onClose={onClose}>
      {token !== null && <Rotation orgId={orgId} token={token} onClose={onClose} />}
    </Dialog>
  );
}

function Rotation({ orgId, token, onClose }: RotateDialogProps & { readonly token: ServiceToken }): JSX.Element {
  return (
    <SecretForm
      button="Rotate"
      send={({ overlap_seconds: overlap, expires_in_days: days }) =>
        rotateServiceToken(platform, {
          params: { org_id: orgId, service_token_id: token.id },
          body: { overlap_seconds: Number(overlap), ...(days !== undefined && { expires_in_days: Number(days) }) },
        })
      }
      secretOf={({ token: issued }) => issued}
      ifLost="rotate the token"
      onIssued={() => void refreshServiceTokens()}
      onClose={onClose}
    >
      <p>The token gets a new secret. Its name and scopes stay.</p>
      <Overlap label="Accept earlier secrets for" />
      <Expiry canKeep />
    </SecretForm>
  );
}
