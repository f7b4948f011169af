import { describe, expect, it } from 'vitest';
import { composeFile } from '../../../../src/compose/model/schema/compose-file.js';
import { UNSUPPORTED_KEYS } from '../../../../src/compose/model/validate/support.js';
import { loadUninterpolated } from '../../../../src/compose/model/loader/load.js';
import { parseYaml } from '../../../../src/compose/model/loader/parse.js';
import type { Json } from '../../../../src/compose/model/node.js';
import { folderWith, load } from '../project-folder.js';
import { publishedKeyPaths, readSpecification, skipReason } from './specification.js';

/** The keys of a service in the Compose Specification, so that the test says something without the schema at hand. */
const SERVICE_KEYS =
  `annotations attach blkio_config build cap_add cap_drop cgroup cgroup_parent command configs container_name
  cpu_count cpu_percent cpu_period cpu_quota cpu_rt_period cpu_rt_runtime cpu_shares cpus cpuset credential_spec depends_on deploy
  develop device_cgroup_rules devices dns dns_opt dns_search domainname entrypoint env_file environment expose extends external_links
  extra_hosts gpus group_add healthcheck hostname image init ipc isolation label_file labels links logging mac_address mem_limit
  mem_reservation mem_swappiness memswap_limit models network_mode networks oom_kill_disable oom_score_adj pid pids_limit platform
  ports post_start pre_start pre_stop privileged profiles provider pull_policy pull_refresh_after read_only restart runtime scale
  secrets security_opt shm_size stdin_open stop_grace_period stop_signal storage_opt sysctls tmpfs tty ulimits use_api_socket user
  userns_mode uts volumes volumes_from working_dir`.split(/\s+/);

/** A compose file that holds one key, with null as its value. */
function fileWith(path: readonly (string | number)[]): Json {
  return path.reduceRight<Json>((inner, part) => (typeof part === 'number' ? [inner] : { [part]: inner }), null);
}

/** Whether the model knows the key: anything may be wrong with a null there, but not that. */
function isKnown(path: readonly (string | number)[]): boolean {
  const [root] = parseYaml(JSON.stringify(fileWith(path)), 'one-key.yaml');
  if (root === undefined) return false;
  try {
    composeFile.canonical(root, [], { templates: false });
    return true;
  } catch (error) {
    return !(error instanceof Error && 'case' in error && error.case === 'unknownKey');
  }
}

describe('the keys of the Compose Specification', () => {
  it.each(SERVICE_KEYS)('services.*.%s is known', (key) => {
    expect(isKnown(['services', 'web', key])).toBe(true);
  });

  it('do not include unknown keys', () => {
    expect(isKnown(['services', 'web', 'nonsense'])).toBe(false);
  });

  const schema = readSpecification();
  it.skipIf(schema === undefined)(`are known at every depth of the schema${skipReason(schema)}`, () => {
    const paths = publishedKeyPaths(schema ?? {});
    expect(paths.length).toBeGreaterThan(300);
    expect(paths.filter((path) => !isKnown(path))).toEqual([]);
  });
});

describe('keys without effect', () => {
  const USES = {
    cpu_count: 1,
    cpu_percent: 10,
    credential_spec: { file: 'f' },
    isolation: 'default',
    models: ['m'],
    provider: { type: 'p' },
    use_api_socket: true,
    pull_refresh_after: '1d',
    stop_grace_period: '5s',
    build: { context: '.', isolation: 'x' },
    deploy: {
      mode: 'global',
      endpoint_mode: 'vip',
      placement: {},
      rollback_config: {},
      update_config: {},
      labels: { a: 'b' },
      resources: { reservations: { cpus: '1', generic_resources: [] } },
    },
  };
  const file = {
    services: { one: { image: 'i', ...USES }, two: { image: 'i', ...USES } },
    models: { m: { model: 'x' } },
    secrets: { s: { file: 'f', driver: 'd', template_driver: 't' } },
    configs: { c: { file: 'f', template_driver: 't' } },
  };

  it('are each named in exactly one warning for all services', async () => {
    const { warnings } = await load(JSON.stringify(file));
    const unsupported = warnings.filter(({ code }) => code === 'unsupportedKey' || code === 'stopTimeIgnored');
    expect(unsupported).toHaveLength(Object.keys(UNSUPPORTED_KEYS).length);
    expect(new Set(unsupported.map(({ message }) => message)).size).toBe(unsupported.length);
    expect(unsupported.find(({ message }) => message.startsWith("'cpu_count'"))?.message).toContain('one, two');
    expect(unsupported.every(({ location }) => location !== undefined)).toBe(true);
  });

  it('stay in the project', async () => {
    const { project } = await load(JSON.stringify(file));
    expect(project.services['one']).toMatchObject({
      cpu_count: 1,
      stop_grace_period: 5_000_000_000,
      deploy: { mode: 'global' },
    });
  });

  it('fail in strict mode and are silent in loose mode', async () => {
    await expect(load(JSON.stringify(file), { support: 'strict' })).rejects.toMatchObject({ case: 'unsupported' });
    expect((await load(JSON.stringify(file), { support: 'loose' })).warnings).toEqual([]);
  });

  it('include version, which is obsolete', async () => {
    const { warnings } = await load('version: "3"\nservices: {web: {image: i}}');
    expect(warnings).toMatchObject([{ code: 'obsoleteVersion', location: { line: 1 } }]);
  });
});

describe('a model without interpolation', () => {
  it('keeps variables as written, also in numeric keys', async () => {
    const folder = await folderWith({
      'compose.yaml':
        'services: {web: {image: "a:$TAG", scale: $N, ports: ["$P:80", "1:1"], mem_limit: $M, command: "echo $X"}}',
    });
    const { model } = await loadUninterpolated({ environment: { TAG: 'x' }, workingDirectory: folder });
    expect(model).toMatchObject({
      name: 'folder',
      services: {
        web: { image: 'a:$TAG', scale: '$N', ports: ['$P:80', { target: 1, published: '1' }], mem_limit: '$M' },
      },
    });
  });
});
