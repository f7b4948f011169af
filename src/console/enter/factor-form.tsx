import { unwrap, type AnyResult } from '@plumbline/sdk';
import type { Schemas } from '@plumbline/sdk/platform';
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Field, Form } from '../ui/form.js';
import { PasskeyButton } from './passkey-button.js';

/** What proves the second factor. */
export type Factor =
  { readonly code: string } | { readonly recovery_code: string } | { readonly passkey: Schemas['PasskeyProof'] };

export interface FactorFormProps<Result extends AnyResult> {
  readonly methods: readonly Schemas['MfaMethod'][];
  readonly button: string;
  readonly send: (factor: Factor) => Promise<Result>;
  readonly done: () => void;
  readonly beside?: ComponentChildren;
}

/** Asks for the second factor, in the way that the person chooses. */
export function FactorForm<Result extends AnyResult>(props: FactorFormProps<Result>): JSX.Element {
  const { methods, button, send, done, beside } = props;
  const hasApp = methods.includes('totp');
  const [isLost, setLost] = useState(false);
  const byApp = hasApp && !isLost;
  return (
    <>
      {methods.includes('passkey') && (
        <PasskeyButton
          label="Use a passkey"
          send={async (passkey) => {
            unwrap(await send({ passkey }));
            done();
          }}
        />
      )}
      <Form
        key={byApp}
        button={button}
        send={({ code = '', recovery_code = '' }) => send(byApp ? { code } : { recovery_code })}
        done={done}
        beside={
          <>
            {hasApp && (
              <button
                type="button"
                onClick={() => {
                  setLost(!isLost);
                }}
              >
                {byApp ? 'Use a recovery code' : 'Use the authenticator app'}
              </button>
            )}
            {beside}
          </>
        }
      >
        {byApp ? <TotpCode /> : <RecoveryCode />}
      </Form>
    </>
  );
}

/** The code of an authenticator app. */
export function TotpCode(): JSX.Element {
  return (
    <Field
      name="code"
      label="Code of the authenticator app"
      hint="The six digits that the app shows now."
      autocomplete="one-time-code"
      minLength={6}
      maxLength={6}
      required
      autofocus
    />
  );
}

function RecoveryCode(): JSX.Element {
  return (
    <Field
      name="recovery_code"
      label="Recovery code"
      hint="One of those that you stored when you set up the second factor. It works once."
      autocomplete="off"
      maxLength={64}
      required
      autofocus
    />
  );
}
