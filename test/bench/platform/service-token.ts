/** What a service token reads of itself, beside what a person reads: the same server, in turns. */
import { firstRound, median, printTable, requestsPerSecond, unlessBrief } from '../measure.js';
import { createAccount, startPlatformProcess, type PlatformProcess } from './process.js';

const rounds = unlessBrief(7, 1);
const seconds = unlessBrief(3, 1);
const connections = 50;
/** Counted as in production, and never reached. */
const limits = { SERVICE_TOKEN_LIMIT: '1000000/hour' };

export async function benchServiceToken(): Promise<void> {
  const platform = await startPlatformProcess(undefined, limits);
  try {
    const { accessToken } = await createAccount(platform);
    const token = await createToken(platform, accessToken);
    const persons: number[] = [];
    const tokens: number[] = [];
    for (let round = firstRound(1); round < rounds; round++) {
      const person = await rate(platform, '/api/v1/auth/me', accessToken);
      const machine = await rate(platform, '/api/v1/service-tokens/current', token);
      if (round < 0) continue; // the first round warms up
      persons.push(person);
      tokens.push(machine);
    }
    const ratios = tokens.map((each, index) => each / (persons[index] ?? Number.NaN));
    printTable(`GET /api/v1/service-tokens/current (per second, ${connections} at once, median of ${rounds} rounds)`, [
      {
        against: 'GET /api/v1/auth/me with an access token',
        plumbline: Math.round(median(tokens)),
        other: Math.round(median(persons)),
        ratio: median(ratios).toFixed(2),
        aim: '>= 0.9',
      },
    ]);
  } finally {
    await platform.stop();
    await platform.remove();
  }
}

function rate({ url }: PlatformProcess, path: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return requestsPerSecond({ url: url + path, method: 'GET', headers, connections, seconds });
}

async function createToken({ url }: PlatformProcess, accessToken: string): Promise<string> {
  const headers = { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' };
  const me = (await (await fetch(`${url}/api/v1/auth/me`, { headers })).json()) as { readonly org_id: string };
  const reply = await fetch(`${url}/api/v1/organizations/${me.org_id}/service-tokens`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name: 'bench', scopes: ['setup:read'], expires_in_days: 1 }),
  });
  if (reply.status !== 201) throw new Error(`${reply.status} ${await reply.text()}`);
  return ((await reply.json()) as { readonly token: string }).token;
}
