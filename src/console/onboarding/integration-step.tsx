import {
  connectIntegration,
  createDemoData,
  skipIntegration,
  testIntegration,
  type Schemas,
} from '@plumbline/sdk/platform';
import { unwrap } from '@plumbline/sdk';
import { useMutation } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { appHosts, ConnectByApp } from '../sources/connect-by-app.js';
import { codeHosts, sourceOf } from '../sources/words.js';
import { queries } from '../session/queries.js';
import { platform } from '../session/session.js';
import { Field, Form } from '../ui/form.js';
import { Segments } from '../ui/segments.js';
import { Failed } from '../ui/failed.js';

/** Connects a code host and tests it, or continues without one. */
export function IntegrationStep({ recommended }: { recommended: Schemas['CodeHost'] | null }): JSX.Element {
  const [provider, setProvider] = useState<Schemas['CodeHost']>(recommended ?? 'host_a');
  const [, navigate] = useLocation();
  const next = async (): Promise<void> => {
    await queries.invalidateQueries();
    navigate('/overview');
  };
  const skip = useMutation({
    mutationFn: async () => unwrap(await skipIntegration(platform)),
    onSuccess: next,
  });
  const fill = useMutation({
    mutationFn: async () => {
      unwrap(await createDemoData(platform));
      unwrap(await skipIntegration(platform));
    },
    onSuccess: next,
  });
  const [refusal, setRefusal] = useState<string | null>(null);
  const test = useMutation({
    mutationFn: async (id: string) => unwrap(await testIntegration(platform, { params: { integration_id: id } })),
    onSuccess: ({ success, error }) => {
      if (success) void next();
      else setRefusal(error ?? 'The code host does not accept the token.');
    },
  });
  const connected = test.variables;

  if (connected !== undefined) {
    return (
      <div class="stack">
        {test.isPending && <p role="status">Connected. Testing whether {codeHosts[provider]} accepts the token …</p>}
        {refusal !== null && (
          <div class="banner warn" role="alert">
            <p>
              <strong>Connected, but the test failed.</strong> {refusal}
            </p>
          </div>
        )}
        <Failed mutation={test} />
        {!test.isPending && (
          <div class="actions">
            <button
              type="button"
              class="primary"
              onClick={() => {
                setRefusal(null);
                test.mutate(connected);
              }}
            >
              Test again
            </button>
            <button type="button" onClick={() => void next()}>
              Continue
            </button>
          </div>
        )}
      </div>
    );
  }
  return (
    <>
      {appHosts().length > 0 && (
        <>
          <ConnectByApp returnTo="/console/onboarding" isFirst />
          <h2>Or connect with an access token</h2>
        </>
      )}
      <Segments label="Code host" options={codeHosts} value={provider} onChange={setProvider} />
      <Form
        button="Connect and test"
        send={({ name = '', token = '', base_url }) =>
          connectIntegration(platform, {
            body: { provider, name, token: token.trim(), ...(base_url !== undefined && { base_url }) },
          })
        }
        done={({ id }) => {
          test.mutate(id);
        }}
      >
        <Field
          key={provider}
          name="name"
          label="What to call it"
          value={codeHosts[provider]}
          maxLength={100}
          required
        />
        <Field
          name="token"
          label="Access token"
          type="password"
          autocomplete="off"
          hint={`A token of ${codeHosts[provider]} that may read the repositories. It is stored encrypted.`}
          required
        />
        {sourceOf(provider)?.isSelfHosted === true ? (
          <Field name="base_url" label="Its address" type="url" hint="Such as https://git.example.com." required />
        ) : (
          <details>
            <summary>Self-hosted installation</summary>
            <Field name="base_url" label="Address of its API" type="url" hint="Leave it empty for the public one." />
          </details>
        )}
      </Form>
      <div class="stack">
        <h2>Nothing to connect yet?</h2>
        <p class="muted">Look at charts of made-up data first. One click removes them again, under Organization.</p>
        <div class="actions">
          <button
            type="button"
            onClick={() => {
              fill.mutate();
            }}
            aria-disabled={fill.isPending}
          >
            Fill with demo data
          </button>
          <button
            type="button"
            onClick={() => {
              skip.mutate();
            }}
            aria-disabled={skip.isPending}
          >
            Skip this step
          </button>
        </div>
        <Failed mutation={skip} />
        <Failed mutation={fill} />
      </div>
    </>
  );
}
