import { verifySession } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { CurrentPassword } from '../account/current-password.js';
import { factorsOf, useMfa } from '../account/mfa.js';
import { useWaysToLogIn } from '../account/ways-to-log-in.js';
import { FactorForm } from '../enter/factor-form.js';
import { proofQuestion, type ProofQuestion } from '../session/proof.js';
import { logOut, platform } from '../session/session.js';
import { useStore } from '../session/store.js';
import { CancelButton, Dialog } from '../ui/dialog.js';
import { Form } from '../ui/form.js';
import { View } from '../ui/view.js';

/** Asks for a fresh proof, while a request waits for one. */
export default function ProofDialog(): JSX.Element {
  const question = useStore(proofQuestion);
  return (
    <Dialog title="Is it you?" open={question !== null} onClose={() => question?.end(false)}>
      {question !== null && <Question {...question} />}
    </Dialog>
  );
}

function Question({ reason, end }: ProofQuestion): JSX.Element {
  const mfa = useMfa(true);
  const ways = useWaysToLogIn();
  const cancel = (): void => {
    end(false);
  };
  const done = (): void => {
    end(true);
  };
  return (
    <>
      <View query={mfa} what="your second factor">
        {(state) => {
          const methods = factorsOf(state);
          if (methods.length > 0) {
            return (
              <>
                <Introduction />
                <FactorForm
                  methods={methods}
                  button="Continue"
                  send={(body) => verifySession(platform, { body })}
                  done={done}
                  beside={<CancelButton onClick={cancel} />}
                />
              </>
            );
          }
          return (
            <View query={ways} what="your ways to log in">
              {({ has_password }) =>
                has_password ? <ByPassword done={done} cancel={cancel} /> : <ByLogIn reason={reason} cancel={cancel} />
              }
            </View>
          );
        }}
      </View>
    </>
  );
}

function ByPassword({ done, cancel }: { done: () => void; cancel: () => void }): JSX.Element {
  return (
    <Form
      button="Continue"
      beside={<CancelButton onClick={cancel} />}
      send={({ current_password = '' }) => verifySession(platform, { body: { current_password } })}
      done={done}
    >
      <Introduction />
      <CurrentPassword />
    </Form>
  );
}

function Introduction(): JSX.Element {
  return <p>This needs a proof of the last 10 minutes. Prove that it is you, and the change is made.</p>;
}

/** An account without a password and a second factor is proved by a log-in. The server knows which one is enough. */
function ByLogIn({ reason, cancel }: { reason: string; cancel: () => void }): JSX.Element {
  return (
    <>
      <p>{reason}</p>
      <div class="actions">
        <button
          type="button"
          class="primary"
          onClick={() => {
            cancel();
            void logOut();
          }}
        >
          Log in again
        </button>
        <CancelButton onClick={cancel} />
      </div>
    </>
  );
}
