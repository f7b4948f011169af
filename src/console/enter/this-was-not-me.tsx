import type { DisownAccountResult, SecureAccountResult } from '@plumbline/sdk/platform';
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { Entrance } from '../shell/entrance.js';
import { Form } from '../ui/form.js';
import { useOneTimeToken } from './one-time-token.js';

export interface ThisWasNotMeProps {
  readonly intro: string;
  readonly button: string;
  /** Sends the token of the link. */
  readonly send: (token: string) => Promise<DisownAccountResult | SecureAccountResult>;
  /** What the button does. */
  readonly children: ComponentChildren;
  /** What is shown afterwards, beside the message of the server. */
  readonly done: { readonly title: string; readonly text: string };
}

/**
 * Where a link "this was not me" in a mail leads. It waits for a click, because mail scanners and previews open links
 * too.
 */
export function ThisWasNotMe({ intro, button, send, children, done }: ThisWasNotMeProps): JSX.Element {
  const token = useOneTimeToken();
  const [message, setMessage] = useState<string | null>(null);
  if (message !== null) {
    return (
      <Entrance title={done.title}>
        <div class="banner good" role="status">
          <p>{message}</p>
        </div>
        <p>{done.text}</p>
      </Entrance>
    );
  }
  if (token === '') {
    return (
      <Entrance title="This was not you?">
        <p>Open the link of the mail again.</p>
        <p>
          <Link href="/login">Log in</Link>
        </p>
      </Entrance>
    );
  }
  return (
    <Entrance title="This was not you?" intro={intro}>
      <Form
        button={button}
        send={() => send(token)}
        done={(data) => {
          setMessage(data.message);
        }}
        beside={<Link href="/login">It was me: log in</Link>}
      >
        <p class="small muted">{children}</p>
      </Form>
    </Entrance>
  );
}
