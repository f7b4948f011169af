/** A POST with body, validated both ways, with forty routes: Plumbline compared with Fastify and plain Koa, in one run. */
import { firstRound, median, printTable, requestsPerSecond, startServer, unlessBrief } from '../measure.js';
import { measuredPath, requestBody } from './contract.js';

const names = ['plumbline', 'koa-lean', 'koa', 'fastify'] as const;
const rounds = unlessBrief(5, 1);
const load = {
  method: 'POST',
  body: requestBody,
  headers: { 'content-type': 'application/json' },
  connections: 50,
} as const;

export async function benchThroughput(): Promise<void> {
  const file = new URL('./server.ts', import.meta.url).pathname;
  const servers = await Promise.all(names.map((name) => startServer(file, name)));
  const figures = names.map((): number[] => []);
  try {
    // Turn by turn, so that what else the machine does meets all of them; the first round warms up.
    for (let round = firstRound(1); round < rounds; round++) {
      for (const [index, { port }] of servers.entries()) {
        const url = `http://127.0.0.1:${port}${measuredPath}`;
        const figure = await requestsPerSecond({ ...load, url, seconds: unlessBrief(round < 0 ? 3 : 5, 1) });
        if (round >= 0) figures[index]?.push(figure);
      }
    }
  } finally {
    for (const server of servers) server.stop();
  }
  const [ours = 0, lean = 0, naive = 0, fastify = 0] = figures.map(median);
  const against = (name: string, other: number, aim: string): Readonly<Record<string, string | number>> => ({
    against: name,
    plumbline: Math.round(ours),
    other: Math.round(other),
    ratio: (ours / other).toFixed(2),
    aim,
  });
  printTable(`POST with body, validated both ways, 40 routes (requests per second, median of ${rounds} rounds)`, [
    against('lean koa: a router per prefix, koa-body, compiled validators and serializer', lean, '>= 1.1'),
    against('koa + @koa/router + koa-body + ajv, as documented', naive, '-'),
    against('fastify', fastify, '-'),
  ]);
}
