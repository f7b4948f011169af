import { unwrap } from '@plumbline/sdk';
import {
  createComposeClient,
  getContainerLogs,
  isCase,
  startContainer,
  type ComposeClient,
  type Schemas,
} from '@plumbline/sdk/compose';
import { nodeTransport } from '@plumbline/sdk/compose/node';

declare const process: { readonly argv: readonly [string, string, string] };

async function main(compose: ComposeClient): Promise<void> {
  const lines: string[] = [];
  const log: AsyncIterable<Schemas['LogLine']> = unwrap(
    await getContainerLogs(compose, { params: { id: 'shop-web' }, query: { tail: 'all' } }),
  );
  for await (const { line } of log) lines.push(line);

  const refused = await startContainer(compose, { params: { id: 'shop-web' } });
  if (refused.ok) throw new Error('It runs already.');
  // @ts-expect-error: the fields of a case are not known before the case is
  refused.problem.actual;
  const actual = isCase(refused.problem, 'RuntimeError', 'invalidState') ? refused.problem.actual : null;
  // @ts-expect-error: the family has no such case
  isCase(refused.problem, 'RuntimeError', 'cyclicInclude');
  if (refused.status === 409) refused.problem.case satisfies 'invalidState';
  console.log(JSON.stringify({ lines, actual }));
}

void main(createComposeClient({ address: process.argv[2], transport: nodeTransport() }));
