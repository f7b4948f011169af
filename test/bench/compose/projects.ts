/** The projects that are measured. JSON is YAML. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { TestEngine } from '../../support/engines.js';

const OBEDIENT = ['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 0.1; done'];

export async function writeProjects(folder: string, engine: TestEngine): Promise<void> {
  const files = {
    'ten.yaml': tree(engine, 10),
    'fifty.yaml': tree(engine, 50),
    'many.yaml': many(engine),
    'chatty.yaml': chatty(engine),
  };
  for (const [name, project] of Object.entries(files))
    await writeFile(path.join(folder, name), JSON.stringify(project));
}

const labelled = ({ labels }: TestEngine): object => ({ networks: { default: { labels } } });

/** One that three depend on, and up to three that depend on each of the others. */
function tree(engine: TestEngine, size: number): object {
  const { image, labels } = engine;
  const services = Array.from({ length: size }, (_, index) => [
    `s${index}`,
    { image, labels, command: OBEDIENT, ...(index > 0 && { depends_on: [`s${Math.floor((index - 1) / 3)}`] }) },
  ]);
  return { name: `plt-bench-${size}`, services: Object.fromEntries(services), ...labelled(engine) };
}

function many({ image }: TestEngine): object {
  const services = Array.from({ length: 500 }, (_, index) => [
    `service${index}`,
    {
      image,
      command: 'serve --port 80 --name "$$HOSTNAME"',
      environment: { INDEX: `${index}`, HOST: '${HOST_NAME:-localhost}', URL: 'http://${HOST_NAME:-localhost}:80/' },
      ports: [`${10_000 + index}:80`],
      volumes: ['data:/data', './config:/etc/config:ro'],
      healthcheck: { test: 'true', interval: '10s', retries: 3 },
      deploy: { resources: { limits: { cpus: '0.5', memory: '128m' } } },
      ...(index >= 10 && { depends_on: { [`service${index % 10}`]: { condition: 'service_healthy' } } }),
    },
  ]);
  return { name: 'plt-bench-many', services: Object.fromEntries(services), volumes: { data: {} } };
}

/** 100000 lines of 60 characters. */
function chatty(engine: TestEngine): object {
  const { image, labels } = engine;
  const script = 'yes "a line of sixty characters, as programs print them all day" | head -n 100000';
  return {
    name: 'plt-bench-chatty',
    services: { talker: { image, labels, command: ['sh', '-c', script] } },
    ...labelled(engine),
  };
}
