/** What tests of the command line look at in common. */
import type { CommandLine } from './command-line.js';

export const SHOP = `
services:
  db: { image: db }
  web: { image: web, depends_on: [db], ports: ["8080:80"] }
`;

/** Of all containers, by name. */
export async function statuses(run: CommandLine['run']): Promise<Record<string, string>> {
  const list: unknown = JSON.parse((await run('ps', '-a', '--format', 'json')).stdout);
  return Object.fromEntries((list as { name: string; status: string }[]).map(({ name, status }) => [name, status]));
}

/** Attached: what the container prints comes out. */
export async function started(
  running: { printed(text: string): Promise<void> },
  control: CommandLine['control'],
  run: CommandLine['run'],
): Promise<void> {
  while ((await statuses(run))['folder-web'] !== 'running') await new Promise((resolve) => setImmediate(resolve));
  control.log('folder-web', 'stdout', 'ready');
  await running.printed('ready');
}
