import { createServiceToken, type Schemas } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { platform } from '../session/session.js';
import type { CreationDialogProps } from '../shell/creation-page.js';
import { Dialog } from '../ui/dialog.js';
import { Choices } from '../ui/fields.js';
import { Field } from '../ui/form.js';
import { SecretForm } from '../ui/secret-form.js';
import { Expiry } from './expiry.js';
import { refreshServiceTokens } from './queries.js';
import { scopeMeanings } from './scopes.js';

/** Creates a service token, and then shows its secret. */
export function NewTokenDialog({ orgId, open, onClose }: CreationDialogProps): JSX.Element {
  return (
    <Dialog title="New service token" open={open} onClose={onClose}>
      <NewToken orgId={orgId} onClose={onClose} />
    </Dialog>
  );
}

function NewToken({ orgId, onClose }: Omit<CreationDialogProps, 'open'>): JSX.Element {
  const [scopes, setScopes] = useState<readonly Schemas['ServiceTokenScope'][]>([]);
  return (
    <SecretForm
      button="Create"
      send={({ name = '', expires_in_days: days }) =>
        createServiceToken(platform, {
          params: { org_id: orgId },
          body: { name, scopes: [...scopes], expires_in_days: Number(days) },
        })
      }
      secretOf={({ token }) => token}
      ifLost="rotate the token"
      onIssued={() => void refreshServiceTokens()}
      onClose={onClose}
    >
      <Field name="name" label="Name" hint="What uses the token, such as “Nightly export”." maxLength={100} required />
      <Choices name="scopes" label="Scopes" options={scopeMeanings} value={scopes} onChange={setScopes} />
      <Expiry />
    </SecretForm>
  );
}
