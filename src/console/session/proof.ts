import type { FetchInit } from '@plumbline/sdk';
import { createStore } from './store.js';

type Send = (url: string, init: FetchInit) => Promise<Response>;

/** Ends the question for a fresh proof. `isProved`: the server has taken one. */
export type EndQuestion = (isProved: boolean) => void;

/** A question that the person is asked. `reason`: what the server says. */
export interface ProofQuestion {
  readonly reason: string;
  readonly end: EndQuestion;
}

/** The question that the person is asked; null: none. */
export const proofQuestion = createStore<ProofQuestion | null>(null);

let asked: Promise<boolean> | null = null;

/** Asks the person for a fresh proof: once, for all requests that need one meanwhile. */
function askForProof(reason: string): Promise<boolean> {
  asked ??= new Promise((resolve) => {
    const end: EndQuestion = (isProved) => {
      asked = null;
      proofQuestion.set(null);
      resolve(isProved);
    };
    proofQuestion.set({ reason, end });
  });
  return asked;
}

/** How long the server may take for a request that is sent again (ms). The limit of the first one is over by then. */
const timeoutMs = 30_000;

/** A fetch that asks the person for a fresh proof when the server wants one, and then sends the request again. */
export function createProvingFetch(send: Send): Send {
  return async (url, init) => {
    const reply = await send(url, init);
    const reason = await reasonForProof(reply);
    if (reason === null || !(await askForProof(reason))) return reply;
    return send(url, { ...init, signal: AbortSignal.timeout(timeoutMs) });
  };
}

/** Why the server wants a fresh proof; null: it does not. */
async function reasonForProof(reply: Response): Promise<string | null> {
  if (reply.status !== 403) return null;
  const body: unknown = await reply
    .clone()
    .json()
    .catch(() => null);
  if (typeof body !== 'object' || body === null) return null;
  return Reflect.get(body, 'type') === '/problems/recent-login-required' ? String(Reflect.get(body, 'message')) : null;
}
