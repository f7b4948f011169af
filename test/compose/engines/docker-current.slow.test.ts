/** Projects on bridge/docker-current. */
import { containerCommands } from './containers.js';
import { conflicts } from './conflicts.js';
import { reportedBehaviour } from './reported-behaviour.js';
import { interruptions } from './interruptions.js';
import { onEngine } from './on-engine.js';
import { servedProject } from './served-project.js';

await onEngine('bridge/docker-current', [
  reportedBehaviour,
  containerCommands,
  conflicts,
  interruptions,
  servedProject,
]);
