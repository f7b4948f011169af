import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest, the longest first: each took more than a minute when all tests ran on two cores with
 * nothing beside them. The order among them matters more than the times, so the list needs no care; add a file that takes
 * minutes.
 */
export const longFiles: readonly string[] = [
  'test/cli/packed-versions.slow.test.ts',
  'test/platform/service/properties.slow.test.ts',
  'test/compose/engines/podman.slow.test.ts',
  'test/compose/runtime/conformance.podman.slow.test.ts',
  'test/analytics/planner/differential.slow.test.ts',
  'test/compose/engines/terminal.slow.test.ts',
  'test/house/benchmarks.slow.test.ts',
  'test/console/pages.slow.test.ts',
  'test/platform/server/deploy/container.slow.test.ts',
  'test/console/states.slow.test.ts',
  'test/sync/forget-person.slow.test.ts',
  'test/sync/work-units/derivation/killed.slow.test.ts',
  'test/compose/engines/service.slow.test.ts',
  'test/compose/runtime/conformance.podman-socket.slow.test.ts',
  'test/cli/demo.slow.test.ts',
  'test/compose/engines/swarm.slow.test.ts',
  'test/platform/server/deploy/rolling-upgrade.slow.test.ts',
  'test/compose/engines/docker.slow.test.ts',
  'test/sync/prune.slow.test.ts',
  'test/console/outages.slow.test.ts',
  'test/platform/service/silence.slow.test.ts',
  'test/sync/resume.slow.test.ts',
  'test/cli/backup.slow.test.ts',
  'test/cli/sync-killed.slow.test.ts',
  'test/analytics/planner/isolation.slow.test.ts',
  'test/compose/runtime/conformance.docker.slow.test.ts',
  'test/clients/clients.slow.test.ts',
  'test/compose/engines/podman-socket.slow.test.ts',
  'test/platform/identity/sso/keycloak.slow.test.ts',
  'test/database/silence.slow.test.ts',
  'test/journeys/journeys.slow.test.ts',
  'test/house/installed-packages.slow.test.ts',
  'test/cli/forget-person.slow.test.ts',
  'test/sdk/consumers.slow.test.ts',
  'test/cli/commands.slow.test.ts',
  'test/cli/packed.slow.test.ts',
  'test/console/containers.slow.test.ts',
  'test/cli/serve.slow.test.ts',
  'test/codegen/dev.slow.test.ts',
  'test/sync/work-units/derivation/engines.slow.test.ts',
  'test/compose/engines/swarm-changes.slow.test.ts',
  'test/codegen/main.slow.test.ts',
];

/**
 * Begins with the files that take longest. Without the results of an earlier run, as in CI, vitest begins with the largest
 * files, and what takes longest is a short file that visits all pages or runs all benchmarks: at the end, one worker is
 * busy with it while the others have nothing left.
 */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const root = this.ctx.config.root;
    const rank = ({ moduleId }: TestSpecification): number => {
      const position = longFiles.indexOf(relative(root, moduleId));
      return position === -1 ? longFiles.length : position;
    };
    const sorted = await super.sort(files);
    return sorted.sort((one, other) => rank(one) - rank(other)); // those that are not listed keep their order
  }
}
