/** The server rejected the request, failed, or cannot be reached. The message is for users. */
export class RemoteFailure extends Error {
  override readonly name = 'RemoteFailure';
  /** The entry of the error catalogue, such as `RuntimeError.notFound`, or the problem's type. */
  readonly entry: string | undefined;

  constructor(message: string, entry?: string, options?: ErrorOptions) {
    super(message, options);
    this.entry = entry;
  }
}
