/** The health of the services that a server needs: its database, and the analytics store if that is another one. */
import type { Log } from '@plumbline/contract/contract-types';
import { within } from '../../within.js';
import { startRounds, type Rounds } from '../rounds.js';

export type ServiceName = 'database' | 'analytics store';

export interface Health {
  /**
   * Adds a service.
   *
   * @param ask resolves to the reason why the service cannot be used, or null. If it throws, or is not settled after
   *   2 s, the service is out of reach.
   */
  add(name: ServiceName, ask: () => Promise<string | null>): void;
  /** Asks all services. @returns for each the reason why it cannot be used; null: it can */
  check(): Promise<ReadonlyMap<ServiceName, string | null>>;
}

/** The time limit of an answer: the probe of a load balancer or a scrape waits for it. */
export const answerLimitMs = 2000;
const pollMs = 5000;

/** Creates the health of a server. Logs when a service stops to answer, and when it answers again. */
export function createHealth(log: Log): Health {
  const services = new Map<ServiceName, () => Promise<string | null>>();
  const running = new Map<ServiceName, Promise<string | null>>();
  const reasons = new Map<ServiceName, string | null>();

  const ask = async (name: ServiceName, service: () => Promise<string | null>): Promise<string | null> => {
    let failure: unknown;
    const reason = await within(answerLimitMs, service()).catch((error: unknown) => {
      failure = error;
      return `The ${name} is out of reach.`;
    });
    const before = reasons.get(name) ?? null;
    reasons.set(name, reason);
    if (reason !== null && before === null) log.error({ service: name, err: failure }, reason);
    if (reason === null && before !== null) log.info({ service: name }, `The ${name} answers again`);
    return reason;
  };
  const askOnce = (name: ServiceName, service: () => Promise<string | null>): Promise<string | null> => {
    const asked =
      running.get(name) ??
      ask(name, service).finally(() => {
        running.delete(name);
      });
    running.set(name, asked);
    return asked;
  };
  return {
    add: (name, service) => void services.set(name, service),
    async check() {
      const asked = [...services].map(async ([name, service]) => [name, await askOnce(name, service)] as const);
      return new Map(await Promise.all(asked));
    },
  };
}

/** Checks the health all the time, so that the log tells when a service is out of reach although nobody asks. */
export function startHealthRounds(health: Health, log: Log): Rounds {
  return startRounds({
    pollMs,
    round: async () => {
      await health.check();
    },
    failed: (error) => {
      log.warn({ err: error }, 'the health of the services cannot be checked; will retry');
    },
  });
}
