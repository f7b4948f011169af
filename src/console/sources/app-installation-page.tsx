import { unwrap } from '@plumbline/sdk';
import { connectAppInstallation } from '@plumbline/sdk/platform';
import { useMutation } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Link, useLocation, useParams } from 'wouter-preact';
import { queries } from '../session/queries.js';
import { platform } from '../session/session.js';
import { Entrance } from '../shell/entrance.js';
import { Failed } from '../ui/failed.js';
import { announce } from '../ui/toasts.js';
import { codeHosts } from './words.js';

type Body = NonNullable<Parameters<typeof connectAppInstallation>[1]>['body'];

/** Where a code host sends the browser back to: connects the installation, and leads to the page that the user came from. */
export default function AppInstallationPage(): JSX.Element {
  const { host } = useParams<{ host?: string }>();
  const provider = host === 'gitlab' ? 'host_b' : 'host_a';
  const hostName = codeHosts[provider];
  const [body] = useState(() => takeParameters(provider));
  const [, navigate] = useLocation();
  const connect = useMutation({
    mutationFn: async (sent: Body) => unwrap(await connectAppInstallation(platform, { body: sent })),
    onSuccess: async ({ outcome, integration, return_to }) => {
      if (outcome === 'requested') return;
      announce(`${integration?.name ?? hostName} is connected.`);
      await queries.invalidateQueries();
      navigate(return_to.replace(/^\/console/, ''), { replace: true });
    },
  });
  const { mutate } = connect;
  useEffect(() => {
    if (body !== null) mutate(body);
  }, [body, mutate]);

  if (connect.data?.outcome === 'requested') {
    return (
      <Entrance title="Waiting for approval">
        <p>
          An owner at {hostName} has been asked to install the app. When it is installed, choose “The app is installed
          already” in Plumbline.
        </p>
        <BackButton to={connect.data.return_to.replace(/^\/console/, '')} />
      </Entrance>
    );
  }
  return (
    <Entrance title={`Connect ${hostName}`}>
      {body !== null && !connect.isError ? (
        <p role="status">Connecting …</p>
      ) : (
        <>
          {body === null && <p>Begin again: {hostName} has not said what to connect.</p>}
          <Failed mutation={connect} />
          <BackButton to="/onboarding" />
        </>
      )}
    </Entrance>
  );
}

function BackButton({ to }: { to: string }): JSX.Element {
  return (
    <div class="actions">
      <Link href={to} class="button primary">
        Back
      </Link>
    </div>
  );
}

/**
 * What the code host has added to the address. It is taken away from there, so that neither the history nor a shared address has
 * it. @returns null: there is no state
 */
function takeParameters(provider: NonNullable<Body['provider']>): Body | null {
  const parameters = new URLSearchParams(location.search);
  const state = parameters.get('state');
  if (location.search !== '') history.replaceState(history.state, '', location.pathname);
  if (state === null || state === '') return null;
  const code = parameters.get('code');
  const id = parameters.get('installation_id');
  const action = actions.find((each) => each === parameters.get('setup_action'));
  return {
    provider,
    state,
    ...(code === null ? {} : { code }),
    ...(id === null ? {} : { installation_id: id }),
    ...(action === undefined ? {} : { setup_action: action }),
  };
}

const actions = ['install', 'update', 'request'] as const;
