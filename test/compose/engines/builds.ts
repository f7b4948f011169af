/** Builds of compose files with what BuildKit and Podman have: mounts, secrets, agents, further contexts. */
import { randomBytes, randomInt } from 'node:crypto';
import { access, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { BuildProgress } from '../../../src/compose/runtime/records.js';
import type { Backend } from '../../../src/compose/runtime/runtime.js';
import type { BuildSpec } from '../../../src/compose/runtime/spec.js';
import { registryIsMissing, startRegistry } from '../../support/registry.js';
import { sshAgent } from '../../support/ssh-agent.js';
import { buildx, type TestEngine } from '../../support/engines.js';
import { engineProject, type EngineProject } from './engine-project.js';
import type { EnginePart } from './on-engine.js';

const works = await access(buildx ?? '').then(
  () => true,
  () => false,
);

/** The rest of the title of a test that needs TEST_BUILDX. */
export const missingBuildx = works ? undefined : 'TEST_BUILDX names no program';

export const skipped = (reason: string | undefined): string => (reason === undefined ? '' : ` (skipped: ${reason})`);

/** PATH with the plug-in buildx behind it. */
export const withPlugin = (search: string): string => [search, path.dirname(buildx ?? '')].join(path.delimiter);

/** Skipped, with the reason, where TEST_BUILDX names no program. */
export const withBuildx =
  (part: EnginePart): EnginePart =>
  (engine) => {
    if (works) part(engine);
    else it.skip(`skipped: ${missingBuildx ?? ''}`);
  };

/** The lines of a build's log. */
export async function logOf(backend: Backend, spec: BuildSpec): Promise<string[]> {
  const items: BuildProgress[] = [];
  for await (const item of await backend.images.build(spec)) items.push(item);
  return items.flatMap((item) => (item.type === 'log' ? [item.line] : []));
}

export const specOf = (
  { image, labels }: TestEngine,
  lines: readonly string[],
  more: Partial<BuildSpec> = {},
): BuildSpec => ({
  context: import.meta.dirname,
  dockerfileInline: [`FROM ${image}`, ...lines].join('\n'),
  tags: [],
  labels,
  network: 'none',
  ...more,
});

/** A build that fails without BuildKit, and without its secret. */
export const SECRET = { noCache: true, secrets: [{ id: 's', value: 'a secret', variable: 'S' }] };
export const MOUNTED = ['RUN --mount=type=secret,id=s test "$(cat /run/secrets/s)" = "a secret" && echo opened'];

type Section = Readonly<Record<string, unknown>>;

/** Texts of compose files have no variables here. */
function literal(text: string): string {
  return text.replaceAll('$', '$$$$');
}

/** Images have the label by which they are removed. */
function built(engine: TestEngine, dockerfile: readonly string[], more: Section = {}): Section {
  return {
    build: {
      context: '.',
      dockerfile_inline: literal([`FROM ${engine.image} AS first`, ...dockerfile].join('\n')),
      labels: engine.labels,
      network: 'none',
      no_cache: true,
      ...more,
    },
    image: freshImage(),
  };
}

function freshImage(): string {
  return `localhost/plt-built-${randomBytes(4).toString('hex')}:1`;
}

/** Both outputs, without the names before the lines. */
async function printedBy(project: EngineProject, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await project.run('--progress', 'plain', ...args);
  expect(code, stderr).toBe(0);
  return stdout + stderr;
}

/** The arguments of all processes of the machine. */
async function commandLines(): Promise<string[]> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const texts = await Promise.all(processes.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return texts.map((text) => text.replaceAll('\0', ' '));
}

/** What only `podman build` does. */
export function podmanBuilds(engine: TestEngine): void {
  it('applies limits and privileges', async () => {
    const lines = ['RUN mkdir /m && mount -t tmpfs none /m && echo "files $(ulimit -n)" && df -k /dev/shm'];
    const more = { privileged: true, ulimits: { nofile: 99 }, shm_size: '32m' };
    const project = await engineProject(engine, { services: { web: built(engine, lines, more) } });
    expect(await printedBy(project, 'build', '--memory', '64m')).toMatch(/files 99\n[^]*\b32768\b/);
  });

  it.each<[string, Section]>([
    ['build.platforms', { platforms: ['linux/amd64', 'linux/arm64'] }],
    ['build.entitlements', { entitlements: ['network.host'] }],
    ['build.no_cache_filter', { no_cache_filter: ['first'] }],
    ['build.provenance', { provenance: true }],
    ['build.sbom', { sbom: true }],
    ['build.cache_to with type=local', { cache_to: ['type=local,dest=cache'] }],
    ['build.cache_to with mode=min', { cache_to: ['type=registry,ref=localhost/cache,mode=min'] }],
    ['build.cache_to with compression', { cache_to: ['type=registry,ref=localhost/cache,compression=zstd'] }],
    ['build.cache_from without ref', { cache_from: ['type=registry'] }],
    ['build.cache_from with a tag or digest', { cache_from: ['localhost:5000/cache:1'] }],
    ['build.cache_from with several caches', { cache_from: ['localhost/cache', 'localhost/other'] }],
  ])('refuses %s', async (key, more) => {
    const project = await engineProject(engine, { services: { web: built(engine, [], more) } });
    expect(await project.run('build')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`The native backend does not support '${key}'.`) as string,
    });
  });
}

/** Further contexts, which the BuildKit of Docker 20.10 does not have. */
export function namedContexts(engine: TestEngine): void {
  it('takes further contexts from directories, images and other services, which are built first', async () => {
    const base = built(engine, ['RUN echo "from the base" > /base.txt']);
    const lines = [
      'COPY --from=there there.txt /',
      'COPY --from=image /etc/passwd /copied',
      'COPY --from=base base.txt /',
      'RUN cat /there.txt /base.txt && test -s /copied && echo all copied',
    ];
    const contexts = { there: './there', image: `docker-image://${engine.image}`, base: 'service:base' };
    const web = built(engine, lines, { additional_contexts: contexts });
    const files = { 'there/there.txt': 'from the directory\n' };
    const project = await engineProject(engine, { services: { web, base } }, files);
    const text = await printedBy(project, 'build', 'web');
    expect(text).toMatch(/from the directory\n[^]*from the base\n[^]*all copied/);
  });
}

/** What the engine needs a current BuildKit and the image store of containerd for. */
export function currentBuildKit(engine: TestEngine): void {
  describe('a current BuildKit', () => {
    it('knows here-documents, limits and shared memory', async () => {
      const lines = ['RUN <<END', 'echo "files $(ulimit -n)"', 'df -k /dev/shm', 'END'];
      const limits = { ulimits: { nofile: { soft: 99, hard: 100 } }, shm_size: '32m' };
      const project = await engineProject(engine, { services: { web: built(engine, lines, limits) } });
      expect(await printedBy(project, 'build')).toMatch(/files 99\n[^]*\b32768\b/);
    });

    it('exports its cache to a directory and imports it', async () => {
      const caching = { cache_to: ['type=local,dest=CACHE'], cache_from: ['type=local,src=CACHE'], no_cache: false };
      const directory = await mkdtemp(path.join(tmpdir(), 'plt-cache-'));
      onTestFinished(() => rm(directory, { recursive: true, force: true }));
      const at = (all: readonly string[]): string[] => all.map((each) => each.replace('CACHE', directory));
      const web = built(engine, ['RUN echo cached'], {
        ...caching,
        cache_to: at(caching.cache_to),
        cache_from: at(caching.cache_from),
      });
      const project = await engineProject(engine, { services: { web } });
      await printedBy(project, 'build');
      expect(await readdir(directory)).toContain('index.json');
      expect(await printedBy(project, 'build')).toMatch(/importing cache manifest from local/);
    });

    it('builds for several platforms, with attestations', async () => {
      const web = built(engine, [], {
        dockerfile_inline: literal('FROM scratch\nARG TARGETARCH\nCOPY ${TARGETARCH}.txt /app.txt\n'),
        platforms: ['linux/amd64', 'linux/arm64'],
        provenance: 'mode=max',
      });
      const project = await engineProject(engine, { services: { web } }, { 'amd64.txt': 'one', 'arm64.txt': 'other' });
      const text = await printedBy(project, 'build');
      expect(text).toMatch(/\[linux\/amd64 1\/1\] COPY/);
      expect(text).toMatch(/\[linux\/arm64 1\/1\] COPY/);
      expect((await engine.backend.images.inspect(String(web['image']))).tags).toContain(web['image']);
    });

    it('checks Dockerfiles, and fails for warnings', async () => {
      const good = built(engine, ['COPY app.txt /app.txt']);
      const bad = built(engine, ['copy app.txt /app.txt', 'RUN true']);
      const project = await engineProject(engine, { services: { good, bad } }, { 'app.txt': '' });
      expect(await project.run('build', '--check', 'good')).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^good\n\nCheck complete, no warnings found.\n/) as string,
      });
      const { code, stdout, stderr } = await project.run('build', '--check');
      expect({ code, stderr }).toEqual({ code: 1, stderr: 'The check found problems in the Dockerfile.\n' });
      expect(stdout).toContain('WARNING: ConsistentInstructionCasing');
    });
  });
}

const withRegistry = it.skipIf(registryIsMissing !== undefined);

/** Caches in a registry. @param forget removes what the engine keeps of steps with this text, and the image */
export function cachedBuilds(engine: TestEngine, forget: (image: string, text: string) => Promise<void>): void {
  withRegistry(`exports its cache to a registry and imports it${skipped(registryIsMissing)}`, async () => {
    const registry = await startRegistry();
    onTestFinished(() => registry.stop());
    const cache = `${registry.name}/plt/cache`;
    const file = `/made-${randomBytes(4).toString('hex')}`;
    const image = freshImage();
    // Podman expects TLS of every registry, unless this file says otherwise.
    const insecure = `[[registry]]\nlocation = "${registry.name}"\ninsecure = true\n`;
    const project = await engineProject(engine, { services: {} }, { '.config/containers/registries.conf': insecure });
    const builtWith = async (more: Section): Promise<string> => {
      const lines = [`RUN cat /proc/sys/kernel/random/uuid > ${file}`];
      await project.write({
        services: { web: { ...built(engine, lines, { no_cache: false, ...more }), image, network_mode: 'none' } },
      });
      // As a separate process, because builders look for their settings in the home directory.
      const building = await project.spawn('build');
      expect(await building.ended, building.printed()).toBe(0);
      const { stdout } = await project.run('run', '--rm', '-T', '--no-deps', 'web', 'cat', file);
      await project.run('down');
      await forget(image, file);
      expect(stdout).toMatch(/^[\da-f-]{36}\n$/);
      return stdout;
    };
    const first = await builtWith({ cache_to: [`type=registry,ref=${cache},mode=max`] });
    expect(await builtWith({}), 'without the cache').not.toBe(first);
    expect(await builtWith({ cache_from: [cache] })).toBe(first);
  });
}

/** Pushes to a registry. */
export function pushedBuilds(engine: TestEngine): void {
  withRegistry(`pushes to a registry${skipped(registryIsMissing)}`, async () => {
    const registry = await startRegistry();
    onTestFinished(() => registry.stop());
    const web = { ...built(engine, ['RUN echo pushed']), image: `${registry.name}/plt/web:1` };
    const project = await engineProject(engine, {
      services: { web, unnamed: { ...built(engine, []), image: undefined } },
    });
    await printedBy(project, 'build', '--push');
    expect((await registry.manifest('plt/web', '1')).digest).toMatch(/^sha256:/);
  });
}

export function builds(engine: TestEngine): void {
  describe('builds', () => {
    it('mounts secrets, caches, files and agents, and shows no value in a command line or the output', async () => {
      const agent = await sshAgent();
      onTestFinished(() => agent.end());
      const service = built(
        engine,
        [
          'ARG TOKEN',
          'RUN --mount=type=cache,target=/cache --mount=type=bind,source=app.txt,target=/app.txt \\',
          '  --mount=type=secret,id=file --mount=type=secret,id=variable --mount=type=ssh \\',
          '  grep ^value.of.file$ /run/secrets/file >/dev/null && grep ^value.of.variable$ /run/secrets/variable >/dev/null && \\',
          '  test "$(cat /app.txt)" = "a file" && test -S "$SSH_AUTH_SOCK" && sleep 1 && echo all mounted',
        ],
        {
          args: { TOKEN: 'value-of-argument' },
          secrets: ['file', { source: 'variable', target: 'variable' }],
          ssh: [`default=${agent.socket}`],
        },
      );
      const parts = {
        services: { web: service },
        secrets: { file: { file: './secret' }, variable: { environment: 'S' } },
      };
      const files = { secret: 'value-of-file', '.env': 'S=value-of-variable', 'app.txt': 'a file' };
      const project = await engineProject(engine, parts, files);
      const printing = printedBy(project, 'build');
      const ended = printing.then(() => true);
      const seen = new Set<string>();
      while (!(await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 50, false))]))) {
        for (const line of await commandLines()) seen.add(line);
      }
      const builder = engine.name === 'native/podman' ? /podman .*build / : /docker-buildx bake /;
      expect([...seen].some((line) => builder.test(line))).toBe(true);
      expect([...seen].filter((line) => /value-of-(?:file|variable|argument)/.test(line))).toEqual([]);
      const text = await printing;
      expect(text).toContain('all mounted');
      expect(text).not.toMatch(/value-of-(?:file|variable)/);
    });

    it('takes target, arguments, labels, tags, hosts and limits from the file', async () => {
      const tag = freshImage();
      const web = built(
        engine,
        ['ARG WORD', 'RUN echo "the word is $WORD"; grep some-host /etc/hosts', 'FROM first AS second', 'RUN exit 1'],
        {
          target: 'first',
          args: { WORD: literal('${HOME} %{x} quoted') },
          labels: { ...engine.labels, word: literal('a ${label}') },
          tags: [tag],
          extra_hosts: ['some-host=10.1.2.3'],
          // Without a network, Podman's builds have no /etc/hosts.
          ...(engine.name === 'native/podman' && { network: 'host' }),
          ulimits: { nofile: { soft: 1000, hard: 1024 } },
        },
      );
      const project = await engineProject(engine, { services: { web } });
      const text = await printedBy(project, 'build');
      expect(text).toContain('the word is ${HOME} %{x} quoted');
      expect(text).toMatch(/10\.1\.2\.3\s+some-host/);
      expect((await engine.backend.images.inspect(tag)).labels).toMatchObject({ ...engine.labels, word: 'a ${label}' });
    });

    it('says why a build fails, with its command', async () => {
      const web = built(engine, ['ARG TOKEN', 'RUN echo before the end; exit 9'], { args: { TOKEN: 'exit 9' } });
      const project = await engineProject(engine, { services: { web } });
      const { code, stderr } = await project.run('--progress', 'plain', 'build');
      expect(code).toBe(1);
      expect(stderr).toContain('before the end');
      expect(stderr.split('\n').find((line) => line.startsWith('Build failed: '))).toMatch(/exit (?:code: |status )?9/);
    });

    it.each([
      ['up', '-d', '--build'],
      ['run', '--rm', '--build', 'web', 'true'],
      ['create', '--build'],
    ])('%s builds this way', async (...args) => {
      const web = built(engine, ['RUN --mount=type=cache,target=/c echo built with a cache']);
      const project = await engineProject(engine, { services: { web } });
      expect(await printedBy(project, ...args)).toContain('built with a cache');
    });

    it('ends the builder on Ctrl-C, and leaves no files', async () => {
      const directory = await mkdtemp(path.join(tmpdir(), 'plt-tmp-'));
      onTestFinished(() => rm(directory, { recursive: true, force: true }));
      await mkdir(path.join(directory, 'tmp'));
      const TMPDIR = path.join(directory, 'tmp');
      const seconds = String(randomInt(10_000, 90_000));
      const web = built(engine, [`RUN --mount=type=secret,id=s echo $((40 + 2)) waiting; sleep ${seconds}`], {
        secrets: ['s'],
      });
      const parts = { services: { web }, secrets: { s: { environment: 'S' } } };
      const there = { ...engine, environment: { ...engine.environment, TMPDIR } };
      const { spawn } = await engineProject(there, parts, { '.env': 'S=value' });
      const command = await spawn('build');
      await command.says('42 waiting');
      command.kill('SIGINT');
      expect(await command.ended).toBe(130);
      expect((await readdir(TMPDIR)).filter((name) => /plumbline|compose/.test(name))).toEqual([]);
      // Engines end the step when its builder has gone.
      await expect
        .poll(
          async () =>
            (await commandLines()).filter((line) => line.includes(TMPDIR) || line.includes(`sleep ${seconds}`)),
          {
            timeout: 20_000,
          },
        )
        .toEqual([]);
    });
  });
}
