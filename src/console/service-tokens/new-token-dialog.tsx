import { createServiceToken, type Schemas } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { platform } from '../session/session.js';
import { CancelButton, Dialog } from '../ui/dialog.js';
import { Choices } from '../ui/fields.js';
import { Field, Form } from '../ui/form.js';
import { Expiry } from './expiry.js';
import { IssuedSecret } from './issued-secret.js';
import { refreshServiceTokens } from './queries.js';
import { scopeMeanings } from './scopes.js';

export interface NewTokenDialogProps {
  readonly orgId: string;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Creates a service token, and then shows its secret. */
export function NewTokenDialog({ orgId, open, onClose }: NewTokenDialogProps): JSX.Element {
  return (
    <Dialog title="New service token" open={open} onClose={onClose}>
      <NewToken orgId={orgId} onClose={onClose} />
    </Dialog>
  );
}

function NewToken({ orgId, onClose }: Omit<NewTokenDialogProps, 'open'>): JSX.Element {
  const [scopes, setScopes] = useState<readonly Schemas['ServiceTokenScope'][]>([]);
  // In the state of this component only, so that closing the dialog forgets it.
  const [secret, setSecret] = useState<string | null>(null);
  if (secret !== null) return <IssuedSecret secret={secret} onClose={onClose} />;
  return (
    <Form
      button="Create"
      beside={<CancelButton onClick={onClose} />}
      send={({ name = '', expires_in_days: days }) =>
        createServiceToken(platform, {
          params: { org_id: orgId },
          body: { name, scopes: [...scopes], expires_in_days: Number(days) },
        })
      }
      done={({ token }) => {
        setSecret(token);
        void refreshServiceTokens();
      }}
    >
      <Field name="name" label="Name" hint="What uses the token, such as “Nightly export”." maxLength={100} required />
      <Choices name="scopes" label="Scopes" options={scopeMeanings} value={scopes} onChange={setScopes} />
      <Expiry />
    </Form>
  );
}
