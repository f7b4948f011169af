/** What callers of the API may see of a text of the engine. */
import { scrub, secretValues } from '../runtime/scrub.js';

/** The text without paths of the server and values of its environment. */
export const shownText = (text: string): string => scrub(text, secretValues(process.env));
