/** Projects on native/podman. */
import { conflicts } from './conflicts.js';
import { reportedBehaviour } from './reported-behaviour.js';
import { interruptions } from './interruptions.js';
import { onEngine } from './on-engine.js';

await onEngine('native/podman', [reportedBehaviour, conflicts, interruptions]);
