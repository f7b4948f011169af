/** The options of the commands that store tokens. */

export interface ServerOption {
  readonly server?: string;
}

export interface LoginOptions extends ServerOption {
  readonly email?: string;
  readonly org?: string;
  readonly tokenStdin?: boolean;
}
