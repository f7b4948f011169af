/** How long `GET /api/v1/auth/me` with a new token takes while many people log in, beside the idle server. */
import { printTable, unlessBrief } from '../measure.js';
import { createAccount, post, startPlatformProcess, type Account, type PlatformProcess } from './process.js';

const crowd = unlessBrief(40, 2);
const samples = unlessBrief(200, 5);

export async function benchCrowd(): Promise<void> {
  const platform = await startPlatformProcess();
  try {
    const account = await createAccount(platform);
    const session = startRefreshing(platform, account);
    await latencies(platform, session, 50); // warms up
    const idle = await latencies(platform, session, samples);
    const logins = startCrowd(platform, account);
    const busy = await latencies(platform, session, samples);
    const { done, statuses } = await logins.stop();
    const row = (quantile: number): Readonly<Record<string, string>> => {
      const [alone, beside] = [at(idle, quantile), at(busy, quantile)];
      return {
        quantile: `p${quantile * 100}`,
        'idle (ms)': alone.toFixed(1),
        [`${crowd} logins (ms)`]: beside.toFixed(1),
        ratio: (beside / alone).toFixed(1),
        aim: quantile === 0.99 ? '<= 5' : '',
      };
    };
    const title = `GET /api/v1/auth/me with a new token, ${samples} in a row; meanwhile ${done} logins: ${statuses}`;
    printTable(title, [row(0.5), row(0.95), row(0.99)]);
  } finally {
    await platform.stop();
    await platform.remove();
  }
}

/** Gives a new access token with each call, whose signature the server has not checked yet. */
function startRefreshing({ url }: PlatformProcess, { refreshToken }: Account): () => Promise<string> {
  let next = refreshToken;
  return async () => {
    const pair: unknown = await post(`${url}/api/v1/auth/refresh`, { refresh_token: next });
    if (typeof pair !== 'object' || pair === null || !('access_token' in pair) || !('refresh_token' in pair)) {
      throw new Error('cannot refresh');
    }
    next = String(pair.refresh_token);
    return String(pair.access_token);
  };
}

async function latencies(
  { url }: PlatformProcess,
  newToken: () => Promise<string>,
  count: number,
): Promise<readonly number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const token = await newToken();
    const started = performance.now();
    const reply = await fetch(`${url}/api/v1/auth/me`, { headers: { authorization: `Bearer ${token}` } });
    await reply.text();
    times.push(performance.now() - started);
    if (reply.status !== 200) throw new Error(`me answered ${reply.status}`);
  }
  return times.sort((one, other) => one - other);
}

interface Crowd {
  /** Lets the logins under way finish. */
  stop(): Promise<{ readonly done: number; readonly statuses: string }>;
}

/** Keeps `crowd` logins under way. */
function startCrowd({ url }: PlatformProcess, { email, password }: Account): Crowd {
  const counts = new Map<number, number>();
  let isStopping = false;
  const logIn = async (): Promise<void> => {
    while (!isStopping) {
      const reply = await fetch(`${url}/api/v1/auth/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ email, password }),
      });
      await reply.text();
      counts.set(reply.status, (counts.get(reply.status) ?? 0) + 1);
    }
  };
  const working = Promise.all(Array.from({ length: crowd }, logIn));
  return {
    stop: async () => {
      isStopping = true;
      await working;
      const done = [...counts.values()].reduce((sum, count) => sum + count, 0);
      return { done, statuses: [...counts].map(([status, count]) => `${count} x ${status}`).join(', ') };
    },
  };
}

function at(sorted: readonly number[], quantile: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))] ?? Number.NaN;
}
