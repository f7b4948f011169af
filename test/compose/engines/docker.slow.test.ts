/** Projects on bridge/docker. */
import { containerCommands } from './containers.js';
import { conflicts } from './conflicts.js';
import { reportedBehaviour } from './reported-behaviour.js';
import { dryRuns } from './dry-runs.js';
import { interruptions } from './interruptions.js';
import { projectNetworks } from './networks.js';
import { onEngine } from './on-engine.js';
import { following } from './following.js';
import { watching } from './watching.js';

await onEngine('bridge/docker', [
  reportedBehaviour,
  containerCommands,
  conflicts,
  interruptions,
  dryRuns,
  watching,
  following,
  projectNetworks,
]);
