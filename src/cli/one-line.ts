/** A text that fits on a line of a terminal: names of others must not move its cursor or colour it. */
export function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, '\ufffd');
}
