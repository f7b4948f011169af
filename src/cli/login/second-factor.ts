import { unwrap, verifyMfa, type PlatformClient } from '../sdk.js';
import { UsageError } from '../usage-error.js';
import { withQuestions } from './read-secret.js';

/** How often a person may mistype: the server locks the second factor after five wrong codes. */
const attempts = 3;

/**
 * Completes a log-in with a code of the authenticator app or a recovery code.
 *
 * @param given the code of standard input; null: it is asked for on the terminal
 * @throws UsageError when standard input has no code, PlumblineError when the server refuses the code
 */
export async function completeLogin(client: PlatformClient, mfaToken: string, given: string | null): Promise<void> {
  if (given === '') {
    throw new UsageError('the account has a second factor: standard input must have a code after the password');
  }
  for (let attempt = 1; ; attempt += 1) {
    const code = given ?? (await askForCode());
    const reply = await verifyMfa(client, { body: { mfa_token: mfaToken, ...factorOf(code) } });
    const isMistyped = !reply.ok && (reply.status === 403 || reply.status === 422);
    if (!isMistyped || given !== null || attempt === attempts) {
      unwrap(reply);
      return;
    }
    console.error(`plumbline login: ${reply.problem.message}`);
  }
}

function askForCode(): Promise<string> {
  return withQuestions(({ ask }) => ask('Code of the authenticator app, or a recovery code: '));
}

function factorOf(typed: string): { readonly code: string } | { readonly recovery_code: string } {
  const code = typed.replaceAll(/\s/g, '');
  return /^\d{6}$/.test(code) ? { code } : { recovery_code: code };
}
