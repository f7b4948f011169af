/** Builds of compose files with what BuildKit and Podman have: mounts, secrets, agents, further contexts. */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sshAgent } from '../../support/ssh-agent.js';
import type { TestEngine } from '../../support/engines.js';
import { engineProject, type EngineProject } from './engine-project.js';

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

    it('says why a build fails, without the values that it was given', async () => {
      const web = built(engine, ['ARG TOKEN', 'RUN echo before the end; exit 9'], { args: { TOKEN: 'exit 9' } });
      const project = await engineProject(engine, { services: { web } });
      const { code, stderr } = await project.run('--progress', 'plain', 'build');
      expect(code).toBe(1);
      expect(stderr).toContain('before the end');
      expect(stderr.split('\n').find((line) => line.startsWith('Build failed: '))).toMatch(/\*\*\*|exit status 9/);
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
      const web = built(engine, ['RUN --mount=type=secret,id=s echo $((40 + 2)) waiting; sleep 600'], {
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
      expect((await commandLines()).filter((line) => line.includes(TMPDIR))).toEqual([]);
    });
  });
}
