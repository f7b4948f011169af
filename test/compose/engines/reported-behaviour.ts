/** The behaviour that users of compose tools report most often as broken, on a real engine. */
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { EnginePart } from './on-engine.js';
import { engineProject, ONLY_RUNNING, shell } from './engine-project.js';

const HEALTHY = { test: ['CMD-SHELL', 'test -f /tmp/ready'], interval: '200ms', retries: 100 };
const SERVES = shell(
  'mkdir /tmp/www; echo hello from api > /tmp/www/index.html; trap "exit 0" TERM; httpd -f -p 80 -h /tmp/www & wait',
);

export const reportedBehaviour: EnginePart = (engine) => {
  describe('behaviour that users report most', () => {
    it('services find each other by their names and aliases', async () => {
      const { run } = await engineProject(engine, {
        services: {
          api: { command: SERVES, networks: { default: { aliases: ['backend'] } } },
          client: { depends_on: ['api'] },
        },
      });
      expect((await run('up', '-d')).code).toBe(0);
      for (const name of ['api', 'backend']) {
        // It may need a moment after it counts as running.
        const fetch = `for try in $(seq 50); do wget -q -O - http://${name}/ 2>/dev/null && exit; sleep 0.1; done; exit 1`;
        expect(await run('exec', '-T', 'client', 'sh', '-c', fetch)).toMatchObject({
          code: 0,
          stdout: 'hello from api\n',
        });
      }
    });

    it('service_healthy waits for the health check', async () => {
      const { run, container } = await engineProject(engine, {
        services: {
          db: {
            command: shell('trap "exit 0" TERM; sleep 1; touch /tmp/ready; while :; do sleep 0.1; done'),
            healthcheck: HEALTHY,
          },
          web: { depends_on: { db: { condition: 'service_healthy' } } },
        },
      });
      expect((await run('up', '-d')).code).toBe(0);
      const [db, web] = [await container('db'), await container('web')];
      expect(db.health?.status).toBe('healthy');
      expect(Date.parse(web.startedAt ?? '')).toBeGreaterThan(Date.parse(db.startedAt ?? '') + 1000);
    });

    it('up fails if a one-shot service fails', async () => {
      const { run, statuses, name } = await engineProject(engine, {
        services: {
          migrate: { command: shell('exit 3') },
          web: { depends_on: { migrate: { condition: 'service_completed_successfully' } } },
        },
      });
      const { code, stderr } = await run('up', '-d');
      expect(code).toBe(1);
      expect(stderr).toContain(
        `Container '${name}-migrate' exited with non-zero status 3; service_completed_successfully condition not satisfied.`,
      );
      expect((await statuses())['web']).not.toBe('running');
    });

    it('--exit-code-from returns the exit code of the service', async () => {
      const { run, statuses } = await engineProject(engine, {
        services: { db: {}, tests: { command: shell('echo tested; exit 7'), depends_on: ['db'] } },
      });
      const { code, stdout } = await run('up', '--exit-code-from', 'tests');
      expect(code).toBe(7);
      expect(stdout).toContain('| tested\n');
      expect(await statuses()).toEqual({ db: 'stopped', tests: 'exited' });
    });

    it('a second up changes nothing', async () => {
      const { run, containers } = await engineProject(engine, {
        services: {
          db: { volumes: ['data:/data', '/cache'], environment: { A: '1' }, healthcheck: { disable: true } },
          web: { depends_on: ['db'], ports: ['127.0.0.1::80'], mem_limit: '64m', configs: ['text'] },
        },
        volumes: { data: {} },
        configs: { text: { content: 'some text' } },
      });
      expect((await run('up', '-d')).code).toBe(0);
      const before = await containers();
      expect(await run('up', '-d')).toEqual({
        code: 0,
        stdout: '',
        stderr: expect.stringMatching(ONLY_RUNNING) as string,
      });
      expect(await containers()).toEqual(before);
    });

    it('up replaces only the service that changed', async () => {
      const services = { db: {}, cache: {}, web: { depends_on: ['db'] } };
      const { run, write, container } = await engineProject(engine, { services });
      await run('up', '-d');
      const ids = async (): Promise<string[]> =>
        Promise.all(['db', 'cache', 'web'].map(async (service) => (await container(service)).id));
      const [db, cache, web] = await ids();
      await write({ services: { ...services, web: { depends_on: ['db'], environment: { NEW: '1' } } } });
      expect((await run('up', '-d')).code).toBe(0);
      const after = await ids();
      expect(after.slice(0, 2)).toEqual([db, cache]);
      expect(after[2]).not.toBe(web);
      expect((await container('web')).environment).toMatchObject({ NEW: '1' });
    });

    it('restart also restarts the dependents with restart: true', async () => {
      const { run, container } = await engineProject(engine, {
        services: {
          db: {},
          web: { depends_on: { db: { condition: 'service_started', restart: true } } },
          other: { depends_on: ['db'] },
        },
      });
      await run('up', '-d');
      const before = { web: await container('web'), other: await container('other') };
      expect((await run('restart', 'db')).code).toBe(0);
      expect((await container('web')).startedAt).not.toBe(before.web.startedAt);
      expect((await container('other')).startedAt).toBe(before.other.startedAt);
    });

    it('up --wait fails after --wait-timeout', async () => {
      const { run, name } = await engineProject(engine, {
        services: { web: { healthcheck: { test: ['CMD', 'false'], interval: '200ms', retries: 1000 } } },
      });
      const { code, stderr } = await run('up', '--wait', '--wait-timeout', '1');
      expect(code).toBe(1);
      expect(stderr).toContain(
        `Timed out after 1s waiting for container '${name}-web' to satisfy condition 'service_healthy'.`,
      );
    });

    it('data in a named volume survives down', async () => {
      const parts = { services: { db: { volumes: ['data:/data'] } }, volumes: { data: {} } };
      const { run } = await engineProject(engine, parts);
      await run('up', '-d');
      await run('exec', '-T', 'db', 'sh', '-c', 'echo precious > /data/file');
      await run('down');
      await run('up', '-d');
      expect((await run('exec', '-T', 'db', 'cat', '/data/file')).stdout).toBe('precious\n');
      await run('down', '--volumes');
      await run('up', '-d');
      expect((await run('exec', '-T', 'db', 'ls', '/data')).stdout).toBe('');
    });

    it('data in an anonymous volume survives the replacement of its container', async () => {
      const { run, write, containers } = await engineProject(engine, { services: { db: { volumes: ['/data'] } } });
      await run('up', '-d');
      await run('exec', '-T', 'db', 'sh', '-c', 'echo precious > /data/file');
      const changed = { services: { db: { volumes: ['/data'], environment: { NEW: '1' } } } };
      await write(changed);
      expect((await run('up', '-d')).code).toBe(0);
      expect((await run('exec', '-T', 'db', 'cat', '/data/file')).stdout).toBe('precious\n');
      expect(await containers()).toHaveLength(1);
      await run('up', '-d', '--force-recreate', '--renew-anon-volumes');
      expect((await run('exec', '-T', 'db', 'ls', '/data')).stdout).toBe('');
    });

    it('the error names the port that is in use', async () => {
      const holder = createServer();
      await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void holder.close());
      const { port } = holder.address() as AddressInfo;
      const { run, statuses } = await engineProject(engine, {
        services: { web: { ports: [`127.0.0.1:${port}:80`] } },
      });
      const { code, stderr } = await run('up', '-d');
      expect(code).toBe(1);
      expect(stderr).toMatch(new RegExp(`\\b${port}\\b.*already in use`, 's'));
      expect((await statuses())['web']).not.toBe('running');
    });

    it('exec, port, ps, logs, top and create work', async () => {
      const { run, name, statuses } = await engineProject(engine, {
        services: { web: { ports: ['127.0.0.1::80', '81'], scale: 2 } },
      });
      expect((await run('create')).code).toBe(0);
      expect(await statuses()).toEqual({ web: 'created', 'web#2': 'created' });
      expect((await run('start')).code).toBe(0);
      expect((await run('exec', '-T', '--index', '2', 'web', 'sh', '-c', 'hostname; exit 5')).code).toBe(5);
      expect((await run('port', 'web', '80')).stdout).toMatch(/^127\.0\.0\.1:\d+\n$/);
      // Docker binds such a port for each address family.
      expect((await run('port', 'web', '81')).stdout).toMatch(/^0\.0\.0\.0:\d+\n$/);
      expect((await run('ps', '--format', '{{.Name}}')).stdout).toBe(`${name}-web\n${name}-web-2\n`);
      expect((await run('top', 'web')).stdout).toContain('trap "exit 0" TERM');
      expect((await run('logs', '--no-log-prefix', 'web')).stdout).toBe('ready\nready\n');
    });

    it('a variable of the host becomes the content of a secret', async () => {
      const { run } = await engineProject(
        engine,
        {
          services: { web: { secrets: [{ source: 'token', target: 'given', mode: 0o400 }] } },
          secrets: { token: { file: './token.txt' } },
        },
        { 'token.txt': 'hidden' },
      );
      await run('up', '-d');
      expect((await run('exec', '-T', 'web', 'cat', '/run/secrets/given')).stdout).toBe('hidden');
    });

    it('down keeps the containers of a project whose name has the same prefix', async () => {
      const one = await engineProject(engine, { services: { web: {} } });
      const other = await engineProject(engine, { services: { web: {} }, name: `${one.name}-web` });
      await one.run('up', '-d');
      expect((await other.run('-p', `${one.name}-web`, 'up', '-d')).code).toBe(0);
      expect((await one.run('down')).code).toBe(0);
      const left = await other.run('-p', `${one.name}-web`, 'ps', '--format', 'json');
      expect(JSON.parse(left.stdout)).toMatchObject({ Name: `${one.name}-web-web`, State: 'running' });
      expect((await other.run('-p', `${one.name}-web`, 'down')).code).toBe(0);
    });

    it('up creates a container again that another program removed', async () => {
      const { run, container, backend, statuses } = await engineProject(engine, {
        services: { db: {}, web: { depends_on: ['db'] } },
      });
      await run('up', '-d');
      const web = await container('web');
      await backend.containers.remove((await container('db')).id, { force: true });
      expect((await run('up', '-d')).code).toBe(0);
      expect(await statuses()).toEqual({ db: 'running', web: 'running' });
      expect((await container('web')).id).toBe(web.id);
    });

    it('Ctrl-C stops the containers of up', async () => {
      const { begin, statuses } = await engineProject(engine, { services: { db: {}, web: { depends_on: ['db'] } } });
      const running = begin('up', '--no-log-prefix');
      await running.printed('ready\nready\n');
      running.interrupt();
      expect((await running.ran).code).toBe(0);
      expect(await statuses()).toEqual({ db: 'stopped', web: 'stopped' });
    });
  });
};
