/** What the operator of a server can allow the projects that are sent to it, beyond what every project may do. */

/** Each class with what it lets a project do, as `compose serve --help` and the README say it. */
export const ALLOWANCES = {
  'host-files': 'read and mount files of the server: bind mounts, env_file, secrets and configs from files',
  build: 'build images, which can replace images of other projects and fetch any address',
  privileges: 'privileged, cap_add, security_opt, runtime and other settings that weaken the isolation',
  'host-namespaces': 'share the network, processes, IPC, UTS, cgroup or user namespace of the server',
  devices: 'use devices and GPUs of the server',
  networks: 'choose network drivers, their options and address pools, and publish ports below 1024',
  plugins: 'use volume and log drivers other than the built-in ones, and their options',
  'other-projects':
    'join networks, volumes and containers of other projects, and take the name of a project that was not sent',
} as const;

export type Allowance = keyof typeof ALLOWANCES;

export const allowanceNames = Object.keys(ALLOWANCES);

export function isAllowance(name: string): name is Allowance {
  return Object.hasOwn(ALLOWANCES, name);
}
