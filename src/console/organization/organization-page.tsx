import type { JSX } from 'preact';
import { useMe } from '../session/queries.js';
import { useSetupStatus } from '../session/setup.js';
import { Page } from '../shell/page.js';
import { View } from '../ui/view.js';
import { CalendarCard } from './calendar-form.js';
import { Checklist } from './checklist.js';
import { DemoData } from './demo-data.js';
import { MfaRequirement } from './mfa-requirement.js';
import { Ownership } from './ownership.js';
import { Rename } from './rename.js';
import { Sso } from './sso.js';

/** The organization: what it is called, and how far its set-up has come. */
export default function OrganizationPage(): JSX.Element {
  const me = useMe();
  return (
    <Page title="Organization" intro={me.data?.org_name ?? undefined}>
      <View query={me} what="your organization">
        {({ org_name, org_id, role, permissions }) => (
          <section class="card">
            <h2>About</h2>
            <dl class="facts">
              <dt>Name</dt>
              <dd>{org_name}</dd>
              <dt>Id</dt>
              <dd>
                <code>{org_id}</code>
              </dd>
              <dt>Your role</dt>
              <dd>{role}</dd>
            </dl>
            {org_id !== null && permissions.includes('organization:write') && <Rename orgId={org_id} name={org_name} />}
          </section>
        )}
      </View>
      {me.data?.org_id != null && me.data.permissions.includes('classification:write') && (
        <CalendarCard orgId={me.data.org_id} />
      )}
      {me.data?.permissions.includes('setup:read') === true && <Setup />}
      {me.data?.permissions.includes('demo:write') === true && <DemoData />}
      {me.data?.org_id != null && me.data.permissions.includes('owners:manage') && (
        <>
          <MfaRequirement orgId={me.data.org_id} />
          <Sso orgId={me.data.org_id} />
          <Ownership orgId={me.data.org_id} meId={me.data.id} />
        </>
      )}
    </Page>
  );
}

function Setup(): JSX.Element {
  const status = useSetupStatus();
  return (
    <section class="card">
      <h2>Set-up</h2>
      <View query={status} what="the set-up">
        {(data) => <Checklist status={data} />}
      </View>
    </section>
  );
}
