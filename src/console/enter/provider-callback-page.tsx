import { loginByProvider, type LoginByProviderResult } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Link, useLocation, useParams } from 'wouter-preact';
import { queries } from '../session/queries.js';
import { platform } from '../session/session.js';
import { Entrance } from '../shell/entrance.js';
import { ProblemNote } from '../ui/problem-note.js';
import { announce } from '../ui/toasts.js';
import { troubleOf, troubleOfProblem, type Trouble } from '../ui/trouble.js';
import { Skeleton } from '../ui/view.js';
import { providerName } from './identity-providers.js';

/** Where identity providers send the browser: completes the log-in, or the link of an identity to the account. */
export default function ProviderCallbackPage(): JSX.Element {
  const { provider } = useParams<{ provider: string }>();
  const [, navigate] = useLocation();
  const [failure, setFailure] = useState<Failure | null>(null);
  const [callback] = useState(takeCallback);
  useEffect(() => {
    const complete = async (): Promise<void> => {
      const result = await loginByProvider(platform, { params: { provider }, body: { callback } });
      if (!result.ok) {
        setFailure({ trouble: troubleOfProblem(result.problem), type: result.problem.type });
        return;
      }
      queries.clear();
      if ('status' in result.data) announce(`You can log in with ${providerName(provider)} from now on.`);
      navigate(result.data.return_to ?? '/', { replace: true });
    };
    complete().catch((error: unknown) => {
      setFailure({ trouble: troubleOf(error), type: null });
    });
  }, [callback, navigate, provider]);
  return (
    <Entrance title={`Log in with ${providerName(provider)}`}>
      {failure === null ? (
        <Skeleton what="your account" />
      ) : (
        <>
          <ProblemNote trouble={failure.trouble} />
          <div class="actions">
            {failure.type === '/problems/account-exists' ? (
              <Link href={`/account?link=${provider}`} class="button primary">
                Log in and link {providerName(provider)}
              </Link>
            ) : (
              <Link href="/login" class="button primary">
                Start again
              </Link>
            )}
          </div>
        </>
      )}
    </Entrance>
  );
}

interface Failure {
  readonly trouble: Trouble;
  readonly type: Extract<LoginByProviderResult, { ok: false }>['problem']['type'] | null;
}

/** The answer of the provider, out of the fragment of the address. It is taken away from there: it works once. */
function takeCallback(): string {
  const callback = location.hash.slice(1);
  history.replaceState(history.state, '', location.pathname);
  return callback === '' ? 'none' : callback; // the server says what is wrong
}
