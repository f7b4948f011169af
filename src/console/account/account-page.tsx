import { changePassword, forgotPassword, updateMe } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { MailboxLink } from '../enter/mailbox-link.js';
import { NewPassword } from '../enter/new-password.js';
import { passwordFaults } from '../enter/password-check.js';
import { queries, useMe, type Me } from '../session/queries.js';
import { logOut, platform } from '../session/session.js';
import { Page } from '../shell/page.js';
import { ThemeChoice } from '../shell/theme-choice.js';
import { Field, Form } from '../ui/form.js';
import { Moment } from '../ui/moment.js';
import { announce } from '../ui/toasts.js';
import { View } from '../ui/view.js';
import { CurrentPassword } from './current-password.js';
import { Organizations } from './organizations.js';
import { OwnAccount } from './own-account.js';
import { SecondFactor } from './second-factor.js';
import { Sessions } from './sessions.js';
import { useWaysToLogIn, WaysToLogIn } from './ways-to-log-in.js';

/** The account of the current user: profile, password, sessions, organizations, theme. */
export default function AccountPage(): JSX.Element {
  return (
    <Page
      title="Account"
      actions={
        <button
          type="button"
          onClick={() => {
            void logOut();
          }}
        >
          Log out
        </button>
      }
    >
      <div class="columns">
        <View query={useMe()} what="your account">
          {(me) => <Profile me={me} />}
        </View>
        <section class="card">
          <h2>Appearance</h2>
          <ThemeChoice />
          <p class="small muted">Kept in this browser.</p>
        </section>
        <Password />
        <WaysToLogIn />
        <SecondFactor />
        <Organizations />
        <OwnAccount />
      </div>
      <Sessions />
    </Page>
  );
}

function Profile({ me }: { me: Me }): JSX.Element {
  return (
    <section class="card">
      <h2>Profile</h2>
      <dl class="facts">
        <dt>E-mail address</dt>
        <dd>{me.email}</dd>
        <dt>Name</dt>
        <dd>{me.full_name ?? <span class="muted">none</span>}</dd>
        {me.org_name !== null && (
          <>
            <dt>Organization</dt>
            <dd>
              {me.org_name} <span class="tag">{me.role}</span>
            </dd>
          </>
        )}
        {me.last_login_at !== null && (
          <>
            <dt>Last log-in</dt>
            <dd>
              <Moment at={me.last_login_at} />
            </dd>
          </>
        )}
      </dl>
      <details>
        <summary>Change the name</summary>
        <Form
          key={me.full_name}
          button="Save the name"
          send={({ full_name }) => updateMe(platform, { body: { full_name: full_name ?? null } })}
          done={(changed) => {
            announce('Your name is saved.');
            queries.setQueryData(['me'], changed);
          }}
        >
          <Field
            name="full_name"
            label="Name"
            autocomplete="name"
            maxLength={100}
            {...(me.full_name !== null && { value: me.full_name })}
          />
        </Form>
      </details>
    </section>
  );
}

function Password(): JSX.Element {
  const [round, setRound] = useState(0); // a new form after each change
  const email = useMe().data?.email;
  if (useWaysToLogIn().data?.has_password === false && email !== undefined) return <NoPassword email={email} />;
  return (
    <section class="card">
      <h2>Password</h2>
      <Form
        key={round}
        button="Change the password"
        passwordField="new_password"
        check={({ new_password = '' }) => ({ new_password: passwordFaults(new_password, []) })}
        send={({ current_password = '', new_password = '' }) =>
          changePassword(platform, { body: { current_password, new_password } })
        }
        done={({ message }) => {
          announce(message);
          setRound(round + 1);
        }}
      >
        <CurrentPassword />
        <NewPassword name="new_password" label="New password" />
      </Form>
    </section>
  );
}

/** The mail proves the mailbox, as there is no current password to ask for. */
function NoPassword({ email }: { email: string }): JSX.Element {
  const [isSent, setSent] = useState(false);
  return (
    <section class="card">
      <h2>Password</h2>
      <p>Your account has no password. With one, you can also log in without an identity provider.</p>
      {isSent ? (
        <>
          <div class="banner good" role="status">
            <p>A mail to {email} is on its way. Its link works for one hour.</p>
          </div>
          <MailboxLink />
        </>
      ) : (
        <Form
          button="Send a link to choose one"
          send={() => forgotPassword(platform, { body: { email } })}
          done={() => {
            setSent(true);
          }}
        >
          {null}
        </Form>
      )}
    </section>
  );
}
