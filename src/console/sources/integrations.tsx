import { unwrap } from '@plumbline/sdk';
import { disconnectIntegration, testIntegration, type Schemas } from '@plumbline/sdk/platform';
import { useMutation, type UseQueryResult } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { queries, useMay } from '../session/queries.js';
import { platform } from '../session/session.js';
import { Confirm } from '../ui/dialog.js';
import { Failed } from '../ui/failed.js';
import { Moment } from '../ui/moment.js';
import { announce } from '../ui/toasts.js';
import { View } from '../ui/view.js';
import { appHosts, useConnectByApp } from './connect-by-app.js';
import { ConnectDialog } from './connect-dialog.js';
import { codeHosts } from './words.js';

export type Integration = Schemas['Integration'];

/** The code hosts that the organization is connected to. */
export function Integrations({ query }: { query: UseQueryResult<readonly Integration[]> }): JSX.Element {
  const mayWrite = useMay('integrations:write');
  const [isConnecting, setConnecting] = useState(false);
  const [leaving, setLeaving] = useState<Integration | null>(null);
  const test = useMutation({
    mutationFn: async ({ id }: Integration) =>
      unwrap(await testIntegration(platform, { params: { integration_id: id } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['integrations'] }),
    onSuccess: ({ success }, { name }) => {
      announce(success ? `${name} accepts the token.` : `The test of ${name} failed.`);
    },
  });
  const disconnect = useMutation({
    mutationFn: async ({ id }: Integration) => {
      const reply = await disconnectIntegration(platform, { params: { integration_id: id } });
      if (reply.status !== 404) unwrap(reply); // gone already is as good
    },
    onSettled: () => queries.invalidateQueries(),
    onSuccess: (_nothing, { name }) => {
      announce(`${name} is disconnected.`);
    },
  });
  const appOf = ({ provider }: Integration): Schemas['AppHost'] | undefined =>
    appHosts().find((host) => host === provider);
  const connectAgain = useConnectByApp('/console/sources');
  const connectButton = (
    <button
      type="button"
      onClick={() => {
        setConnecting(true);
      }}
    >
      Connect a code host
    </button>
  );
  return (
    <section class="card">
      <div class="card-head">
        <h2>Code hosts</h2>
        {mayWrite && (query.data?.length ?? 0) > 0 && connectButton}
      </div>
      <Failed mutation={test} />
      <Failed mutation={connectAgain} />
      <Failed mutation={disconnect} />
      <View
        query={query}
        what="the code hosts"
        empty={(items) =>
          items.length > 0
            ? null
            : {
                title: 'No code host is connected',
                text: `Connect ${Object.values(codeHosts).join(' or ')} with an access token, to read the repositories there.`,
                action: mayWrite && connectButton,
              }
        }
      >
        {(items) => (
          <ul class="rows">
            {items.map((each) => (
              <li key={each.id}>
                <div class="stack tight">
                  <span>
                    <strong>{each.name}</strong> <span class="tag">{codeHosts[each.provider]}</span>{' '}
                    {each.kind === 'app' && <span class="tag">app</span>}{' '}
                    {each.inactive_reason !== null && (
                      <span class="tag bad">
                        ✗ {inactive[each.inactive_reason]} {codeHosts[each.provider]}
                      </span>
                    )}{' '}
                    {each.base_url !== null && <code class="small">{each.base_url}</code>}
                  </span>
                  <TestOutcome integration={each} isTesting={test.isPending && test.variables.id === each.id} />
                </div>
                {mayWrite && (
                  <div class="actions">
                    {each.inactive_reason === 'removed' && appOf(each) !== undefined && (
                      <button
                        type="button"
                        class="primary"
                        aria-label={`Connect ${each.name} again`}
                        aria-disabled={connectAgain.isPending}
                        onClick={() => {
                          const app = appOf(each);
                          if (!connectAgain.isPending && app !== undefined) connectAgain.mutate(app);
                        }}
                      >
                        Connect again
                      </button>
                    )}
                    <button
                      type="button"
                      aria-label={`Test ${each.name}`}
                      aria-disabled={test.isPending}
                      onClick={() => {
                        if (!test.isPending) test.mutate(each);
                      }}
                    >
                      Test
                    </button>
                    <button
                      type="button"
                      class="danger"
                      aria-label={`Disconnect ${each.name}`}
                      onClick={() => {
                        disconnect.reset();
                        setLeaving(each);
                      }}
                    >
                      Disconnect
                    </button>
                  </div>
                )}
              </li>
            ))}
          </ul>
        )}
      </View>
      <ConnectDialog
        open={isConnecting}
        onClose={() => {
          setConnecting(false);
        }}
        onConnected={(integration) => {
          test.mutate(integration);
        }}
      />
      <Confirm
        title={`Disconnect ${leaving?.name ?? ''}?`}
        text={leaving === null ? '' : farewellTo(leaving)}
        button="Disconnect"
        open={leaving !== null}
        onClose={() => {
          setLeaving(null);
        }}
        onConfirm={() => {
          if (leaving !== null) disconnect.mutate(leaving);
        }}
      />
    </section>
  );
}

/** What the code host says about an installation of the app that cannot be used. */
const inactive = { suspended: 'suspended at', removed: 'removed at' } as const;

/** What disconnecting leaves of the app at each code host. */
const farewells: Readonly<Partial<Record<Schemas['CodeHost'], string>>> = {
  host_a: 'What was read through it stays. The app stays installed at GitHub until you remove it there.',
  host_b: 'Its access is revoked at GitLab. What was read through it stays.',
};

function farewellTo({ kind, provider }: Integration): string {
  const farewell = kind === 'app' ? farewells[provider] : undefined;
  return farewell ?? 'The stored access token is deleted. What was read through it stays.';
}

/** What came of the latest test. */
function TestOutcome({ integration, isTesting }: { integration: Integration; isTesting: boolean }): JSX.Element {
  const { last_tested_at: at, last_test_succeeded: succeeded, last_test_error: error } = integration;
  if (isTesting) {
    return (
      <span class="small muted" role="status">
        Testing …
      </span>
    );
  }
  if (at === null) return <span class="small muted">Not tested yet</span>;
  return (
    <span class="small">
      <span class={succeeded === true ? 'tag good' : 'tag bad'}>
        {succeeded === true ? '✓ token accepted' : '✗ test failed'}
      </span>{' '}
      <span class="muted">
        <Moment at={at} />
      </span>
      {error !== null && <span class="block">{error}</span>}
    </span>
  );
}
