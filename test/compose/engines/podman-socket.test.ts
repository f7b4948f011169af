/** Projects on bridge/podman. */
import { conflicts } from './conflicts.js';
import { reportedBehaviour } from './reported-behaviour.js';
import { interruptions } from './interruptions.js';
import { onEngine } from './on-engine.js';

await onEngine('bridge/podman', [reportedBehaviour, conflicts, interruptions]);
