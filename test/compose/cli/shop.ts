/** What tests of the command line look at in common. */
import type { CommandLine } from './command-line.js';

export const SHOP = `
services:
  db: { image: db }
  web: { image: web, depends_on: [db], ports: ["8080:80"] }
`;

/** Of all containers, by name. */
export async function statuses(run: CommandLine['run']): Promise<Record<string, string>> {
  const names = async (...flags: string[]): Promise<string[]> =>
    (await run('ps', '-a', '--format', '{{.Name}} {{.State}}', ...flags)).stdout.split('\n').filter(Boolean);
  const stopped = new Set(await names('--status', 'stopped'));
  return Object.fromEntries(
    (await names()).map((line) => {
      const [name = '', state = ''] = line.split(' ');
      return [name, stopped.has(line) ? 'stopped' : state];
    }),
  );
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
