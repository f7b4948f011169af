import { connectIntegration, type Schemas } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { queries } from '../session/queries.js';
import { platform } from '../session/session.js';
import { CancelButton, Dialog } from '../ui/dialog.js';
import { Select } from '../ui/fields.js';
import { Field, Form } from '../ui/form.js';
import { announce } from '../ui/toasts.js';
import { appHosts, ConnectByApp } from './connect-by-app.js';
import { codeHosts, sourceOf } from './words.js';

export interface ConnectDialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  /** Called with the new integration. */
  readonly onConnected: (integration: Schemas['Integration']) => void;
}

/** Connects a code host with an access token. */
export function ConnectDialog({ open, onClose, onConnected }: ConnectDialogProps): JSX.Element {
  const [provider, setProvider] = useState<Schemas['CodeHost']>('host_a');
  const isSelfHosted = sourceOf(provider)?.isSelfHosted === true;
  return (
    <Dialog title="Connect a code host" open={open} onClose={onClose}>
      {appHosts().length > 0 && (
        <>
          <ConnectByApp returnTo="/console/sources" />
          <h3>Or connect with an access token</h3>
        </>
      )}
      <Form
        button="Connect and test"
        beside={<CancelButton onClick={onClose} />}
        send={({ name = '', token = '', base_url }) =>
          connectIntegration(platform, { body: { provider, name, token: token.trim(), base_url: base_url ?? null } })
        }
        done={(integration) => {
          announce(`${integration.name} is connected.`);
          void queries.invalidateQueries();
          onClose();
          onConnected(integration);
        }}
      >
        <Select name="provider" label="Code host" options={codeHosts} value={provider} onChange={setProvider} />
        <Field
          key={provider}
          name="name"
          label="Name"
          value={codeHosts[provider]}
          hint="Unique among the connections to this code host."
          maxLength={100}
          required
        />
        <Field
          name="token"
          label="Access token"
          type="password"
          autocomplete="off"
          hint={`A token of ${codeHosts[provider]} that may read the repositories. ${sourceOf(provider)?.tokenForm ?? ''} It is stored encrypted.`}
          required
        />
        <Field
          name="base_url"
          label="Base URL of its API"
          type="url"
          hint={
            isSelfHosted
              ? 'Such as https://git.example.com.'
              : 'Only for a self-hosted installation. Leave it empty for the public one.'
          }
          required={isSelfHosted}
        />
      </Form>
    </Dialog>
  );
}
