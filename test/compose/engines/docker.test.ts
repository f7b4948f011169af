/** Projects on bridge/docker. */
import { conflicts } from './conflicts.js';
import { hurts } from './hurts.js';
import { interruptions } from './interruptions.js';
import { onEngine } from './on-engine.js';

await onEngine('bridge/docker', [hurts, conflicts, interruptions]);
