import { updateMfaRequirement } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { queries } from '../session/queries.js';
import { platform } from '../session/session.js';
import { Form } from '../ui/form.js';
import { announce } from '../ui/toasts.js';
import { View } from '../ui/view.js';
import { useOrganization } from './queries.js';

/** Whether members need a second factor. Only owners see and change it. */
export function MfaRequirement({ orgId }: { orgId: string }): JSX.Element {
  const params = { org_id: orgId };
  const organization = useOrganization(orgId);
  return (
    <section class="card">
      <h2>Second factor</h2>
      <View query={organization} what="whether members need a second factor">
        {({ mfa_required: isRequired }) => (
          <Form
            button={isRequired ? 'Do not demand it any more' : 'Demand a second factor'}
            send={() => updateMfaRequirement(platform, { params, body: { mfa_required: !isRequired } })}
            done={(changed) => {
              queries.setQueryData(['organization', orgId], changed);
              announce(
                changed.mfa_required ? 'Members need a second factor now.' : 'Members need no second factor now.',
              );
            }}
          >
            <p>
              {isRequired
                ? 'Members see nothing of the organization in sessions without a second factor. Service tokens continue to work. Sessions by SSO are excepted: there, the identity provider decides about a second factor.'
                : 'Members can work without a second factor. If you demand one, those who have none see nothing of the organization until they have set one up. Sessions by SSO are excepted: there, the identity provider decides about a second factor. You need one yourself first.'}
            </p>
          </Form>
        )}
      </View>
    </section>
  );
}
