/** Generated files by their path from the repository's root. */
export type GeneratedFiles = Map<string, string>;

/** Generated files that have the same sources. */
export interface GeneratedPart {
  readonly name: string;
  /** The contracts' files that the part is made from. */
  readonly sources: readonly string[];
  /** Makes the files, before they are formatted. */
  readonly draft: () => Promise<GeneratedFiles>;
}
