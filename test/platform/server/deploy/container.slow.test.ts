import Docker from 'dockerode';
import { build } from 'esbuild';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtCommand } from '../../../cli/built-command.js';
import { plumbline, type Finished } from '../../../cli/plumbline.js';
import { freePort } from '../../../support/free-port.js';
import { testPassword } from '../../../support/platform.js';

const run = promisify(execFile);
const host = process.env['PLUMBLINE_TEST_DOCKER_HOST'] ?? '';

/** Why the images cannot be built; empty: they can. */
async function reasonToSkip(): Promise<string> {
  if (!host.startsWith('unix://')) return ' (skipped: PLUMBLINE_TEST_DOCKER_HOST names no Docker)';
  if (process.getuid?.() !== 0) return ' (skipped: making the base images needs root)';
  const found = await run('sh', ['-c', 'command -v busybox && ls -d /usr/lib/postgresql/*']).catch(() => null);
  return found === null ? ' (skipped: no busybox, or no PostgreSQL of Debian, to make the base images of)' : '';
}
const skipped = await reasonToSkip();

const minutes = 60_000;
const id = `plumbline-test-deploy-${process.pid}`;
const imageOf = (name: string): string => `${id}-${name}:latest`;

describe.skipIf(skipped !== '')(`The Dockerfile and compose.yaml${skipped}`, { timeout: 10 * minutes }, () => {
  const docker = new Docker({ socketPath: host.replace('unix://', ''), host: undefined });
  let folder: string;
  let ports: { readonly server: number; readonly mail: number };

  beforeAll(async () => {
    await builtCommand();
    folder = await mkdtemp(join(tmpdir(), 'plumbline-deploy-'));
    ports = { server: await freePort(), mail: await freePort() };
    await run('.ci/base-images', [folder]);
    await importImage('base', []);
    await importImage('build', ['ENV PATH=/usr/local/bin:/usr/bin:/bin']);
    await importImage('postgres', ['CMD ["/entry"]', 'USER 65532:65532', 'ENV PATH=/usr/bin:/bin']);
    await build({
      entryPoints: ['test/platform/server/deploy/mail-catcher.ts'],
      outfile: join(folder, 'catcher', 'mail-catcher.cjs'),
      bundle: true,
      platform: 'node',
      format: 'cjs',
    });
    // What CI cannot have: images of a registry. All else is as in compose.yaml.
    await writeFile(
      join(folder, 'override.yaml'),
      JSON.stringify({
        services: {
          plumbline: {
            image: imageOf('server'),
            build: { args: { BUILD: imageOf('build'), BASE: imageOf('base') } },
          },
          postgres: { image: imageOf('postgres') },
          mail: {
            image: imageOf('server'),
            entrypoint: ['/usr/local/bin/node', '/catcher/mail-catcher.cjs'],
            healthcheck: { disable: true },
            volumes: [`${join(folder, 'catcher')}:/catcher:ro`],
          },
        },
      }),
    );
    // First alone: the catcher runs the same image.
    await succeed('build', 'plumbline');
    await succeed('--profile', 'mail', 'up', '--wait', '--wait-timeout', '180');
  }, 10 * minutes);

  afterAll(async () => {
    await compose('--profile', 'mail', 'down', '--volumes', '--timeout', '5');
    await removeImages();
    await rm(folder, { recursive: true, force: true });
  }, 2 * minutes);

  test('bring up a server at which people register, get their mail and log in', async () => {
    const email = 'robin@example.com';
    expect(await post('/api/v1/auth/register', { email, password: testPassword })).toMatchObject({ status: 201 });
    await expect.poll(() => verificationTokenFor(email), { timeout: minutes }).not.toBe('');
    const token = await verificationTokenFor(email);
    const verified = await fetch(`${serverUrl()}/api/v1/auth/verify?token=${token}`);
    expect(verified.status).toBe(200);
    expect(await post('/api/v1/auth/login', { email, password: testPassword })).toMatchObject({
      status: 200,
      body: { token_type: 'bearer' },
    });
  });

  test('run it healthy, as an unprivileged user, on a read-only file system without capabilities', async () => {
    const [found] = await docker.listContainers({
      filters: { label: [`com.docker.compose.project=${id}`, 'com.docker.compose.service=plumbline'] },
    });
    const { State, Config, HostConfig } = await docker.getContainer(found?.Id ?? '').inspect();
    expect(State.Health?.Status).toBe('healthy');
    expect(Config.User).toBe('65532:65532');
    expect(HostConfig.ReadonlyRootfs).toBe(true);
    expect(HostConfig.CapDrop).toEqual(['ALL']);
  });

  test('make an image of at most 200 MB', async () => {
    const { Size } = await docker.getImage(imageOf('server')).inspect();
    console.log(`image: ${(Size / 1e6).toFixed(0)} MB`);
    expect(Size).toBeLessThanOrEqual(200e6);
  });

  test('have an image in which plumbline doctor finds nothing wrong', async () => {
    const command = ['/usr/local/bin/node', '/app/dist/src/cli/main.cjs', 'doctor', '--json'];
    const { exitCode, stdout, stderr } = await compose('exec', '-T', 'plumbline', ...command);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout).findings.filter(({ status }: { status: string }) => status !== 'ok')).toEqual([]);
  });

  test('keep accounts when the containers are replaced', async () => {
    await succeed('down', '--timeout', '10');
    await succeed('up', '--wait', '--wait-timeout', '120');
    const again = { email: 'robin@example.com', password: testPassword };
    expect(await post('/api/v1/auth/login', again)).toMatchObject({ status: 200 });
  });

  async function importImage(name: string, changes: readonly string[]): Promise<void> {
    const stream = await docker.importImage(join(folder, `${name}.tar`), {
      repo: `${id}-${name}`,
      tag: 'latest',
      changes: [...changes],
    });
    for await (const line of stream) if (String(line).includes('"error"')) throw new Error(String(line));
  }

  /** Those of this run, and what the first stage of the build left without a name. */
  async function removeImages(): Promise<void> {
    const origin = await docker.getImage(imageOf('build')).inspect();
    await docker.getImage(imageOf('server')).remove({ force: true });
    for (const { Id } of await docker.listImages({ filters: { dangling: ['true'] } })) {
      const history: { Id: string }[] = await docker.getImage(Id).history();
      if (history.some((layer) => layer.Id === origin.Id)) await docker.getImage(Id).remove({ force: true });
    }
    for (const name of ['base', 'build', 'postgres']) await docker.getImage(imageOf(name)).remove({ force: true });
  }

  async function succeed(...args: readonly string[]): Promise<void> {
    const { exitCode, stdout, stderr } = await compose(...args);
    expect([exitCode, exitCode === 0 ? '' : stdout + stderr]).toEqual([0, '']);
  }

  async function compose(...args: readonly string[]): Promise<Finished> {
    const files = ['-f', 'compose.yaml', '-f', join(folder, 'override.yaml'), '--project-name', id];
    return plumbline(['compose', ...files, ...args], {
      environment: {
        COMPOSE_BACKEND: 'bridge',
        DOCKER_HOST: host,
        HOME: folder,
        PLUMBLINE_HOME: folder,
        PORT: String(ports.server),
        MAIL_PORT: String(ports.mail),
        MAIL_URL: 'smtp://mail:1025',
        MAIL_FROM: 'Plumbline <no-reply@plumbline.example>',
      },
    });
  }

  function serverUrl(): string {
    return `http://127.0.0.1:${ports.server}`;
  }

  async function post(path: string, body: object): Promise<{ status: number; body: unknown }> {
    const headers = { 'Content-Type': 'application/json' };
    const reply = await fetch(serverUrl() + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    return { status: reply.status, body: await reply.json() };
  }

  /** Empty until the mail has come. */
  async function verificationTokenFor(address: string): Promise<string> {
    const mails: unknown = await (await fetch(`http://127.0.0.1:${ports.mail}/`)).json();
    const text = JSON.stringify(mails);
    if (!text.includes(address)) return '';
    return new RegExp(`${serverUrl()}/verify\\?token=([\\w-]+)`).exec(text)?.[1] ?? '';
  }
});
