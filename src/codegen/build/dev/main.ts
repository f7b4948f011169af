/**
 * `npm run dev [-- <options of serve>]` generates, builds and serves, and does so again after each change of a contract
 * or a source. What fails prints its error, and the server continues to run as it was built last.
 */
import { onEndOfNpm } from '@plumbline/contract/system/end-of-npm';
import { BuiltServer } from './built-server.js';
import { runStep } from './run-step.js';
import { SourceChanges } from './source-changes.js';

const end = new AbortController();
const stop = (): void => {
  end.abort();
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
onEndOfNpm(process.env, stop);

const changes = new SourceChanges(['openapi', 'graphql', 'src', 'sdk/src'], end.signal);
const server = new BuiltServer(process.argv.slice(2));
while (!end.signal.aborted) {
  const begun = performance.now();
  if (await update())
    say(`started the server; generated and built in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  await changes.next();
}
await server.stop();

/** @returns whether the server was replaced */
async function update(): Promise<boolean> {
  for (const [name, script, ...args] of [
    ['generate', 'src/codegen/start.js'],
    ['build', 'src/codegen/build/build.ts', '--output', server.nextFolder],
  ] as const) {
    if (await runStep([script, ...args], end.signal)) continue;
    if (!end.signal.aborted)
      say(`${name} failed; ${server.isRunning ? 'the server stays as it is' : 'nothing is served'}`);
    return false;
  }
  return server.replace(end.signal);
}

function say(text: string): void {
  console.error(`dev: ${text}`);
}
