import { changeEmail, deleteAccount, exportAccount, type Schemas } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useMe } from '../session/queries.js';
import { logOut, platform } from '../session/session.js';
import { CancelButton, Dialog } from '../ui/dialog.js';
import { download } from '../ui/download.js';
import { Field, Form } from '../ui/form.js';
import { announce } from '../ui/toasts.js';
import { CurrentPassword } from './current-password.js';
import { useWaysToLogIn } from './ways-to-log-in.js';

type Task = 'change-email' | 'export' | 'delete';

/** What a user does with the whole account: change its address, take its data, delete it. Each needs a proof. */
export function OwnAccount(): JSX.Element | null {
  const email = useMe().data?.email;
  const [task, setTask] = useState<Task | null>(null);
  const close = (): void => {
    setTask(null);
  };
  const begin = (next: Task) => (): void => {
    setTask(next);
  };
  if (email === undefined) return null;
  return (
    <section class="card">
      <h2>Address and data</h2>
      <div class="actions">
        <button type="button" onClick={begin('change-email')}>
          Change the e-mail address
        </button>
        <button type="button" onClick={begin('export')}>
          Download your data
        </button>
        <button type="button" class="danger" onClick={begin('delete')}>
          Delete the account
        </button>
      </div>
      <Dialog title="Change the e-mail address" open={task === 'change-email'} onClose={close}>
        <ChangeEmail email={email} onClose={close} />
      </Dialog>
      <Dialog title="Download your data" open={task === 'export'} onClose={close}>
        <Export onClose={close} />
      </Dialog>
      <Dialog title={`Delete the account ${email}?`} open={task === 'delete'} onClose={close}>
        <Deletion onClose={close} />
      </Dialog>
    </section>
  );
}

interface TaskProps {
  readonly onClose: () => void;
}

function ChangeEmail({ email, onClose }: TaskProps & { email: string }): JSX.Element {
  const [message, setMessage] = useState<string | null>(null);
  if (message !== null) {
    return (
      <>
        <div class="banner good" role="status">
          <p>{message}</p>
        </div>
        <p>The address stays {email} until both have confirmed.</p>
        <div class="actions">
          <button type="button" onClick={onClose}>
            Close
          </button>
        </div>
      </>
    );
  }
  return (
    <Form
      button="Send the mails"
      beside={<CancelButton onClick={onClose} />}
      send={({ new_email = '', current_password }) =>
        changeEmail(platform, { body: { new_email, ...proofOf(current_password) } })
      }
      done={(data) => {
        setMessage(data.message);
      }}
    >
      <p>{email} and the new address each get a mail with a link. Both have to confirm the change.</p>
      <Field name="new_email" label="New e-mail address" type="email" autocomplete="email" maxLength={254} required />
      <PasswordIfAny />
    </Form>
  );
}

function Export({ onClose }: TaskProps): JSX.Element {
  return (
    <Form
      button="Download"
      beside={<CancelButton onClick={onClose} />}
      send={({ current_password }) => exportAccount(platform, { body: proofOf(current_password) })}
      done={(data) => {
        download('plumbline-account.json', 'application/json', `${JSON.stringify(data, null, 2)}\n`);
        onClose();
      }}
    >
      <p>
        A JSON file with your profile, memberships, sessions, invitations, service tokens (without secrets) and audit
        records.
      </p>
      <PasswordIfAny />
    </Form>
  );
}

function Deletion({ onClose }: TaskProps): JSX.Element {
  return (
    <Form
      button="Delete the account for good"
      beside={<CancelButton onClick={onClose} />}
      send={({ current_password }) => deleteAccount(platform, { body: proofOf(current_password) })}
      done={({ message }) => {
        announce(message);
        void logOut(); // the cookie of the session goes too
      }}
    >
      <p>
        Your profile, your sessions, the links of mails and the invitations that you sent end at once. This cannot be
        undone.
      </p>
      <p class="small muted">
        An organization without other members is deleted too if nothing was connected in it. Service tokens, webhooks
        and whatever else you made belong to your organizations and stay. Audit logs keep the id of your account.
      </p>
      <PasswordIfAny />
    </Form>
  );
}

/** The password of an account that has one. Others are asked for a fresh proof if the server wants one. */
function PasswordIfAny(): JSX.Element | null {
  const hasPassword = useWaysToLogIn().data?.has_password !== false;
  return hasPassword ? <CurrentPassword /> : null;
}

const proofOf = (password: string | undefined): Schemas['AccountProof'] =>
  password === undefined ? {} : { current_password: password };
