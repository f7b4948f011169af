/** Projects as `bridge convert` writes them. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { commandLine } from '../cli/command-line.js';

const FIXTURES = path.resolve('test/compose/model/fixtures');

export const SHOP_FILES = {
  'compose.yaml': `
name: shop
services:
  db:
    image: postgres
    user: "999:998"
    volumes: [data:/var/lib/postgresql/data]
    environment: { POSTGRES_PASSWORD_FILE: /run/secrets/password, UNSET: }
    secrets: [password]
    healthcheck: { test: pg_isready, interval: 5s, retries: 4, start_period: 20s }
    networks: [back]
  migrate:
    image: shop/migrate
    command: [migrate, --to, "$$(latest)"]
    restart: on-failure:3
    depends_on: { db: { condition: service_healthy } }
    networks: [back]
  web_app:
    build: .
    image: shop/web
    scale: 3
    ports: ["8080:80"]
    expose: [9000]
    configs: [{ source: settings, target: /etc/settings, mode: 0440 }]
    volumes: ["./app.ini:/etc/app.ini", "./:/source", "cache:/cache", /scratch]
    deploy: { update_config: { parallelism: 2, order: start-first }, resources: { limits: { cpus: "0.5", memory: 256M } } }
    depends_on: { migrate: { condition: service_completed_successfully } }
    networks: [front, back]
  worker:
    image: shop/worker
    deploy: { mode: global }
    volumes: ["cache:/cache"]
    ulimits: { nofile: 1000 }
    networks: [back]
networks: { front: {}, back: {} }
volumes: { data: {}, cache: {} }
secrets: { password: { file: password.txt } }
configs: { settings: { content: "mode: yes" } }
`,
  'app.ini': 'size = 1\n',
  'password.txt': 'example\n',
};

/** Values that compose files may have, and that clusters refuse unless they are changed. */
export const ODD_FILE = `
name: odd
services:
  _under.score-:
    image: a
    container_name: Odd_Name
    hostname: My_Host
    domainname: example
    labels: { "$$bad": x, "a/b/c": y, "good.example/x": z, "": e, "UP/x": 1 }
    annotations: { "spa ce": x }
    deploy: { labels: { "bad key": x, ok: y } }
    environment: { "WITH SPACE": a, "1ST": b, "dash-ed": c, "uni\\u00e9": d, "a.b": e }
    ports: ["8080-8090:80-90", "53:53/udp", "53:53", "9000"]
    expose: ["7000-7002/udp", 7000]
    extra_hosts: ["some_host:10.0.0.1", "gw:host-gateway", "ok:::1"]
    dns: ["8.8.8.8", "1.1.1.1", "9.9.9.9", "4.4.4.4"]
    dns_opt: ["ndots:5", "rotate"]
    dns_search: ["example.com", "."]
    cap_add: [NET_ADMIN, CAP_SYS_TIME, ALL]
    user: "www-data:staff"
    working_dir: relative/dir
    mem_limit: 100m
    mem_reservation: 200m
    cpus: 0.0001
    tmpfs: ["/run", "/tmp:size=100m,mode=1777"]
    shm_size: 1g
    sysctls: { net.core.somaxconn: 1024, "kernel.domainname": "x" }
    stop_grace_period: 0s
    healthcheck: { test: ["CMD", "true"], interval: 0s, timeout: 10ms, retries: 0, start_period: 100ms }
    volumes: ["v_1:/a", "v_1:/b:ro", "v.2:/c", "/anonymous", {type: volume, source: v_1, target: /d, volume: {subpath: sub/x}}, {type: tmpfs, target: /e, tmpfs: {size: 10m}}]
    configs: [{source: c_1, target: /etc/c, mode: 0400}, {source: c_1}]
    secrets: [s_1, {source: s_1, target: "../x", uid: "5"}]
    networks: { _n_: { aliases: [Al_ias], ipv4_address: 10.9.9.9 }, default: {} }
  a-service-with-a-very-long-name-that-goes-on-and-on-until-it-is-longer-than-sixty-three-characters:
    image: b
    scale: 0
    restart: "on-failure:0"
    entrypoint: ""
    command: []
    stop_signal: SIGQUIT
    read_only: true
    privileged: true
    cap_drop: [ALL]
    init: true
    pid: host
    ipc: host
    group_add: [staff, 5]
    userns_mode: host
    security_opt: ["no-new-privileges:true", "seccomp:unconfined", "apparmor:x"]
  powerful:
    image: f
    cap_add: [SYS_ADMIN]
    security_opt: ["no-new-privileges:true"]
  Host:
    image: "c@sha256:4bcff63911fcb4448bd4fdacec207030997caf25e9bea4045fa6c8c44de311d1"
    network_mode: host
    ports: ["80:80"]
    pull_policy: always
    deploy: { mode: global, resources: { limits: { cpus: "2", memory: 1g, pids: 5 }, reservations: { cpus: "4", memory: 2g, devices: [{capabilities: [gpu], count: 1}] } }, restart_policy: { condition: none }, placement: { constraints: ["node.hostname == x", "node.labels.zone==y!"] }, update_config: { parallelism: 0, order: stop-first } }
  once:
    image: d
    restart: always
    depends_on: { _under.score-: { condition: service_started } }
    post_start: [{ command: echo hi }]
    pre_stop: [{ command: [echo, bye], user: root }]
  last:
    image: e
    depends_on: { once: { condition: service_completed_successfully } }
    platform: linux/arm64/v8
    ports: [{target: 80, published: "8080", host_ip: 127.0.0.1, protocol: tcp, name: A_Very_Long_Port_Name}, {target: 81, published: "8080", protocol: udp}]
networks: { _n_: { internal: true }, default: {} }
volumes: { v_1: { labels: { "x y": z } }, v.2: {} }
configs: { c_1: { content: "x", labels: {"q q": 1} } }
secrets: { s_1: { environment: TOKEN } }
`;

/** The printed objects of the shop. */
export async function convertedShop(): Promise<string> {
  const { run } = await commandLine(SHOP_FILES);
  return (await run('bridge', 'convert')).stdout;
}

/** The shop, and the fixtures of the model that can be converted: the printed objects by the name of the project. */
export async function convertedProjects(): Promise<ReadonlyMap<string, string>> {
  const converted = new Map([['shop', await convertedShop()]]);
  const { run } = await commandLine(ODD_FILE, { environment: { TOKEN: 'x' } });
  converted.set('odd', (await run('bridge', 'convert')).stdout);
  for (const name of await readdir(FIXTURES)) {
    const { code, stdout } = await run('-f', path.join(FIXTURES, name, 'compose.yaml'), 'bridge', 'convert');
    if (code === 0) converted.set(name, stdout);
  }
  return converted;
}
