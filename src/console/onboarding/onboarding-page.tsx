import { unwrap } from '@plumbline/sdk';
import { getOnboardingState, type Schemas } from '@plumbline/sdk/platform';
import { useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { Redirect } from 'wouter-preact';
import { useMe } from '../session/queries.js';
import { Landing } from '../quarter/landing.js';
import { logOut, platform } from '../session/session.js';
import { Entrance } from '../shell/entrance.js';
import { Skeleton, View } from '../ui/view.js';
import { Steps } from './steps.js';
import { WorkspaceStep } from './workspace-step.js';
import { IntegrationStep } from './integration-step.js';

/** The first way through the product. The server alone decides which step is next. */
export default function OnboardingPage(): JSX.Element {
  const state = useQuery({
    queryKey: ['onboarding'],
    queryFn: async ({ signal }) => unwrap(await getOnboardingState(platform, { signal })),
  });
  return (
    <View query={state} what="where you stand">
      {(onboarding) => <Step state={onboarding} />}
    </View>
  );
}

function Step({ state }: { state: Schemas['OnboardingState'] }): JSX.Element {
  const me = useMe();
  switch (state.next_step) {
    case 'workspace':
      return (
        <Entrance title="Your organization" intro="Data, members and settings belong to an organization." wide>
          <Steps current={0} />
          <WorkspaceStep />
          <LogOut email={me.data?.email} />
        </Entrance>
      );
    case 'integration':
      // The step is known before the organization is: its pages would lead back here, and so on without end.
      if (me.data?.org_id === null) return <Skeleton what="your organization" />;
      // Members and viewers cannot connect a code host: their step is to wait for those who can.
      if (me.data?.permissions.includes('integrations:write') === false) return <Landing orgId={me.data.org_id} />;
      return (
        <Entrance title="Connect a code host" intro={`${state.org_name ?? 'Your organization'} needs data.`} wide>
          <Steps current={1} />
          <IntegrationStep recommended={state.recommended_provider} />
          <LogOut email={me.data?.email} />
        </Entrance>
      );
    case 'complete':
    case 'dashboard':
      if (me.data?.org_id === undefined) return <Skeleton what="your organization" />;
      return me.data.org_id === null ? <Redirect to="/account" replace /> : <Landing orgId={me.data.org_id} />;
  }
}

function LogOut({ email }: { email: string | undefined }): JSX.Element {
  return (
    <p class="small muted">
      {email !== undefined && `Logged in as ${email}. `}
      <button
        type="button"
        class="link"
        onClick={() => {
          void logOut();
        }}
      >
        Log out
      </button>
    </p>
  );
}
