/** Never run: that this file compiles is the test. Each expected error is one that the compiler must find. */
import { PlumblineError, unwrap, type ApiClient } from '@plumbline/sdk';
import {
  createComposeClient,
  createContainer,
  getContainerLogs,
  isCase,
  isProblem,
  listContainers,
  problemTypes,
  startContainer,
  type ErrorCase,
  type Problem,
  type ProblemType,
  type Schemas,
  type StartContainerResult,
} from '@plumbline/sdk/compose';
import { nodeTransport } from '@plumbline/sdk/compose/node';

const compose = createComposeClient({ address: 'unix:///run/plumbline.sock', transport: nodeTransport() });

export function byStatus(result: StartContainerResult): string | undefined {
  switch (result.status) {
    case 204:
      // @ts-expect-error: a success has no problem
      result.problem.type;
      return result.data;
    case 404:
      // @ts-expect-error: 404 has one case, and it is another one
      if (result.problem.case === 'invalidState') return '';
      return result.problem.case satisfies 'notFound';
    case 409:
      return `${result.problem.id}: ${result.problem.expected}, not ${result.problem.actual}`;
    case 422:
      return result.problem.violations[0]?.path;
    // @ts-expect-error: the contract has no such status here
    case 418:
      return '';
    default:
      return result.problem.message;
  }
}

export function caught(error: unknown): string {
  if (!(error instanceof PlumblineError)) return 'something else';
  // @ts-expect-error: the fields of a case are not known before the case is
  error.problem.actual;
  if (isCase(error.problem, 'RuntimeError', 'invalidState')) return error.problem.actual;
  // @ts-expect-error: there is no such family
  isCase(error.problem, 'WeatherError', 'rain');
  if (!isProblem(error.problem)) return error.problem.type;
  const known: Problem = error.problem;
  return known.message;
}

export async function requests(): Promise<void> {
  // @ts-expect-error: a container is named
  await startContainer(compose, {});
  // @ts-expect-error: there is no such status of a container
  await listContainers(compose, { query: { status: ['sleepy'] } });
  // @ts-expect-error: a client of another API
  await listContainers(compose as ApiClient<string> as ApiClient<'platform'>);
  // @ts-expect-error: an address says where the server listens
  createComposeClient({ baseUrl: 'https://compose.example.com' });
  // @ts-expect-error: what is answered to this is never a success
  (await createContainer(compose)).data.id;

  const containers: readonly Schemas['Container'][] = unwrap(await listContainers(compose)).items;
  void containers;
  for await (const line of unwrap(await getContainerLogs(compose, { params: { id: 'shop-web' } }))) {
    line.stream satisfies 'stdout' | 'stderr';
    // @ts-expect-error: a line of a log has no such member
    line.color;
  }
}

const oneCase: ErrorCase<'RuntimeError'> = 'invalidState';
const first: ProblemType = problemTypes[0];
// @ts-expect-error: a closed set
const none: ProblemType = '/problems/no-such-thing';
void [oneCase, first, none];
