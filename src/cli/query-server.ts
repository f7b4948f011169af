/** Queries a server, with PLUMBLINE_TOKEN or the stored login. */
import { connect } from './login/connection.js';
import { callFailure, EXIT } from './login/failures.js';
import { identityOf } from './login/identity.js';
import type { JsonObject } from './query-rows.js';
import type { Ask } from './query-session.js';
import { createAnalyticsClient } from './sdk.js';
import { UsageError } from './usage-error.js';

/**
 * Runs `work` with queries of a server, for the organization of the token.
 *
 * @throws UsageError when the address or the token is missing or invalid, or a query is refused, and the errors of a call
 */
export async function withServer(server: string | undefined, work: (ask: Ask) => Promise<void>): Promise<void> {
  const { client, server: address, credential } = await connect(server);
  if (credential === 'none') {
    throw new UsageError(
      `log in with plumbline login --server ${address}, or set PLUMBLINE_TOKEN to a service token with analytics:read`,
    );
  }
  const { org_id: orgId } = await answered(identityOf(client));
  if (orgId === null) throw new UsageError('this account is in no organization');
  const analytics = createAnalyticsClient(client);
  await work(async (text, variables) => {
    const reply = await answered(analytics.query({ toString: () => text }, { ...variables, orgId }));
    if (reply.ok) return reply.data as JsonObject; // parsed from JSON
    const message = reply.errors.map((each) => each.message).join('\n');
    throw reply.status < 500 ? new UsageError(message) : new Error(message);
  });
}

/** Refusals are wrong usage of this command. */
async function answered<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const failure = callFailure(error);
    if (failure === null) throw error;
    const message = failure.lines.join('\n');
    throw failure.exitCode === EXIT.failed ? new Error(message, { cause: error }) : new UsageError(message);
  }
}
