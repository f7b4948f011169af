/** One request and its complete reply. */
export interface Exchange {
  readonly method: string;
  /** Absolute, or a path with or without a query. */
  readonly url: string;
  readonly status: number;
  readonly headers: Headers | Readonly<Record<string, string>>;
  readonly body: Uint8Array | string;
}
