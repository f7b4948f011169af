import { verifyMfa, type Schemas } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { platform } from '../session/session.js';
import { Entrance } from '../shell/entrance.js';
import { FactorForm } from './factor-form.js';

export interface SecondFactorFormProps {
  /** The log-in whose first proof is done. */
  readonly login: Pick<Schemas['MfaRequiredResponse'], 'mfa_token' | 'methods'>;
  /** Called when the session has begun. */
  readonly done: () => void;
}

/** Completes a log-in. */
export function SecondFactorForm({ login: { mfa_token, methods }, done }: SecondFactorFormProps): JSX.Element {
  return (
    <Entrance title="Second factor">
      <FactorForm
        methods={methods}
        button="Log in"
        send={(factor) => verifyMfa(platform, { body: { mfa_token, ...factor } })}
        done={done}
      />
    </Entrance>
  );
}
