import { unwrap } from '@plumbline/sdk';
import { createComposeClient, getContainerLogs, startContainer } from '@plumbline/sdk/compose';

const compose = createComposeClient({ address: globalThis.baseUrl });
const lines = [];
for await (const { line } of unwrap(await getContainerLogs(compose, { params: { id: 'shop-web' } }))) lines.push(line);

const refused = await startContainer(compose, { params: { id: 'shop-web' } });
console.log(JSON.stringify({ lines, actual: refused.status === 409 ? refused.problem.actual : null }));
