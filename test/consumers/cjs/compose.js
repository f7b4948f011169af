const { PlumblineError, unwrap } = require('@plumbline/sdk');
const { createComposeClient, getContainerLogs, isCase, startContainer } = require('@plumbline/sdk/compose');
const { nodeTransport } = require('@plumbline/sdk/compose/node');

async function main() {
  const compose = createComposeClient({ address: process.argv[2], transport: nodeTransport() });
  const lines = [];
  for await (const { line } of unwrap(await getContainerLogs(compose, { params: { id: 'shop-web' } })))
    lines.push(line);

  let actual = null;
  try {
    unwrap(await startContainer(compose, { params: { id: 'shop-web' } }));
  } catch (error) {
    if (error instanceof PlumblineError && isCase(error.problem, 'RuntimeError', 'invalidState')) {
      actual = error.problem.actual;
    }
  }
  console.log(JSON.stringify({ lines, actual }));
}

void main();
