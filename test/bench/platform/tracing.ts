/** What traces cost `GET /api/v1/auth/me`: the processor time of the server, which other processes do not change. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import autocannon from 'autocannon';
import { firstRound, median, printTable, unlessBrief } from '../measure.js';
import { createAccount, startPlatformProcess, type PlatformProcess } from './process.js';

const rounds = unlessBrief(7, 1);
const requests = unlessBrief(4000, 100);

/** The tenth part of the traces, chosen at their root. */
const tenth = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' };

export async function benchTracing(): Promise<void> {
  // A collector that accepts everything.
  const collector = createServer((request, response) => {
    request.resume().on('end', () => response.end());
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const address = collector.address();
  const endpoint = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const on = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
  const servers = [
    { name: 'off', environment: {} },
    { name: 'a tenth of the traces', environment: { ...on, ...tenth } },
    { name: 'all traces', environment: on },
  ];
  const running: { name: string; platform: PlatformProcess; token: string; costs: number[] }[] = [];
  try {
    for (const { name, environment } of servers) {
      const platform = await startPlatformProcess(undefined, environment);
      running.push({ name, platform, token: (await createAccount(platform)).accessToken, costs: [] });
    }
    // Turn by turn, so that what else the machine does meets all of them; the first two rounds warm up.
    for (let round = firstRound(2); round < rounds; round++) {
      for (const { platform, token, costs } of running) {
        const before = await processorMicroseconds(platform.pid);
        await ask(platform.url, token);
        if (round >= 0) costs.push(((await processorMicroseconds(platform.pid)) - before) / requests);
      }
    }
    const [off = 0] = running.map(({ costs }) => median(costs));
    printTable(
      `GET /api/v1/auth/me (microseconds of the server's processor time per request, median of ${rounds} rounds)`,
      running.map(({ name, costs }) => ({
        traces: name,
        microseconds: Math.round(median(costs)),
        more: `${(100 * (median(costs) / off - 1)).toFixed(1)} %`,
      })),
    );
  } finally {
    for (const { platform } of running) {
      await platform.stop();
      await platform.remove();
    }
    collector.close();
  }
}

async function ask(url: string, token: string): Promise<void> {
  const load = { url: `${url}/api/v1/auth/me`, headers: { authorization: `Bearer ${token}` }, connections: 20 };
  const result = await autocannon({ ...load, amount: requests });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} failures, ${result.errors} errors`);
}

/** Linux: the ticks, a hundredth of a second each, of all threads of a process, in user and kernel mode. */
async function processorMicroseconds(pid: number): Promise<number> {
  const [, rest = ''] = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ');
  const fields = rest.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}
