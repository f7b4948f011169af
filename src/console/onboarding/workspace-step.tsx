import { onboard } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { waitingInvitation } from '../enter/one-time-token.js';
import { MyInvitations } from '../session/my-invitations.js';
import { queries } from '../session/queries.js';
import { platform } from '../session/session.js';
import { Field, Form } from '../ui/form.js';
import { Segments } from '../ui/segments.js';

const ways = { create: 'Create one', join: 'Join one' } as const;

/** Creates an organization, or joins one by an invitation. */
export function WorkspaceStep(): JSX.Element {
  const [way, setWay] = useState<keyof typeof ways>(waitingInvitation.get() === '' ? 'create' : 'join');
  const done = (): void => {
    waitingInvitation.clear();
    // The tokens are for the organization now. The next step depends on who the user is in it.
    void queries.refetchQueries({ queryKey: ['me'] }).then(() => queries.invalidateQueries());
  };
  return (
    <>
      <MyInvitations joined={done} />
      <Segments label="How to get an organization" options={ways} value={way} onChange={setWay} />
      {way === 'create' ? (
        <Form
          key="create"
          button="Create organization"
          send={({ org_name = '' }) => onboard(platform, { body: { action: 'create_org', org_name } })}
          done={done}
        >
          <Field
            name="org_name"
            label="Name of the organization"
            autocomplete="organization"
            maxLength={100}
            required
          />
        </Form>
      ) : (
        <Form
          key="join"
          button="Join organization"
          send={({ invite_code = '' }) =>
            onboard(platform, { body: { action: 'join_org', invite_code: codeOf(invite_code) } })
          }
          done={done}
        >
          <Field
            name="invite_code"
            label="Link or code of the invitation"
            hint="It is in the invitation mail. The mail has to be sent to the address of your account."
            value={waitingInvitation.get()}
            maxLength={2048}
            required
          />
        </Form>
      )}
    </>
  );
}

/** The code in what was entered: the whole link of the mail, or the code alone. */
function codeOf(entered: string): string {
  return /[?#&]token=([^&#\s]+)/.exec(entered)?.[1] ?? entered.trim();
}
