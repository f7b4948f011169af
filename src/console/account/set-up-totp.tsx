import { startTotp, verifyTotp, type Schemas } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { TotpCode } from '../enter/factor-form.js';
import { platform } from '../session/session.js';
import { CancelButton } from '../ui/dialog.js';
import { Form } from '../ui/form.js';
import { QrCode } from '../ui/qr-code.js';
import { announce } from '../ui/toasts.js';
import { RecoveryCodes } from './recovery-codes.js';

/** Three steps: the secret, a code of it, the recovery codes. */
export function SetUpTotp({ onClose }: { onClose: () => void }): JSX.Element {
  // In the state of this component only, so that closing the dialog forgets them.
  const [secret, setSecret] = useState<Schemas['TotpSecret'] | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  if (codes !== null) return <RecoveryCodes codes={codes} onClose={onClose} />;
  if (secret === null) {
    return (
      <Form
        button="Continue"
        beside={<CancelButton onClick={onClose} />}
        send={() => startTotp(platform)}
        done={setSecret}
      >
        <p>You need an app that shows codes (TOTP), on your phone or in your password manager.</p>
      </Form>
    );
  }
  return (
    <Form
      key="code"
      button="Set up"
      beside={<CancelButton onClick={onClose} />}
      send={({ code = '' }) => verifyTotp(platform, { body: { code } })}
      done={({ recovery_codes: issued }) => {
        announce('The authenticator app is set up.');
        if (issued.length > 0) setCodes(issued);
        else onClose();
      }}
    >
      <p>Scan this code with the app, or enter the secret by hand.</p>
      <QrCode text={secret.otpauth_uri} label="QR code for the authenticator app" />
      <code class="break">{secret.secret.replace(/.{4}(?=.)/g, '$& ')}</code>
      <TotpCode />
    </Form>
  );
}
