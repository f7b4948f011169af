/** Options that most operations accept. */

export interface Abortable {
  readonly signal?: AbortSignal;
}

/** Selects resources that have all these labels with these values. An empty value only requires the label. */
export interface LabelFilter extends Abortable {
  readonly labels?: Readonly<Record<string, string>>;
}
