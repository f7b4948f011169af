import { rotateServiceToken } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { platform } from '../session/session.js';
import { CancelButton, Dialog } from '../ui/dialog.js';
import { Select } from '../ui/fields.js';
import { Form } from '../ui/form.js';
import { Expiry } from './expiry.js';
import { IssuedSecret } from './issued-secret.js';
import { refreshServiceTokens, type ServiceToken } from './queries.js';

/** In seconds. */
const overlaps = { '0': 'Not at all', '3600': '1 hour', '86400': '1 day', '604800': '7 days' } as const;

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
  // In the state of this component only, so that closing the dialog forgets it.
  const [secret, setSecret] = useState<string | null>(null);
  if (secret !== null) return <IssuedSecret secret={secret} onClose={onClose} />;
  return (
    <Form
      button="Rotate"
      beside={<CancelButton onClick={onClose} />}
      send={({ overlap_seconds: overlap, expires_in_days: days }) =>
        rotateServiceToken(platform, {
          params: { org_id: orgId, service_token_id: token.id },
          body: { overlap_seconds: Number(overlap), ...(days !== undefined && { expires_in_days: Number(days) }) },
        })
      }
      done={({ token: issued }) => {
        setSecret(issued);
        void refreshServiceTokens();
      }}
    >
      <p>The token gets a new secret. Its name and scopes stay.</p>
      <Select
        name="overlap_seconds"
        label="Accept earlier secrets for"
        options={overlaps}
        value="86400"
        hint="Choose “Not at all” if a secret has leaked."
      />
      <Expiry canKeep />
    </Form>
  );
}
