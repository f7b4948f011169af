/** The content of a secret or config that is not in a file of this machine. Variables hold text, files any bytes. */
export type FileContent = string | Uint8Array;
