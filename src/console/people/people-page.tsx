import { Fragment, type JSX } from 'preact';
import { useMe } from '../session/queries.js';
import { Page } from '../shell/page.js';
import { View } from '../ui/view.js';
import { Invitations } from './invitations.js';
import { Members } from './members.js';
import { roleMeanings } from './roles.js';

/** The people of the organization: members with their roles, and invitations. */
export default function PeoplePage(): JSX.Element {
  return (
    <Page title="People" intro="Members of the organization, and who is invited to join it.">
      <View query={useMe()} what="your account">
        {({ id, org_id, org_name, role, permissions }) =>
          org_id === null || role === null ? null : (
            <>
              <Members me={{ id, role, orgId: org_id, orgName: org_name ?? 'the organization' }} />
              {permissions.includes('members:invite') && <Invitations orgId={org_id} role={role} />}
              <Roles />
            </>
          )
        }
      </View>
    </Page>
  );
}

function Roles(): JSX.Element {
  return (
    <details class="card">
      <summary>What each role may do</summary>
      <dl class="facts">
        {Object.entries(roleMeanings).map(([role, meaning]) => (
          <Fragment key={role}>
            <dt>{role}</dt>
            <dd>{meaning}</dd>
          </Fragment>
        ))}
      </dl>
    </details>
  );
}
