import { deleteTotp, rotateRecoveryCodes } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { queries } from '../session/queries.js';
import { platform } from '../session/session.js';
import { CancelButton, Dialog } from '../ui/dialog.js';
import { Form } from '../ui/form.js';
import { Moment } from '../ui/moment.js';
import { announce } from '../ui/toasts.js';
import { View } from '../ui/view.js';
import { useMfa } from './mfa.js';
import { Passkeys } from './passkeys.js';
import { RecoveryCodes } from './recovery-codes.js';
import { SetUpTotp } from './set-up-totp.js';

type Task = 'set-up' | 'codes' | 'remove';

/** Whether the session is proved may have changed, too, which decides what an organization shows. */
async function refresh(): Promise<void> {
  await queries.invalidateQueries({ queryKey: ['me'] });
  await queries.invalidateQueries({ queryKey: ['mfa'] });
}

/** What log-ins ask for after the password. */
export function SecondFactor(): JSX.Element {
  const mfa = useMfa();
  const [task, setTask] = useState<Task | null>(null);
  const close = (): void => {
    setTask(null);
    void refresh(); // not before: recovery codes are shown until then
  };
  const begin = (next: Task) => (): void => {
    setTask(next);
  };
  return (
    <section class="card">
      <h2>Second factor</h2>
      <View query={mfa} what="your second factor">
        {({ totp_enabled_at: since, recovery_codes_left: left, passkeys }) => (
          <>
            {since === null && passkeys.length === 0 && (
              <p>With a second factor, a log-in needs a device of yours in addition to the password.</p>
            )}
            {since === null ? (
              <div class="actions">
                <button type="button" onClick={begin('set-up')}>
                  Set up an authenticator app
                </button>
              </div>
            ) : (
              <div class="card-head">
                <span>
                  Authenticator app{' '}
                  <span class="small muted">
                    since <Moment at={since} />
                  </span>
                </span>
                <button type="button" onClick={begin('remove')}>
                  Remove the app
                </button>
              </div>
            )}
            <Passkeys passkeys={passkeys} refresh={refresh} />
            {(since !== null || passkeys.length > 0) && (
              <div class="card-head">
                <span>
                  {left} of 10 recovery codes left {left < 3 && <span class="tag warn">replace them</span>}
                </span>
                <button type="button" onClick={begin('codes')}>
                  Replace the codes
                </button>
              </div>
            )}
          </>
        )}
      </View>
      <Dialog title="Set up an authenticator app" open={task === 'set-up'} onClose={close}>
        <SetUpTotp onClose={close} />
      </Dialog>
      <Dialog title="Replace the recovery codes" open={task === 'codes'} onClose={close}>
        <ReplaceCodes onClose={close} />
      </Dialog>
      <Dialog title="Remove the authenticator app?" open={task === 'remove'} onClose={close}>
        <Form
          button="Remove the app"
          beside={<CancelButton onClick={close} />}
          send={() => deleteTotp(platform)}
          done={() => {
            announce('The authenticator app is removed.');
            close();
          }}
        >
          <p>Log-ins then no longer ask for its codes.</p>
        </Form>
      </Dialog>
    </section>
  );
}

function ReplaceCodes({ onClose }: { onClose: () => void }): JSX.Element {
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  if (codes !== null) return <RecoveryCodes codes={codes} onClose={onClose} />;
  return (
    <Form
      button="Replace the codes"
      beside={<CancelButton onClick={onClose} />}
      send={() => rotateRecoveryCodes(platform)}
      done={({ recovery_codes: issued }) => {
        setCodes(issued);
      }}
    >
      <p>You get ten new codes. The codes that you have now no longer work.</p>
    </Form>
  );
}
