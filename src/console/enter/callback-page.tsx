import type { LoginByProviderResult, LoginBySsoResult, Schemas } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { queries } from '../session/queries.js';
import { Entrance } from '../shell/entrance.js';
import { ProblemNote } from '../ui/problem-note.js';
import { announce } from '../ui/toasts.js';
import { troubleOf, troubleOfProblem, type Trouble } from '../ui/trouble.js';
import { Skeleton } from '../ui/view.js';
import { SecondFactorForm } from './second-factor-form.js';

type Result = LoginByProviderResult | LoginBySsoResult;

export interface CallbackPageProps {
  /** What people log in with. */
  readonly name: string;
  /** Brings the answer of the provider to the server. */
  readonly complete: (callback: string) => Promise<Result>;
  /** Where an existing account is linked. */
  readonly linkPage: string;
  /** Where a log-in starts again. */
  readonly startPage: string;
}

/** Completes the log-in with a provider, or the link of an identity to the account. */
export function CallbackPage({ name, complete, linkPage, startPage }: CallbackPageProps): JSX.Element {
  const [, navigate] = useLocation();
  const [failure, setFailure] = useState<Failure | null>(null);
  const [callback] = useState(takeCallback);
  const [awaited, setAwaited] = useState<Schemas['ProviderMfaRequiredResponse'] | null>(null);
  const isSent = useRef(false);
  useEffect(() => {
    if (isSent.current) return; // the answer works once
    isSent.current = true;
    const send = async (): Promise<void> => {
      const result = await complete(callback);
      if (!result.ok) {
        setFailure({ trouble: troubleOfProblem(result.problem), type: result.problem.type });
        return;
      }
      queries.clear();
      if ('mfa_token' in result.data) {
        setAwaited(result.data);
        return;
      }
      if ('status' in result.data) announce(`You can log in with ${name} from now on.`);
      navigate(result.data.return_to ?? '/', { replace: true });
    };
    send().catch((error: unknown) => {
      setFailure({ trouble: troubleOf(error), type: null });
    });
  }, [callback, complete, name, navigate]);
  if (awaited !== null) {
    return (
      <SecondFactorForm
        login={awaited}
        done={() => {
          navigate(awaited.return_to ?? '/', { replace: true });
        }}
      />
    );
  }
  return (
    <Entrance title={`Log in with ${name}`}>
      {failure === null ? (
        <Skeleton what="your account" />
      ) : (
        <>
          <ProblemNote trouble={failure.trouble} />
          <div class="actions">
            {failure.type === '/problems/account-exists' ? (
              <Link href={linkPage} class="button primary">
                Log in and link {name}
              </Link>
            ) : (
              <Link href={startPage} class="button primary">
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
  readonly type: Extract<Result, { ok: false }>['problem']['type'] | null;
}

/** The answer of the provider, out of the fragment of the address. It is taken away from there: it works once. */
function takeCallback(): string {
  const callback = location.hash.slice(1);
  history.replaceState(history.state, '', location.pathname);
  return callback === '' ? 'none' : callback; // the server says what is wrong
}
