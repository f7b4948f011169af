/**
 * Makes a text safe for one line of a terminal: names from other sources must not move the cursor, change colours or
 * reorder the text (bidirectional controls).
 */
export function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, '\ufffd');
}

/** Makes a text of several lines safe for a terminal in the same way. Its tabs and line ends (LF, CRLF) stay. */
export function safeLines(text: string): string {
  return text.replace(/[^\t\r\n]+|\r(?!\n)/g, oneLine);
}
