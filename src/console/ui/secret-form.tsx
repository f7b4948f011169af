import type { AnyResult, DataOf } from '@plumbline/sdk';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { CancelButton } from './dialog.js';
import { Form, type FormProps } from './form.js';
import { IssuedSecret } from './issued-secret.js';

export interface SecretFormProps<Result extends AnyResult> extends Pick<
  FormProps<Result>,
  'button' | 'send' | 'children'
> {
  /** Reads the secret out of the reply. */
  readonly secretOf: (data: DataOf<Result>) => string;
  /** What to do if the secret is lost. */
  readonly ifLost: string;
  /** Called when the secret is issued. */
  readonly onIssued: () => void;
  readonly onClose: () => void;
}

/** A form in a dialog whose reply has a secret, which is then shown once. */
export function SecretForm<Result extends AnyResult>(props: SecretFormProps<Result>): JSX.Element {
  const { button, send, secretOf, ifLost, onIssued, onClose, children } = props;
  // In the state of this component only, so that closing the dialog forgets it.
  const [secret, setSecret] = useState<string | null>(null);
  if (secret !== null) return <IssuedSecret secret={secret} ifLost={ifLost} onClose={onClose} />;
  return (
    <Form
      button={button}
      beside={<CancelButton onClick={onClose} />}
      send={send}
      done={(data) => {
        setSecret(secretOf(data));
        onIssued();
      }}
    >
      {children}
    </Form>
  );
}
