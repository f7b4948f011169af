import { acceptInvite } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { queries, useMe } from '../session/queries.js';
import { logOut, platform, session } from '../session/session.js';
import { useStore } from '../session/store.js';
import { Entrance } from '../shell/entrance.js';
import { Form } from '../ui/form.js';
import { announce } from '../ui/toasts.js';
import { View } from '../ui/view.js';
import { useOneTimeToken, waitingInvitation } from './one-time-token.js';

/** Where the link of an invitation leads: joins the organization with the account that it was sent to. */
export default function AcceptInvitePage(): JSX.Element {
  const given = useOneTimeToken();
  const token = given === '' ? waitingInvitation.get() : given;
  const isSignedIn = useStore(session).kind === 'in';
  useEffect(() => {
    if (given !== '') waitingInvitation.set(given);
  }, [given]);
  return (
    <Entrance title="Accept the invitation">
      {token === '' ? (
        <p>Open the link of the mail again.</p>
      ) : isSignedIn ? (
        <Accept token={token} />
      ) : (
        <>
          <p>Log in, or create an account, with the address that the invitation was sent to.</p>
          <div class="actions">
            <Link href="/login" class="button primary">
              Log in
            </Link>
            <Link href="/register" class="button">
              Create an account
            </Link>
          </div>
        </>
      )}
    </Entrance>
  );
}

function Accept({ token }: { token: string }): JSX.Element {
  const [, navigate] = useLocation();
  return (
    <View query={useMe()} what="your account">
      {({ email }) => (
        <>
          <p>
            You are logged in as <strong>{email}</strong>. The invitation has to be sent to this address.
          </p>
          <Form
            button="Join the organization"
            send={() => acceptInvite(platform, { body: { token } })}
            done={({ org_name, role }) => {
              waitingInvitation.clear();
              queries.clear();
              announce(`You have joined ${org_name} as ${role}.`);
              navigate('/', { replace: true });
            }}
            beside={
              <button
                type="button"
                onClick={() => {
                  void logOut();
                }}
              >
                Use another account
              </button>
            }
          >
            {null}
          </Form>
        </>
      )}
    </View>
  );
}
