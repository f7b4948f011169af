/** The options of `plumbline mcp`. */
export interface McpOptions {
  readonly server?: string;
  readonly listen?: string;
  readonly allowHost?: readonly string[];
  /** Names of toolsets, or `all`. */
  readonly tools?: readonly string[];
  readonly readOnly?: boolean;
  readonly fullSchemas?: boolean;
}
