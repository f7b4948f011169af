/** The services of a cluster in a dry run: changes are accepted and not made. */
import type { ClusterOperations, FileOperations } from '../cluster.js';

export function dryRunCluster(real: ClusterOperations): ClusterOperations {
  // Later steps of the command see neither new services nor the removal of earlier ones, and none of them depends on it.
  const files = ({ list }: FileOperations): FileOperations => ({
    list,
    create: ({ name, labels }) => Promise.resolve({ id: name, name, labels }),
    remove: () => Promise.resolve(),
  });
  return {
    ...real,
    isDryRun: true,
    services: {
      list: real.services.list,
      create: () => Promise.resolve([]),
      update: () => Promise.resolve([]),
      remove: () => Promise.resolve(),
    },
    files: { secrets: files(real.files.secrets), configs: files(real.files.configs) },
  };
}
