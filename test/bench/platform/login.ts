/** Logins, compared with the password checks that they consist of. */
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/bcrypt';
import { median, printTable, requestsPerSecond, unlessBrief } from '../measure.js';
import { createAccount, startPlatformProcess } from './process.js';

const rounds = unlessBrief(3, 1);
const seconds = unlessBrief(10, 1);
const connections = availableParallelism() * 4;

export async function benchLogin(): Promise<void> {
  const platform = await startPlatformProcess();
  try {
    const { email, password } = await createAccount(platform);
    const hashed = await hash(password, 12);
    const load = {
      url: `${platform.url}/api/v1/auth/login`,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
      connections,
      seconds,
    } as const;
    const logins: number[] = [];
    const checks: number[] = [];
    for (let round = 0; round < rounds; round++) {
      logins.push(await requestsPerSecond(load));
      checks.push(await verificationsPerSecond(() => verify(password, hashed)));
    }
    printTable(
      `POST /api/v1/auth/login (per second, ${connections} at once, bcrypt cost 12, median of ${rounds} rounds)`,
      [
        {
          against: 'bcrypt verifications alone, all cores',
          plumbline: median(logins).toFixed(2),
          other: median(checks).toFixed(2),
          ratio: (median(logins) / median(checks)).toFixed(2),
          aim: '>= 0.95',
        },
      ],
    );
  } finally {
    await platform.stop();
    await platform.remove();
  }
}

async function verificationsPerSecond(check: () => Promise<boolean>): Promise<number> {
  const started = performance.now();
  let count = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() - started < seconds * 1000) {
      if (!(await check())) throw new Error('the password does not match');
      count++;
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  return (count * 1000) / (performance.now() - started);
}
