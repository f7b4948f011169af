/** A host of ClickHouse whose statements fail when it becomes silent, instead of waiting for the time limit of a request. */
import { createClient, type ClickHouseClient, type ClickHouseClientConfigOptions } from '@clickhouse/client';
import { clickHouseCode } from './engine.js';

export interface ClickHouseHost {
  /**
   * Runs work on the host.
   *
   * @param work gets a signal for its statements, which aborts when the host is silent
   * @throws ClickHouseSilent when the host is silent; otherwise the error of the work
   */
  run<Result>(work: (client: ClickHouseClient, silent: AbortSignal) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** The host has not answered. */
class ClickHouseSilent extends Error {
  override readonly name = 'ClickHouseSilent';
  readonly code = 'ETIMEDOUT'; // as if the system had noticed
}

/** A host is asked over a new connection when a statement has taken this time, and again after it. */
const askAfterMs = 5000;
/** The time limit of the answer. */
const answerMs = 5000;

export function openClickHouseHost(options: ClickHouseClientConfigOptions): ClickHouseHost {
  const client = createClient(options);
  const asking = createClient({ ...options, keep_alive: { enabled: false }, request_timeout: answerMs });
  let asked: Promise<boolean> | null = null;
  const answers = async (): Promise<boolean> => {
    const ping = await asking.ping({ select: true });
    return ping.success || clickHouseCode(ping.error) !== undefined; // a refusal is an answer, too
  };
  const answersNow = (): Promise<boolean> =>
    (asked ??= answers().finally(() => {
      asked = null;
    }));
  return {
    async run(work) {
      const silent = new AbortController();
      const ask = async (): Promise<void> => {
        if (!(await answersNow())) silent.abort();
      };
      const timer = setInterval(() => void ask(), askAfterMs);
      try {
        return await work(client, silent.signal);
      } catch (error) {
        if (silent.signal.aborted) throw new ClickHouseSilent('ClickHouse does not answer', { cause: error });
        throw error;
      } finally {
        clearInterval(timer);
      }
    },
    close: async () => {
      await Promise.all([client.close(), asking.close()]);
    },
  };
}
