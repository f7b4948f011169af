/** Projects on a swarm of three engines. Virtual IPs and the routing mesh need `ip_vs`, which not every machine has. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/compose/runtime/clock.js';
import type { Backend } from '../../../src/compose/runtime/runtime.js';
import { selectBackend } from '../../../src/compose/runtime/select.js';
import { startSwarm, swarmIsMissing, SWARM_IMAGE as IMAGE, type TestSwarm } from '../../support/swarm.js';
import { consoleOn, type Console } from '../cli/command-line.js';
import { folderWith } from '../model/project-folder.js';
import { runService } from '../service/running-service.js';

const reason = await swarmIsMissing();
const shell = (script: string): string[] => ['sh', '-c', `trap "exit 0" TERM; ${script}`];
const patient = { timeout: 60_000, interval: 200 };
const FOREVER = 'while :; do sleep 0.1; done';

interface Project extends Console {
  readonly name: string;
  readonly folder: string;
  write(parts: object): Promise<void>;
  /** The rows of `ps --all`. */
  rows(): Promise<Record<string, unknown>[]>;
}

describe.skipIf(reason !== undefined)(
  `a swarm of three engines${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  { timeout: 120_000 },
  () => {
    let swarm: TestSwarm;
    let backend: Backend;

    beforeAll(async () => {
      swarm = await startSwarm();
      backend = await selectBackend({ backend: 'swarm', environment: { DOCKER_HOST: swarm.host(1), HOME: '/none' } });
    }, 120_000);
    afterAll(() => swarm.stop(), 60_000);

    let count = 0;
    async function project(parts: object, files: Readonly<Record<string, string>> = {}): Promise<Project> {
      const name = `shop${(count += 1)}`;
      const text = (content: object): string => JSON.stringify({ name, ...content });
      const directory = await folderWith({ ...files, 'compose.yaml': text(parts) });
      const environment = { COMPOSE_BACKEND: 'swarm' };
      const console = consoleOn(backend, { folder: directory, clock: systemClock, environment });
      onTestFinished(async () => {
        await console.run('down', '-v');
      });
      return {
        ...console,
        name,
        folder: directory,
        write: (content) => writeFile(path.join(directory, 'compose.yaml'), text(content)),
        async rows() {
          const { stdout } = await console.run('ps', '--all', '--format', 'json');
          return stdout
            .split('\n')
            .filter((line) => line !== '')
            .map((line) => JSON.parse(line) as Record<string, unknown>);
        },
      };
    }

    it('runs, lists, scales and removes a project', async () => {
      const web = { image: IMAGE, command: shell(`echo ready; ${FOREVER}`), deploy: { replicas: 3 } };
      const { run, rows, name } = await project({ services: { web } });
      expect(await run('up')).toMatchObject({ code: 0 });
      const running = await rows();
      expect(running.map(({ Name, State }) => [Name, State])).toEqual([
        [`${name}_web.1`, 'running'],
        [`${name}_web.2`, 'running'],
        [`${name}_web.3`, 'running'],
      ]);
      expect(new Set(running.map(({ Node }) => Node)).size).toBe(3);
      expect((await run('logs')).stdout.match(/ready/g)).toHaveLength(3);
      expect(await swarm.docker(1, 'stack', 'ls')).toContain(name);
      const here = await swarm.docker(1, 'info', '--format', '{{.Name}}');
      for (const { Name, Node } of running) {
        const index = String(Name).at(-1) ?? '';
        const ran = await run('exec', '-T', '--index', index, 'web', 'echo', 'hello');
        const refusal = `The swarm backend does not support 'exec on node ${String(Node)}'.\n`;
        expect(ran).toMatchObject(Node === here ? { code: 0, stdout: 'hello\n' } : { code: 1, stderr: refusal });
      }

      expect((await run('--dry-run', 'down')).stderr).toContain(`Service ${name}_web Removed`);
      expect((await run('--dry-run', 'up', '--scale', 'web=9')).stderr).toContain(`Service ${name}_web Scaled`);
      expect((await rows()).map(({ ID }) => ID)).toEqual(running.map(({ ID }) => ID));

      expect(await run('scale', 'web=1')).toMatchObject({ code: 0 });
      expect(await rows()).toHaveLength(1);

      expect(await run('down')).toMatchObject({ code: 0 });
      expect(await swarm.docker(1, 'service', 'ls', '--quiet')).toBe('');
      expect(await swarm.docker(1, 'network', 'ls', '--quiet', '--filter', `name=${name}`)).toBe('');
    });

    it('mounts secrets and configs, and replaces the containers when their content changes', async () => {
      const parts = {
        services: {
          web: {
            image: IMAGE,
            command: shell(`cat /run/secrets/password /settings; stat -c %a /run/secrets/password; ${FOREVER}`),
            secrets: [{ source: 'password', mode: 0o400 }],
            configs: [{ source: 'settings', target: '/settings' }],
            deploy: { update_config: { monitor: '500ms' } },
          },
        },
        secrets: { password: { file: './password.txt' } },
        configs: { settings: { content: 'colour=blue\n' } },
      };
      const { run, rows, folder, name } = await project(parts, { 'password.txt': 'first\n' });
      expect(await run('up')).toMatchObject({ code: 0 });
      const lines = async (): Promise<string> => (await run('logs', '--no-log-prefix')).stdout;
      await expect.poll(lines, patient).toBe('first\ncolour=blue\n400\n');
      const [before] = await rows();

      expect(await run('up')).toMatchObject({ code: 0, stderr: '' });
      expect((await rows())[0]?.['ID']).toBe(before?.['ID']);

      await writeFile(path.join(folder, 'password.txt'), 'second\n');
      expect(await run('up')).toMatchObject({ code: 0 });
      await expect.poll(lines, patient).toBe('second\ncolour=blue\n400\n');
      expect(await run('down')).toMatchObject({ code: 0 });
      expect(await swarm.docker(1, 'secret', 'ls', '--quiet', '--filter', `name=${name}`)).toBe('');
      expect(await swarm.docker(1, 'config', 'ls', '--quiet', '--filter', `name=${name}`)).toBe('');
    });

    it('connects services of different nodes by name, and shows ports of a node', async () => {
      const hosts = (await swarm.docker(1, 'node', 'ls', '--format', '{{.Hostname}}')).split('\n');
      const on = (index: number): object => ({
        endpoint_mode: 'dnsrr',
        placement: { constraints: [`node.hostname==${hosts[index] ?? ''}`] },
      });
      const { run, rows } = await project({
        services: {
          server: {
            image: IMAGE,
            command: shell('mkdir -p /www; echo hello >/www/index.html; httpd -f -p 80 -h /www & wait'),
            ports: [{ target: 80, published: '8080', mode: 'host' }],
            deploy: on(1),
          },
          client: {
            image: IMAGE,
            command: shell(`until wget -q -O - http://server/; do sleep 0.2; done; ${FOREVER}`),
            deploy: on(2),
          },
        },
      });
      expect(await run('up')).toMatchObject({ code: 0 });
      await expect
        .poll(async () => (await run('logs', '--no-log-prefix', 'client')).stdout, patient)
        .toContain('hello');
      const placed = Object.fromEntries((await rows()).map(({ Service, Node }) => [Service, Node]));
      expect(placed).toEqual({ server: hosts[1], client: hosts[2] });
      const server = (await rows()).find(({ Service }) => Service === 'server');
      expect(server?.['Publishers']).toMatchObject([{ TargetPort: 80, PublishedPort: 8080, Protocol: 'tcp' }]);
    });

    it('returns to the earlier version when an update fails', async () => {
      const web = {
        image: IMAGE,
        deploy: { replicas: 2, update_config: { failure_action: 'rollback', monitor: '2s', order: 'start-first' } },
      };
      const { run, rows, write, name } = await project({ services: { web: { ...web, command: shell(FOREVER) } } });
      expect(await run('up')).toMatchObject({ code: 0 });
      const before = (await rows()).map(({ Command }) => Command);

      await write({ services: { web: { ...web, command: ['sh', '-c', 'echo broken; exit 3'] } } });
      const failed = await run('up');
      expect(failed.code).toBe(1);
      expect(failed.stderr).toContain(`The update of service '${name}_web' was rolled back: `);
      expect(failed.stderr).toContain('task: non-zero exit (3)');
      // The swarm may have replaced any of the containers before it noticed the failure.
      const after = await rows();
      expect(after.map(({ State }) => State)).toEqual(['running', 'running']);
      expect(after.map(({ Command }) => Command)).toEqual(before);
    });

    it('stops, starts and restarts services', async () => {
      const deploy = { replicas: 2, update_config: { monitor: '500ms' } };
      const web = { image: IMAGE, command: shell(FOREVER), deploy };
      const { run, rows } = await project({ services: { web } });
      expect(await run('up')).toMatchObject({ code: 0 });
      const first = (await rows()).map(({ ID }) => ID);
      expect(await run('restart')).toMatchObject({ code: 0 });
      const second = await rows();
      expect(second.map(({ State }) => State)).toEqual(['running', 'running']);
      expect(second.filter(({ ID }) => first.includes(ID))).toEqual([]);

      expect(await run('stop')).toMatchObject({ code: 0 });
      expect((await rows()).map(({ State }) => State)).toEqual(['exited', 'exited']);
      expect((await run('ls', '--all')).stdout).toContain('exited(2)');
      expect(await run('start')).toMatchObject({ code: 0 });
      expect((await rows()).map(({ State }) => State)).toEqual(['running', 'running']);
    });

    it('runs services on every node, and jobs to their end', async () => {
      const { run, rows } = await project({
        services: {
          agent: { image: IMAGE, command: shell(FOREVER), deploy: { mode: 'global' } },
          job: { image: IMAGE, command: ['sh', '-c', 'echo done'], deploy: { mode: 'replicated-job', replicas: 2 } },
        },
      });
      expect(await run('up')).toMatchObject({ code: 0 });
      const states = async (service: string): Promise<unknown[]> =>
        (await rows()).filter(({ Service }) => Service === service).map(({ State }) => State);
      expect(await states('agent')).toEqual(['running', 'running', 'running']);
      await expect.poll(() => states('job'), patient).toEqual(['exited', 'exited']);
      expect(await run('stop', 'agent')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("The swarm backend does not support 'stop of service"),
      });
    });

    it('says why containers do not run, and removes services that are no longer in the file', async () => {
      const lost = { image: IMAGE, deploy: { placement: { constraints: ['node.hostname==none'] } } };
      const { run, write, name } = await project({ services: { lost } });
      const failed = await run('up', '--wait-timeout', '2');
      expect(failed.code).toBe(1);
      expect(failed.stderr).toContain(`${name}_lost: no suitable node (scheduling constraints not satisfied`);
      expect(failed.stderr).toContain(`Timed out after 2s waiting for container '${name}_lost'`);
      await write({ services: { web: { image: IMAGE, command: shell(FOREVER) } } });
      expect((await run('up', '-d')).stderr).toContain(
        `Orphan services (they are not in the compose file): ${name}_lost.`,
      );
      expect(await run('up', '--remove-orphans')).toMatchObject({ code: 0 });
      expect(await swarm.docker(1, 'service', 'ls', '--format', '{{.Name}}')).toBe(`${name}_web`);
    });

    it('shows and removes what docker stack deploy made', async () => {
      const { run, rows, name, folder } = await project({ services: {} });
      const file = path.join(folder, 'stack.json');
      await writeFile(
        file,
        JSON.stringify({ version: '3.8', services: { web: { image: IMAGE, command: shell(FOREVER) } } }),
      );
      await swarm.docker(1, 'stack', 'deploy', '--resolve-image', 'never', '--compose-file', file, name);
      await expect
        .poll(async () => (await rows()).map(({ Service, State }) => [Service, State]), patient)
        .toEqual([['web', 'running']]);
      expect(await run('down', '--remove-orphans')).toMatchObject({ code: 0 });
      expect(await swarm.docker(1, 'service', 'ls', '--quiet')).toBe('');
      expect(await swarm.docker(1, 'network', 'ls', '--quiet', '--filter', `name=${name}`)).toBe('');
    });

    it('refuses what a swarm cannot do, before any change', async () => {
      const { run, name } = await project({
        services: { web: { build: '.', container_name: 'web', privileged: true }, db: { image: IMAGE, pid: 'host' } },
      });
      expect(await run('up')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(
          "The swarm backend does not support 'services.web.container_name, services.web.privileged, " +
            "services.web.build, services.db.pid'.\nA swarm builds no images: build and push the image, and name it in 'image'.",
        ),
      });
      for (const command of [['run', 'db'], ['create'], ['up', '--watch'], ['up', '--build']]) {
        expect(await run(...command)).toMatchObject({ code: 1, stderr: expect.stringContaining('does not support') });
      }
      expect(await swarm.docker(1, 'network', 'ls', '--quiet', '--filter', `name=${name}`)).toBe('');
    });

    it('says what to do when the engine does not manage a swarm', async () => {
      const opened = selectBackend({ backend: 'swarm', environment: { DOCKER_HOST: swarm.host(2), HOME: '/none' } });
      await expect(opened).rejects.toThrow(/is a worker of its swarm, .* \(managers: [\d.]+\)\.$/);
    });

    it('moves the containers of a node that dies, and the API says so', async () => {
      const service = await runService({ wrap: () => backend });
      onTestFinished(() => service.stop());
      const compose = {
        services: { web: { image: IMAGE, command: shell(FOREVER), deploy: { replicas: 3 } } },
      };
      await service.up('moved', JSON.stringify(compose));
      interface Listed {
        readonly items: readonly {
          readonly containers: readonly { status: string; labels: Record<string, string> }[];
        }[];
      }
      const nodes = async (): Promise<string[]> => {
        const { items } = (await service.expect(200, 'GET', '/projects/moved/services')) as Listed;
        return items.flatMap(({ containers }) =>
          containers.flatMap(({ status, labels }) =>
            status === 'running' ? (labels['io.plumbline.compose.node'] ?? '') : [],
          ),
        );
      };
      const before = await nodes();
      expect(new Set(before).size).toBe(3);
      const dead = (await swarm.docker(3, 'info', '--format', '{{.Name}}')).trim();

      await swarm.kill(3);
      await expect.poll(nodes, patient).toSatisfy((now: string[]) => now.length === 3 && !now.includes(dead));
      const console = consoleOn(backend, { folder: '/', clock: systemClock });
      const { stdout } = await console.run('--project-name', 'moved', 'ps');
      expect(stdout.match(/Up /g)).toHaveLength(3);
      expect(stdout).not.toContain(dead);
      await service.expect(200, 'POST', '/projects/moved/down', {});
      expect(await swarm.docker(1, 'service', 'ls', '--quiet')).toBe('');
      expect(await swarm.docker(1, 'network', 'ls', '--quiet', '--filter', 'name=moved')).toBe('');

      await swarm.docker(2, 'swarm', 'leave');
      const opened = selectBackend({ backend: 'swarm', environment: { DOCKER_HOST: swarm.host(2), HOME: '/none' } });
      await expect(opened).rejects.toThrow(/is not in swarm mode\. Run 'docker swarm init' there, or /);
    });
  },
);
