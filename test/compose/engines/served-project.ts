/** A project that is driven over the REST API, on a real engine. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createComposeClient,
  createNetwork,
  downProject,
  execInContainer,
  getContainerLogs,
  getContainerStats,
  ingestProject,
  inspectContainer,
  killContainer,
  listContainerProcesses,
  listContainers,
  listNetworks,
  listProjectServices,
  listSecrets,
  listVolumes,
  restartProject,
  scaleService,
  startContainer,
  stopContainer,
  streamEvents,
  upProject,
  waitForContainer,
  watchContainerLogs,
  watchEvents,
  writeProjectFiles,
  type ComposeClient,
  type Transport,
} from '../../../sdk/src/compose.js';
import { nodeTransport } from '../../../sdk/src/compose/node.js';
import { unwrap } from '../../../sdk/src/index.js';
import { systemClock } from '../../../src/compose/runtime/clock.js';
import { prepareListening } from '../../../src/compose/service/listening.js';
import { createComposeService } from '../../../src/compose/service/service.js';
import { captureLog } from '../../support/captured-log.js';
import { cuttingFetch } from '../../support/cutting-fetch.js';
import type { TestEngine } from '../../support/engines.js';
import { composeFile, removeAll, shell, type ComposeParts } from './engine-project.js';
import { loadingWorker } from '../../support/loading-worker.js';
import type { EnginePart } from './on-engine.js';

export const servedProject: EnginePart = (engine) => {
  describe('a project over the REST API', () => {
    it('is accepted, started, inspected, and removed with its volumes', async () => {
      const { compose, name, labels } = await served(engine, {
        services: { db: { volumes: ['data:/data'] }, web: { depends_on: ['db'] } },
        volumes: { data: {} },
      });
      const { services } = unwrap(await upProject(compose, { params: { name } }));
      expect(services.map(({ service }) => service).sort()).toEqual(['db', 'web']);
      const { items } = unwrap(await listContainers(compose, { query: { label: labels } }));
      expect(items.map((one) => [one.name, one.status]).sort()).toEqual([
        [`${name}-db`, 'running'],
        [`${name}-web`, 'running'],
      ]);
      const web = unwrap(await inspectContainer(compose, { params: { id: `${name}-web` } }));
      expect(web).toMatchObject({ status: 'running', exit_code: null });
      const table = unwrap(await listContainerProcesses(compose, { params: { id: web.id } }));
      expect(table.processes.flat().join(' ')).toContain('sleep 0.1; done');

      unwrap(await downProject(compose, { params: { name }, body: { remove_volumes: true } }));
      expect(unwrap(await listContainers(compose, { query: { label: labels } })).items).toEqual([]);
      const volumes = unwrap(await listVolumes(compose, { query: { label: labels } }));
      expect(volumes.items).toEqual([]);
    });

    it('gives its containers the files that were sent for its secrets and configs', async () => {
      const { compose, name } = await served(engine, {
        services: { web: { user: '1000', secrets: ['token'], configs: [{ source: 'page', target: '/srv/page' }] } },
        secrets: { token: { environment: 'TOKEN' } },
        configs: { page: { environment: 'PAGE' } },
      });
      const content = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
      const files = [
        { section: 'secrets', name: 'token', content: content(Buffer.from('hidden')) },
        { section: 'configs', name: 'page', content: content(new Uint8Array([0, 255, 10])) },
      ] as const;
      unwrap(await writeProjectFiles(compose, { params: { name }, body: { files: [...files] } }));
      expect(unwrap(await upProject(compose, { params: { name } })).warnings).toEqual([]);
      const command = shell('cat /run/secrets/token; od -An -tx1 /srv/page');
      const printed: string[] = [];
      const params = { id: `${name}-web` };
      for await (const piece of unwrap(await execInContainer(compose, { params, body: { command } }))) {
        printed.push(piece.type === 'exit' ? `exit ${piece.exit_code}` : piece.data);
      }
      expect(printed.join('')).toMatch(/^hidden 00 ff 0a\s*exit 0$/);
    });

    it.each<[string, ComposeParts]>([
      ['a Dockerfile of the host', { services: { web: { build: { context: '.', dockerfile: '/etc/passwd' } } } }],
      [
        'a directory of the host by way of a volume',
        {
          services: { web: { volumes: ['data:/data'] } },
          volumes: { data: { driver_opts: { type: 'none', o: 'bind', device: '/etc' } } },
        },
      ],
      [
        'a directory of the host by way of a mount target',
        { services: { web: { volumes: [{ type: 'volume', target: '/etc:/data' }] } } },
      ],
      ['the processes of the host', { services: { web: { pid: 'host' } } }],
      ['all privileges', { services: { web: { privileged: true } } }],
    ])('is refused when it asks for %s, and nothing of it is run', async (_what, parts) => {
      const { compose, name, labels } = await served(engine, { services: { web: {} } });
      const body = composeFile(engine, name, parts);
      expect(await ingestProject(compose, { params: { name }, query: { replace: true }, body })).toMatchObject({
        status: 400,
        problem: { error: 'ComposeValidationError', case: 'notAllowed' },
      });
      unwrap(await upProject(compose, { params: { name } }));
      const { items } = unwrap(await listContainers(compose, { query: { label: labels } }));
      expect(items).toHaveLength(1);
    });

    it('does not inherit the labels of engines and compose tools from its image', async () => {
      const image = `plumbline-test-labelled-${randomBytes(4).toString('hex')}`;
      const context = await mkdtemp(path.join(tmpdir(), 'plumbline-labelled-'));
      onTestFinished(async () => {
        await rm(context, { recursive: true });
        await engine.backend.images.remove(image, { force: true });
      });
      const dockerfileInline = `FROM ${engine.image}
LABEL com.docker.compose.project=victim com.docker.compose.replace=victim-web org.opencontainers.image.title=Web
`;
      for await (const step of await engine.backend.images.build({
        ...{ context, dockerfileInline, tags: [image], labels: engine.labels },
      })) {
        if (step.type === 'done') break;
      }
      const { compose, name } = await served(engine, { services: { web: { image } } });
      unwrap(await upProject(compose, { params: { name } }));
      const { labels } = unwrap(await inspectContainer(compose, { params: { id: `${name}-web` } }));
      expect(labels).toMatchObject({
        'com.docker.compose.project': name,
        'com.docker.compose.replace': '',
        'org.opencontainers.image.title': 'Web',
      });
      unwrap(await downProject(compose, { params: { name } }));
    });

    it('returns the output of its containers, and follows it', async () => {
      const says = shell('echo one; echo two >&2; while [ ! -e /tmp/go ]; do sleep 0.1; done; echo three');
      const { compose, name } = await served(engine, { services: { web: { command: says } } });
      unwrap(await upProject(compose, { params: { name } }));
      const params = { id: `${name}-web` };
      const heard: string[] = [];
      for await (const { stream, line } of unwrap(
        await getContainerLogs(compose, { params, query: { follow: true } }),
      )) {
        heard.push(`${stream} ${line}`);
        // What it prints last, it prints when the first two have been heard.
        if (heard.length === 2)
          unwrap(await execInContainer(compose, { params, body: { command: ['touch', '/tmp/go'] } }));
      }
      expect(heard.toSorted()).toEqual(['stderr two', 'stdout one', 'stdout three']);
      expect(heard[2]).toBe('stdout three');
      expect(unwrap(await inspectContainer(compose, { params }))).toMatchObject({ status: 'exited', exit_code: 0 });
    });

    it('returns all output to a reader that loses each connection after one line', async () => {
      const says = shell('echo one; echo two; echo three; while [ ! -e /tmp/go ]; do sleep 0.1; done; echo four');
      const opened: (string | null)[] = [];
      const losing: Transport = (endpoint) => cuttingFetch(nodeTransport()(endpoint), opened);
      const { compose, name } = await served(
        engine,
        { services: { web: { command: says, network_mode: 'none' } } },
        losing,
      );
      unwrap(await upProject(compose, { params: { name } }));
      const params = { id: `${name}-web` };
      const heard: string[] = [];
      for await (const { line } of unwrap(await watchContainerLogs(compose, { params })) ?? []) {
        if (heard.push(line) === 3)
          unwrap(await execInContainer(compose, { params, body: { command: ['touch', '/tmp/go'] } }));
      }
      expect(heard).toEqual(['one', 'two', 'three', 'four']);
      // The first connection resumes nothing, and each line was followed by another connection.
      expect(opened.filter((id) => id === null)).toEqual([null]);
      expect(opened.length).toBeGreaterThanOrEqual(4);
      const events: string[] = [];
      const label = [`com.docker.compose.project=${name}`];
      const since = unwrap(await inspectContainer(compose, { params })).created_at;
      for await (const { type } of unwrap(await watchEvents(compose, { query: { label, since } })) ?? []) {
        if (events.push(type) > 0 && type === 'exited') break;
      }
      expect(events.filter((type) => ['started', 'exited'].includes(type))).toEqual(['started', 'exited']);
    });

    it('follows many containers for stalled readers, and lists them, without a warning of Node', async () => {
      const warnings: string[] = [];
      const note = (warning: Error): void => void warnings.push(`${warning.name}: ${warning.message}`);
      process.on('warning', note);
      onTestFinished(() => void process.off('warning', note));
      const replicas = 12; // Node warns of the eleventh listener.
      const { compose, name, labels } = await served(engine, { services: { web: { scale: replicas } } });
      unwrap(await upProject(compose, { params: { name } }));
      const leave = new AbortController();
      const { signal } = leave;
      const { items } = unwrap(await listContainers(compose, { query: { label: labels } }));
      expect(items).toHaveLength(replicas);
      await Promise.all(
        items.map(async ({ id }) =>
          unwrap(await getContainerLogs(compose, { params: { id }, query: { follow: true }, signal })),
        ),
      );
      unwrap(await listContainers(compose, { query: { label: labels } }));
      leave.abort();
      expect(warnings).toEqual([]);
    });

    it('runs commands in its containers, with their output and exit code, and measures them', async () => {
      const { compose, name } = await served(engine, { services: { web: {} } });
      unwrap(await upProject(compose, { params: { name } }));
      const params = { id: `${name}-web` };
      const command = shell('echo "$WORD"; echo no >&2; exit 9');
      const body = { command, environment: { WORD: 'yes' } };
      const output: Record<string, string> = {};
      let exitCode: number | undefined;
      for await (const piece of unwrap(await execInContainer(compose, { params, body }))) {
        if (piece.type === 'exit') exitCode = piece.exit_code;
        else output[piece.stream] = (output[piece.stream] ?? '') + piece.data;
      }
      expect([output, exitCode]).toEqual([{ stdout: 'yes\n', stderr: 'no\n' }, 9]);

      const samples = [];
      const stats = unwrap(await getContainerStats(compose, { params, query: { stream: false } }));
      for await (const sample of stats) samples.push(sample);
      expect(samples).toHaveLength(1);
      expect(samples[0]?.memory_usage_bytes).toBeGreaterThan(0);
    });

    it('is scaled and restarted, and its events report both', async () => {
      const { compose, name, labels } = await served(engine, { services: { web: {} } });
      const leave = new AbortController();
      const events = unwrap(await streamEvents(compose, { query: { label: labels }, signal: leave.signal }));
      unwrap(await upProject(compose, { params: { name } }));
      unwrap(await scaleService(compose, { params: { name, service: 'web' }, body: { replicas: 2 } }));
      const { items } = unwrap(await listProjectServices(compose, { params: { name } }));
      expect(items).toMatchObject([{ name: 'web', containers: [{ status: 'running' }, { status: 'running' }] }]);
      const before = unwrap(await inspectContainer(compose, { params: { id: `${name}-web` } })).started_at;
      unwrap(await restartProject(compose, { params: { name } }));
      const after = unwrap(await inspectContainer(compose, { params: { id: `${name}-web` } })).started_at;
      expect(Date.parse(after ?? '')).toBeGreaterThan(Date.parse(before ?? ''));
      unwrap(await downProject(compose, { params: { name } }));
      const told: Record<string, string[]> = {};
      for await (const event of events) {
        (told[event.name] ??= []).push(event.type);
        if ([`${name}-web`, `${name}-web-2`].every((one) => told[one]?.includes('removed'))) break;
      }
      for (const one of [`${name}-web`, `${name}-web-2`]) {
        const lives = told[one]?.filter((type) => ['started', 'stopped', 'exited', 'removed'].includes(type));
        expect(lives).toEqual(['started', 'stopped', 'started', 'stopped', 'removed']);
      }
    });

    it('answers impossible requests with the documented status and the actual state', async () => {
      const { compose, name } = await served(engine, {
        services: { web: {}, job: { command: ['sh', '-c', 'exit 3'] } },
      });
      const nothing = await upProject(compose, { params: { name: `${name}x` } });
      expect(nothing).toMatchObject({ status: 404, problem: { error: 'OrchestratorError', case: 'projectNotFound' } });
      unwrap(await upProject(compose, { params: { name } }));
      const params = { id: `${name}-web` };
      expect(await startContainer(compose, { params })).toMatchObject({ status: 409, problem: { actual: 'running' } });
      unwrap(await killContainer(compose, { params, body: { signal: 'SIGKILL' } }));
      await expect
        .poll(async () => unwrap(await inspectContainer(compose, { params })), { timeout: 30_000 })
        .toMatchObject({ status: 'exited', exit_code: 137 });
      expect(await stopContainer(compose, { params })).toMatchObject({
        status: 409,
        problem: { error: 'RuntimeError', case: 'invalidState', expected: 'running', actual: 'exited' },
      });
      unwrap(await startContainer(compose, { params }));
      unwrap(await stopContainer(compose, { params }));
      expect(await killContainer(compose, { params, body: {} })).toMatchObject({
        status: 409,
        problem: { actual: 'stopped' },
      });
      expect(await inspectContainer(compose, { params: { id: `${name}-nobody` } })).toMatchObject({
        status: 404,
        problem: { case: 'notFound', id: `${name}-nobody` },
      });
      const service = await scaleService(compose, { params: { name, service: 'WEB' }, body: { replicas: 1 } });
      expect(service).toMatchObject({ status: 404, problem: { case: 'serviceNotFound', service: 'WEB' } });
    });

    it('waits for the end of a container; the bridge refuses that: 501', async () => {
      const { compose, name } = await served(engine, { services: { job: { command: shell('exit 3') } } });
      unwrap(await upProject(compose, { params: { name } }));
      const waited = await waitForContainer(compose, { params: { id: `${name}-job` } });
      const is501 = { status: 501, problem: { case: 'notSupported', operation: 'wait', conformer: 'bridge' } };
      const ended = { status: 200, data: { exit_code: 3 } };
      expect(waited).toMatchObject(engine.backend.conformer === 'bridge' ? is501 : ended);
    });

    it('cannot manage networks and secrets on a production backend: 501', async () => {
      const { compose, name } = await served(engine, { services: { web: {} } });
      const refused = [
        await listNetworks(compose),
        await createNetwork(compose, { body: { name: `${name}-net` } }),
        await listSecrets(compose),
      ];
      expect(refused.map(({ status, problem }) => [status, problem?.type])).toEqual(
        refused.map(() => [501, '/problems/runtime-not-supported']),
      );
    });
  });
};

interface Served {
  readonly compose: ComposeClient;
  /** Of the project, which the server has been sent. */
  readonly name: string;
  /** What its containers carry, as the API filters by it. */
  readonly labels: string[];
}

/** A server on the engine that has taken in a project. */
async function served(engine: TestEngine, parts: ComposeParts, transport = nodeTransport()): Promise<Served> {
  const { backend } = engine;
  const name = `plt${randomBytes(5).toString('hex')}`;
  onTestFinished(() => removeAll(backend, { 'com.docker.compose.project': name }));
  const folder = await mkdtemp(path.join(tmpdir(), 'plumbline-served-'));
  const { log } = captureLog();
  const listening = await prepareListening({ address: { scheme: 'unix', path: path.join(folder, 's') } }, log);
  const service = await createComposeService({
    backend,
    clock: systemClock,
    log,
    version: '0.0.0',
    projectsFolder: null,
    loadingWorker,
    entrance: listening,
    replyValidation: 'always',
    pages: { openapi: new URL('file:///nonexistent'), reference: new URL('file:///nonexistent') },
  });
  const server = await listening.listen(service.listener);
  onTestFinished(async () => {
    service.endStreams();
    await server.stop(1_000);
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });
  const compose = createComposeClient({ address: server.url, transport });
  unwrap(await ingestProject(compose, { params: { name }, body: composeFile(engine, name, parts) }));
  return { compose, name, labels: [`com.docker.compose.project=${name}`] };
}
