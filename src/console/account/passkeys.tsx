import { deletePasskey, registerPasskey, updatePasskey, type Schemas } from '@plumbline/sdk/platform';
import { unwrap } from '@plumbline/sdk';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { createPasskey, hasPasskeys } from '../enter/passkeys.js';
import { platform } from '../session/session.js';
import { CancelButton, Dialog } from '../ui/dialog.js';
import { Field, Form } from '../ui/form.js';
import { Moment } from '../ui/moment.js';
import { useRemoval } from '../ui/removal.js';
import { RowButton } from '../ui/row-button.js';
import { announce } from '../ui/toasts.js';
import { RecoveryCodes } from './recovery-codes.js';

type Passkey = Schemas['Passkey'];

export interface PasskeysProps {
  readonly passkeys: readonly Passkey[];
  readonly refresh: () => Promise<void>;
}

/** The passkeys of the account: each is a second factor, and logs in without a password. */
export function Passkeys({ passkeys, refresh }: PasskeysProps): JSX.Element {
  const [renamed, setRenamed] = useState<Passkey | null>(null);
  const [isAdding, setAdding] = useState(false);
  const removal = useRemoval<Passkey>({
    nameOf: ({ name }) => name,
    button: 'Delete',
    text: 'It can no longer log in to your account.',
    done: 'is deleted',
    remove: async ({ id }) => {
      const reply = await deletePasskey(platform, { params: { passkey_id: id } });
      if (reply.status !== 404) unwrap(reply); // gone already is as good
    },
    refresh,
  });
  const close = (): void => {
    setRenamed(null);
    setAdding(false);
    void refresh(); // not before: recovery codes are shown until then
  };
  return (
    <>
      {passkeys.length > 0 && (
        <ul class="rows" aria-label="Passkeys">
          {passkeys.map((passkey) => (
            <li key={passkey.id}>
              <span>
                {passkey.name}{' '}
                <span class="small muted">
                  {passkey.last_used_at === null ? 'added ' : 'used '}
                  <Moment at={passkey.last_used_at ?? passkey.created_at} />
                </span>
              </span>
              <span class="actions">
                <RowButton
                  label="Rename"
                  of={passkey.name}
                  onClick={() => {
                    setRenamed(passkey);
                  }}
                />
                <RowButton
                  label="Delete"
                  of={passkey.name}
                  onClick={() => {
                    removal.ask(passkey);
                  }}
                />
              </span>
            </li>
          ))}
        </ul>
      )}
      {removal.parts}
      {hasPasskeys() ? (
        <div class="actions">
          <button
            type="button"
            onClick={() => {
              setAdding(true);
            }}
          >
            Add a passkey
          </button>
        </div>
      ) : (
        <p class="small muted">
          This browser has no passkeys for this address. They need a host name with https, or localhost.
        </p>
      )}
      <Dialog title="Add a passkey" open={isAdding} onClose={close}>
        <AddPasskey onClose={close} />
      </Dialog>
      <Dialog title="Rename the passkey" open={renamed !== null} onClose={close}>
        {renamed !== null && (
          <Form
            button="Rename"
            beside={<CancelButton onClick={close} />}
            send={({ name = '' }) => updatePasskey(platform, { params: { passkey_id: renamed.id }, body: { name } })}
            done={close}
          >
            <Field name="name" label="Name" value={renamed.name} maxLength={100} required autofocus />
          </Form>
        )}
      </Dialog>
    </>
  );
}

function AddPasskey({ onClose }: { onClose: () => void }): JSX.Element {
  // In the state of this component only, so that closing the dialog forgets them.
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  if (codes !== null) return <RecoveryCodes codes={codes} onClose={onClose} />;
  return (
    <Form
      button="Add"
      beside={<CancelButton onClick={onClose} />}
      send={async ({ name = '' }) => registerPasskey(platform, { body: { name, ...(await createPasskey()) } })}
      done={({ recovery_codes: issued }) => {
        announce('The passkey is added.');
        if (issued.length > 0) setCodes(issued);
        else onClose();
      }}
    >
      <p>
        A passkey is a second factor, and logs you in without a password. Your device asks for your fingerprint, your
        face or a PIN.
      </p>
      <Field name="name" label="Name" hint="Such as the device that keeps it." maxLength={100} required autofocus />
    </Form>
  );
}
